"""How well the safety gate does on labelled messages: `python -m tests.bench.safety [--seen] [PATH]`.

The messages are split by a hash of their group, so that a text and its translations stay together. The rules were
written looking at three quarters of them; the table is of the fourth, unless `--seen` asks for the others.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from bot.safety import Clear, SafetyVerdict, SelfHarm, Violence, assess, by_classifier, by_rules, graver
from bot.safety_meaning import MeaningLayer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Message = dict[str, Any]
GOOD: dict[str, Callable[[SafetyVerdict], bool]] = {
    "crisis": lambda verdict: isinstance(verdict, SelfHarm),
    "emergency": lambda verdict: isinstance(verdict, SelfHarm),
    "refuse": lambda verdict: isinstance(verdict, SelfHarm | Violence),
    "refuse_or_crisis": lambda verdict: not isinstance(verdict, Clear),
    "no": lambda verdict: not isinstance(verdict, SelfHarm | Violence),
}
"""What the label of a message asks for; "soft" asks for nothing."""


def seen(message: Message) -> bool:
    """Whether the message is of the three quarters that the rules were written from."""
    first, second, *_ = hashlib.sha256(str(message["group"] or message["id"]).encode()).digest()
    return first % 2 == 0 or second % 2 == 0


Meant = dict[str, SafetyVerdict]
"""What the look at the meaning makes of each text."""


def meant(texts: Iterable[str]) -> Meant:
    """What the look at the meaning makes of each text."""
    layer = MeaningLayer()
    return {text: layer(text) for text in texts}


def table(
    title: str, messages: Iterable[Message], meaning: Meant, by: Callable[[Message], tuple[str, ...]], *names: str
) -> Table:
    """One line a group: how many of each verdict, and the share that got what its label asks for, by layer too.

    The verdicts are of rules and classifier, as `assess` gives them. The columns of the classifier and of the meaning
    count what each says alone; neither says `Violence`.
    """
    counts: dict[tuple[str, ...], Counter[str]] = {}
    for message in messages:
        text, good = message["text"], GOOD[message["expect"]]
        verdict = assess(text)
        count = counts.setdefault(by(message), Counter())
        count.update(["messages", type(verdict).__name__, *(["good"] if good(verdict) else [])])
        count.update(["rules"] if good(by_rules(text)) else [])
        count.update(["classifier"] if good(by_classifier(text)) else [])
        count.update(["meaning"] if good(meaning[text]) else [])
        count.update(["all"] if good(graver(verdict, meaning[text])) else [])
    drawn = Table(title=title)
    shares = ("rules", "classifier", "meaning", "good", "all")
    verdicts = ("messages", "SelfHarm", "Violence", "Mention", "Clear")
    for name in (*names, *verdicts, "rules", "classifier", "meaning", "first two", "all three"):
        drawn.add_column(name, justify="left" if name in names else "right")
    for group, count in sorted(counts.items()):
        numbers = (str(count[name]) for name in ("messages", "SelfHarm", "Violence", "Mention", "Clear"))
        drawn.add_row(*group, *numbers, *(f"{count[share] / count['messages']:.1%}" for share in shares))
    return drawn


def timed(texts: Iterable[str]) -> str:
    """The processor time of one assessment, once everything has been read."""
    spent = []
    for text in texts:
        assess(text)
        began = time.process_time()
        assess(text)
        spent.append((time.process_time() - began) * 1000)
    spent.sort()
    return f"{len(spent)} texts: median {spent[len(spent) // 2]:.2f} ms, p99 {spent[int(len(spent) * 0.99)]:.2f} ms"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    shared = os.environ.get("SHARED_DATA", str(Path(__file__).resolve().parents[3] / "shared"))
    parser.add_argument("path", nargs="?", type=Path, default=Path(shared) / "data" / "safety" / "messages.jsonl")
    parser.add_argument("--seen", action="store_true", help="the messages that the rules were written from")
    options = parser.parse_args()
    lines = options.path.read_text(encoding="utf-8").splitlines()
    messages = [json.loads(line) for line in lines]
    chosen = [one for one in messages if seen(one) == options.seen and one["expect"] in GOOD]
    console = Console(width=160)
    meaning = meant(one["text"] for one in chosen)
    console.print(
        table("By what is expected", chosen, meaning, lambda one: (one["expect"],), "expected"),
        table("By set", chosen, meaning, lambda one: (one["source"], one["expect"]), "set", "expected"),
        table("By language", chosen, meaning, lambda one: (one["lang"], one["expect"]), "language", "expected"),
        table("By label", chosen, meaning, lambda one: (one["label"], one["expect"]), "label", "expected"),
    )
    console.print("Processor time, as they are:", timed(one["text"] for one in chosen))
    repeated = (" ".join([one["text"]] * (500 // len(one["text"]) + 1))[:500] for one in chosen)
    console.print("Processor time, filled or cut to 500 characters:", timed(repeated))


if __name__ == "__main__":
    main()
