"""Fit the classifier of the safety gate; write its weights to `bot/data`.

    python scripts/fit_safety.py SHARED            # cross-validate, fit, write
    python scripts/fit_safety.py SHARED --report   # only cross-validate

`scripts/safety_corpus.py` says what it learns from. Deterministic on one machine.
"""

from __future__ import annotations

import argparse
import hashlib
import random
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bot.safety import Clear, SelfHarm, by_rules
from bot.safety_classifier import ENGLISH, Classifier, Linear, Scored, packed
from bot.safety_features import Features
from bot.safety_rules import bundled as rules
from bot.safety_text import PAUSES
from scripts.safety_classes import word_classes
from scripts.safety_corpus import Example, corpus
from scripts.safety_regression import Rows, fit, values_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

DATA = Path(__file__).resolve().parent.parent / "bot" / "data"
WEIGHTS = DATA / "safety_classifier.npz"
FOLDS = 3
STEPS, FEWER_STEPS = 200, 80
"""Of the descent: for who is at risk, and for the two easier questions."""
FREQUENT = 0.05
"""Words in more than this share of the texts keep to themselves."""
RISK_ALARMS = {"ordinary": 0.005, "subject": 0.03, "distress": 0.03, "questions": 0.005}
SUBJECT_ALARMS = {"ordinary": 0.01, "distress": 0.03, "questions": 0.003}
"""The shares of each kind that may reach a threshold while they are held out; the rules' counterexamples, which are
hard on purpose, are not counted."""
UNCOUNTED = ("mixtures", "fragments", "rules")
EVERYDAY = ("ordinary", "labelled", "questions", "rules")
"""The origins of which nothing harmless may reach a threshold once it has been learned from."""
MARGIN, CALMING = 0.1, 5
"""How far below a threshold such messages are brought, and how often each is looked at."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """The examples with all that is computed once."""

    examples: Sequence[Example]
    found: Sequence[Features]
    values: NDArray[np.float32]
    rows: Rows

    def marked(self, *kinds: str) -> NDArray[np.bool_]:
        return np.array([one.kind in kinds for one in self.examples])

    def weights(self, *, positive: NDArray[np.bool_], used: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Both sides as heavy as each other in every language; what is not `used` weighs nothing."""
        weight = np.array([one.weight for one in self.examples]) * used
        language = np.array([one.language for one in self.examples])
        question = np.array([one.origin == "questions" for one in self.examples])
        for name in np.unique(language):
            ours = (language == name) & ~question
            for_it, against = weight[ours & positive].sum(), weight[ours & ~positive].sum()
            if for_it and against:
                weight[ours & positive] *= np.clip(against / for_it, 0.5, 2)
        return weight

    def highest(self, linear: Linear, chosen: NDArray[np.bool_]) -> NDArray[np.float64]:
        """The score of each chosen example's gravest stretch, as the gate would have it."""
        scored = (Scored.of(self.found[number], self.values) for number in np.flatnonzero(chosen).tolist())
        return np.array([one.by(linear).max() if len(one.starts) else -99.0 for one in scored])


def calmed(linear: Linear, corpus: Corpus, chosen: NDArray[np.bool_], below: float) -> Linear:
    """The classifier changed as little as it takes for each chosen example to score below a limit."""
    weights = linear.weights.astype(np.float64)
    for number in np.flatnonzero(chosen).tolist() * CALMING:
        bucket = corpus.found[number].bucket
        value = corpus.values[bucket] / max(float(np.linalg.norm(corpus.values[bucket])), 1e-9)
        if (over := float(value @ weights[bucket]) + linear.bias - below) > 0:
            np.subtract.at(weights, bucket, over * value)
    return Linear(weights.astype(np.float32), linear.bias)


def fold(group: str) -> int:
    return hashlib.sha256(group.encode()).digest()[0] % FOLDS


def held_out(corpus: Corpus, positive: NDArray[np.bool_], used: NDArray[np.bool_], steps: int) -> NDArray[np.float64]:
    """Each example's score by a classifier that has seen neither it nor its group."""
    weight = corpus.weights(positive=positive, used=used)
    folds = np.array([-1 if one.origin == "fragments" else fold(one.group) for one in corpus.examples])
    scores = np.full(len(corpus.examples), -99.0)
    for number in range(FOLDS):
        kept = (folds != number) & (weight > 0)
        linear = fit(corpus.rows.only(kept), positive[kept], weight[kept], steps)
        scores[folds == number] = corpus.highest(linear, folds == number)
    return scores


