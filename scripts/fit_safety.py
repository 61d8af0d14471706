"""Fit the classifier of the safety gate and write `bot/data/safety_classifier.npz`.

    python scripts/fit_safety.py SHARED            # cross-validate, fit, write
    python scripts/fit_safety.py SHARED --report   # only cross-validate

It learns from the sentences beside this file and those of the rounds (all but the last), the rules' own examples, the
tests' ordinary messages, the three quarters of the labelled messages that may be read, and the questions of public
question sets. The last quarter and the last round stay out.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bot.safety import SelfHarm, by_rules
from bot.safety_classifier import BUCKETS, Classifier, Linear, buckets, packed
from bot.safety_files import read_languages
from bot.safety_rules import bundled as rules
from bot.safety_text import END
from tests.bench.safety import seen
from tests.bot.ordinary_messages import ABOUT_THE_SUBJECT, ORDINARY

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

HERE = Path(__file__).resolve().parent
WEIGHTS = HERE.parent / "bot" / "data" / "safety_classifier.npz"
RISKY = ("self", "other", "method", "poison")
LABELS = {"crisis": True, "emergency": True, "refuse": True, "no": False}
FOLDS = 3
RIDGE = 2e-6
HARD_ALARMS, QUESTION_ALARMS = 0.004, 0.0005
"""The shares of the hard negatives (idioms, low mood, the subject) and of the public questions that may reach the
threshold when they are held out."""
MARGIN = 0.1
"""How far the threshold stays above everything harmless that the classifier has learned from."""
RATE = 6.0
"""The step of the descent, in units of the summed weights; a larger one does not settle."""


@dataclass(frozen=True, slots=True)
class Example:
    """A labelled text. `group` keeps a text, its translations and its mixtures in one fold."""

    text: str
    risk: bool
    origin: str
    language: str
    group: str
    other: bool | None = None
    weight: float = 1.0


def sentences() -> Iterator[Example]:
    """The sentences written for this purpose."""
    for path in sorted((HERE / "safety_sentences").glob("*.toml")):
        for section, texts in tomllib.loads(path.read_text(encoding="utf-8")).items():
            for number, text in enumerate(texts):
                risk = section in RISKY
                group = f"{section} {number if path.stem != 'en' else text}"
                yield Example(text, risk, "sentences", path.stem, group, section == "other" if risk else None)


def rounds() -> Iterator[Example]:
    """The sentences of the rounds that the rules were widened by; the last round is for reporting only."""
    for path in sorted((HERE / "safety_sentences" / "rounds").glob("*.toml")):
        if path.stem == "last":
            continue
        for language, kinds in tomllib.loads(path.read_text(encoding="utf-8")).items():
            for kind, texts in kinds.items():
                for text in texts:
                    yield Example(text, kind == "risk", "rounds", language, text)


def rule_examples() -> Iterator[Example]:
    """What the rule files and the tests hold to a level."""
    for language in read_languages():
        for rule in language.rules:
            if rule.level != "violence":
                risk = rule.level == "self_harm"
                about = rule.id.startswith("other.") if risk else None
                for text in rule.examples:
                    yield Example(text, risk, "rules", language.language, rule.id, about)
            for text in rule.counterexamples:
                if not isinstance(by_rules(text), SelfHarm):
                    yield Example(text, False, "rules", language.language, rule.id)
        if language.hints:
            for text in language.hints.examples:
                yield Example(text, True, "rules", language.language, text, False)
            for text in language.hints.counterexamples:
                yield Example(text, False, "rules", language.language, text)
    for text in (*ORDINARY, *ABOUT_THE_SUBJECT):
        yield Example(text, False, "ordinary", "en", text)


def labelled(shared: Path) -> Iterator[Example]:
    """The labelled messages that may be read."""
    for line in (shared / "data" / "safety" / "messages.jsonl").read_text(encoding="utf-8").splitlines():
        one = json.loads(line)
        if seen(one) and one["expect"] in LABELS:
            yield Example(one["text"], LABELS[one["expect"]], "labelled", one["lang"], str(one["group"] or one["id"]))


def questions(shared: Path) -> Iterator[Example]:
    """Questions of public sets: nobody is at risk in them, and there are many."""
    data = shared / "data"
    found: list[str] = []
    for name in ("retrieval_eval/queries", "unanswerable/questions", "scifact/queries", "pubmedqa/queries"):
        lines = (data / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        found.extend(json.loads(line)["text"] for line in lines)
    for name in ("conversations", "medquad_followups"):
        lines = (data / "multiturn" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        found.extend(turn["user"] for line in lines for turn in json.loads(line)["turns"])
    lines = (data / "multiturn" / "mtrag_un_tasks.jsonl").read_text(encoding="utf-8").splitlines()
    found.extend(turn["text"] for line in lines for turn in json.loads(line)["input"] if turn["speaker"] == "user")
    for text in dict.fromkeys(found):
        if not isinstance(by_rules(text), SelfHarm):
            yield Example(text, False, "questions", "en", text, weight=0.5)


def mixtures(examples: Sequence[Example], draw: random.Random) -> Iterator[Example]:
    """Two sentences in one message: at risk where the first is, however ordinary the second; half as heavy."""
    own = [one for one in examples if one.origin == "sentences"]
    for one in own:
        around = [mate for mate in own if mate.language == one.language and not mate.risk]
        mate = draw.choice(around)
        text = f"{one.text}. {mate.text}" if draw.random() < 0.5 else f"{mate.text}. {one.text}"
        yield Example(text, one.risk, "mixtures", one.language, one.group, one.other, weight=0.5)


@dataclass(frozen=True, slots=True)
class Features:
    """Sparse rows: bucket, value and row of every entry."""

    bucket: NDArray[np.int64]
    value: NDArray[np.float64]
    row: NDArray[np.int64]
    rows: int

    @classmethod
    def of(cls, texts: Sequence[str]) -> Features:
        found = [buckets([word for word in rules().read(text) if word != END]) for text in texts]
        sizes = [len(one) for one in found]
        value = np.repeat([1 / max(1, size) ** 0.5 for size in sizes], sizes)
        return cls(np.concatenate(found), value, np.repeat(np.arange(len(found)), sizes), len(found))

    def only(self, rows: NDArray[np.bool_]) -> Features:
        kept = rows[self.row]
        renumbered = np.cumsum(rows) - 1
        return Features(self.bucket[kept], self.value[kept], renumbered[self.row[kept]], int(rows.sum()))

    def scores(self, solution: NDArray[np.float64]) -> NDArray[np.float64]:
        summed = np.bincount(self.row, self.value * solution[self.bucket], self.rows).astype(np.float64)
        return summed + float(solution[-1])

    def gathered(self, slope: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.append(np.bincount(self.bucket, self.value * slope[self.row], BUCKETS), slope.sum())


def fit(x: Features, y: NDArray[np.bool_], weight: NDArray[np.float64], *, steps: int = 200) -> NDArray[np.float64]:
    """Logistic regression with a ridge, by Nesterov's accelerated gradient; the last number is the bias."""
    weight = weight / weight.sum()
    ridge = np.append(np.full(BUCKETS, RIDGE), 0)
    solution = ahead = np.zeros(BUCKETS + 1)
    for step in range(steps):
        p = 1 / (1 + np.exp(-np.clip(x.scores(ahead), -30, 30)))
        gradient = x.gathered(weight * (p - y)) + ridge * ahead
        earlier, solution = solution, ahead - gradient * RATE
        ahead = solution + step / (step + 3) * (solution - earlier)
    return solution


