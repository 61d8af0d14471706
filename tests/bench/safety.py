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

from bot.safety import Clear, SelfHarm, Violence, assess

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from bot.safety import SafetyVerdict

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


def table(title: str, messages: Iterable[Message], by: Callable[[Message], tuple[str, ...]], *names: str) -> Table:
    """One line a group: how many, how many of each verdict, and the share that got what its label asks for."""
    counts: dict[tuple[str, ...], Counter[str]] = {}
    for message in messages:
        verdict = assess(message["text"])
        count = counts.setdefault(by(message), Counter())
        count.update(["all", type(verdict).__name__, *(["good"] if GOOD[message["expect"]](verdict) else [])])
    drawn = Table(title=title)
    for name in (*names, "messages", "SelfHarm", "Violence", "Mention", "Clear", "as wanted"):
        drawn.add_column(name, justify="left" if name in names else "right")
    for group, count in sorted(counts.items()):
        share = f"{count['good'] / count['all']:.1%}"
        numbers = (str(count[name]) for name in ("all", "SelfHarm", "Violence", "Mention", "Clear"))
        drawn.add_row(*group, *numbers, share)
    return drawn


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
    assess("warm")
    began = time.process_time()
    for one in chosen:
        assess(one["text"])
    spent = (time.process_time() - began) / max(1, len(chosen))
    console = Console(width=120)
    console.print(table("By what is expected", chosen, lambda one: (one["expect"],), "expected"))
    console.print(
        table("By language", chosen, lambda one: (one["lang"], one["expect"]), "language", "expected"),
        table("By label", chosen, lambda one: (one["label"], one["expect"]), "label", "expected"),
    )
    console.print(f"{len(chosen)} messages, {spent * 1000:.2f} ms of processor time each")


if __name__ == "__main__":
    main()