def threshold(
    examples: Sequence[Example], scores: NDArray[np.float64], alarms: dict[str, float], among: NDArray[np.bool_]
) -> float:
    """The lowest score that keeps every kind's false alarms within its share when all are held out."""
    kinds = np.array(["questions" if one.origin == "questions" else one.kind for one in examples])
    counted = among & np.array([one.origin not in UNCOUNTED for one in examples])
    found = {
        kind: float(np.quantile(scores[counted & (kinds == kind)], 1 - share))
        for kind, share in alarms.items()
        if (counted & (kinds == kind)).any()
    }
    print("thresholds by kind:", ", ".join(f"{kind} {limit:.2f}" for kind, limit in found.items()))
    return max(found.values())


def report(examples: Sequence[Example], risk: NDArray[np.bool_], subject: NDArray[np.bool_]) -> None:
    """By kind, origin and language: the shares that the rules, the classifier held out and either raise, and that is
    not clear."""
    verdicts = [by_rules(one.text) for one in examples]
    ruled = np.array([isinstance(verdict, SelfHarm) for verdict in verdicts])
    both = ruled | risk
    not_clear = np.array([not isinstance(verdict, Clear) for verdict in verdicts]) | both | subject
    print(f"{'':36}{'messages':>9}{'rules':>9}{'classif.':>9}{'either':>9}{'not clear':>11}")
    kinds = [(one.kind, one.origin, "en" if one.language == "en" else "others") for one in examples]
    for kind, origin, language in sorted(set(kinds)):
        if origin == "fragments":
            continue
        chosen = np.array([one == (kind, origin, language) for one in kinds])
        shares = "".join(f"{mark[chosen].mean():9.1%}" for mark in (ruled, risk, both))
        print(f"{kind:12}{origin:14}{language:10}{chosen.sum():9}{shares}{not_clear[chosen].mean():11.1%}")
    english = np.array([one.language == "en" for one in examples])
    counted = english & np.array([one.origin not in UNCOUNTED and one.risk for one in examples])
    print(f"English at risk: classifier {risk[counted].mean():.1%}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shared", type=Path)
    parser.add_argument("--report", action="store_true", help="only cross-validate")
    options = parser.parse_args()
    examples = corpus(options.shared, random.Random(7))
    words = [[word for word in rules().read(one.text) if word not in PAUSES] for one in examples]
    seldom = Counter(
        word for one, said in zip(examples, words, strict=True) if one.language == "en" for word in set(said)
    )
    frequent = [word for word, texts in seldom.items() if texts > FREQUENT * len(words)]
    classes = word_classes(seldom, frequent)
    found = [Features.of(said, classes) for said in words]
    values = values_of(found)
    whole = Corpus(examples, found, values, Rows.of(found, values))

    everything = np.ones(len(examples), np.bool_)
    english = np.array([one.known >= ENGLISH for one in found])
    at_risk, concerned = whole.marked("risk"), whole.marked("risk", "harm", "subject")
    for_risk = ~whole.marked("harm")
    risk_scores = held_out(whole, at_risk, for_risk, STEPS)
    subject_scores = held_out(whole, concerned, everything, FEWER_STEPS)
    limits = [threshold(examples, risk_scores, RISK_ALARMS, among) for among in (english, ~english)]
    limits.append(threshold(examples, subject_scores, SUBJECT_ALARMS, everything))
    risky, concerning = risk_scores >= np.where(english, limits[0], limits[1]), subject_scores >= limits[2]
    report(examples, risky, concerning)
    if options.report:
        return

    risk = fit(whole.rows, at_risk, whole.weights(positive=at_risk, used=for_risk), STEPS)
    subject = fit(whole.rows, concerned, whole.weights(positive=concerned, used=everything), FEWER_STEPS)
    about = np.array([one.other is not None for one in examples])
    others = np.array([bool(one.other) for one in examples])
    other = fit(whole.rows, others, whole.weights(positive=others, used=about), FEWER_STEPS)
    limits = [limit + 0.01 for limit in limits]  # above its share, whatever one byte a weight rounds away
    everyday = ~at_risk & for_risk & np.array([one.origin in EVERYDAY for one in examples])
    for among, limit in ((everyday & english, limits[0]), (everyday & ~english, limits[1])):
        risk = calmed(risk, whole, among, limit - MARGIN)
    harmless = np.array([one.kind == "ordinary" for one in examples])
    subject = calmed(subject, whole, harmless, limits[2] - MARGIN)
    WEIGHTS.write_bytes(packed(Classifier(classes, values, risk, subject, other, *limits)))
    print(f"{WEIGHTS}: {WEIGHTS.stat().st_size / 1024:.0f} KB")


if __name__ == "__main__":
    main()