def fold(group: str) -> int:
    return hashlib.sha256(group.encode()).digest()[0] % FOLDS


def held_out(examples: Sequence[Example], x: Features) -> NDArray[np.float64]:
    """Each example's score by a classifier that has seen neither it nor its group."""
    y = np.array([one.risk for one in examples])
    weight = np.array([one.weight for one in examples])
    folds = np.array([fold(one.group) for one in examples])
    scores = np.zeros(len(examples))
    for number in range(FOLDS):
        kept = folds != number
        scores[~kept] = x.only(~kept).scores(fit(x.only(kept), y[kept], weight[kept]))
    return scores


def threshold(examples: Sequence[Example], scores: NDArray[np.float64]) -> float:
    """The lowest score that keeps false alarms within both shares when all are held out."""
    question = np.array([one.origin == "questions" for one in examples])
    hard = np.array([not one.risk and one.origin not in ("questions", "mixtures") for one in examples])
    limits = ((hard, HARD_ALARMS), (question, QUESTION_ALARMS))
    return max(float(np.quantile(scores[kind], 1 - share)) for kind, share in limits)


def report(examples: Sequence[Example], scores: NDArray[np.float64], limit: float) -> None:
    """By origin and language: the share raised by the rules, by the classifier held out, and by both."""
    ruled = np.array([isinstance(by_rules(one.text), SelfHarm) for one in examples])
    raised = scores >= limit
    print(f"threshold {limit:.2f}\n{'':34}{'messages':>9}{'rules':>9}{'classif.':>9}{'both':>9}")
    kinds = [(one.risk, one.origin, "en" if one.language == "en" else "others") for one in examples]
    for risk, origin, language in sorted(set(kinds)):
        chosen = np.array([kind == (risk, origin, language) for kind in kinds])
        shares = "".join(f"{mark[chosen].mean():9.1%}" for mark in (ruled, raised, ruled | raised))
        print(f"{'at risk' if risk else 'not at risk':12}{origin:12}{language:10}{chosen.sum():9}{shares}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shared", type=Path)
    parser.add_argument("--report", action="store_true", help="only cross-validate")
    options = parser.parse_args()
    examples = [*sentences(), *rounds(), *rule_examples(), *labelled(options.shared), *questions(options.shared)]
    examples.extend(mixtures(examples, random.Random(7)))
    x = Features.of([one.text for one in examples])
    scores = held_out(examples, x)
    limit = threshold(examples, scores)
    report(examples, scores, limit)
    if options.report:
        return
    y = np.array([one.risk for one in examples])
    risk = fit(x, y, np.array([one.weight for one in examples]))
    limit = max(limit, float(x.scores(risk)[~y].max()) + MARGIN)
    print(f"threshold of the whole {limit:.2f}")
    about = np.array([one.other is not None for one in examples])
    other = fit(x.only(about), np.array([bool(one.other) for one in examples])[about], np.ones(about.sum()))
    risks, others = (Linear(one[:-1].astype(np.float32), float(one[-1])) for one in (risk, other))
    WEIGHTS.write_bytes(packed(Classifier(risks, others, threshold=limit)))
    print(f"{WEIGHTS}: {WEIGHTS.stat().st_size / 1024:.0f} KB")


if __name__ == "__main__":
    main()
