"""Whether what was found can carry an answer, judged from what the search itself knows; no model reads anything.

A question about something the documents never name must be declined, however near the best passage looks. So a small
logistic model weighs how well a passage covers the question's telling words, how many of them stand nowhere at all,
and how alike the two are in meaning. `scripts/fit_grade.py` fits its weights, which stand in `data/grade.json`.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from retrieval.evidence import Grade
from retrieval.rarity import rarity, share
from retrieval.terms import stem, terms, words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retrieval.evidence import Hit

FITTED = Path(__file__).with_name("data") / "grade.json"
JUDGED = 5
"""The first hits, of which the strongest stands for all: the right passage is seldom behind them."""


@dataclass(frozen=True, slots=True)
class Signals:
    """What is known of one question and one passage. A term weighs 1 if it stands nowhere, less the more common it is.

    coverage   share of the question's weight that stands in the passage, its context or its document's title
    topic      share of the title's weight that the question names
    asked      weight of the question, at most 3: of a long letter, no passage covers as much as of a short question
    unknown    share of the question's weight that stands in no passage at all
    size       decimal logarithm of the number of passages: in many, some passage covers anything by chance
    cosine     likeness in meaning; None where vectors did not take part
    """

    coverage: float
    topic: float
    asked: float
    unknown: float
    size: float
    cosine: float | None = None


@dataclass(frozen=True, slots=True)
class Model:
    """A logistic model over some of the signals, by name."""

    bias: float
    weights: Mapping[str, float]

    def strength(self, signals: Signals) -> float:
        """In [0, 1]. The scale is set so that 0.5 and 0.8 are the thresholds that were fitted."""
        values = asdict(signals)
        z = self.bias + sum(weight * values[name] for name, weight in self.weights.items())
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, z))))


@dataclass(frozen=True, slots=True)
class Verdict:
    """The grade of all hits, and the strength of the best in [0, 1]."""

    grade: Grade
    best: float


class Grader:
    """Grades by the strongest of the first hits: below `evidence` incorrect, below `confident` ambiguous, else
    correct.

    A hit with a cosine is judged by `with_vectors`, any other by `by_words`; strengths mean the same in both.
    """

    def __init__(self, by_words: Model, with_vectors: Model, *, evidence: float = 0.5, confident: float = 0.8) -> None:
        if not 0 <= evidence <= 1:
            msg = f"The evidence threshold lies between 0 and 1, not at {evidence}."
            raise ValueError(msg)
        self._by_words = by_words
        self._with_vectors = with_vectors
        self.evidence = evidence
        self.confident = max(evidence, confident)

    @classmethod
    def fitted(cls, *, evidence: float | None = None, confident: float | None = None) -> Self:
        """The grader with the weights that come with the product.

        A threshold that is given takes the place of the fitted one. ValueError if `confident` is the lower of the two.
        """
        data = json.loads(FITTED.read_text(encoding="utf-8"))
        evidence = data["low"] if evidence is None else evidence
        if confident is not None and confident < evidence:
            msg = f"The confident threshold ({confident}) lies below the evidence threshold ({evidence})."
            raise ValueError(msg)
        confident = data["high"] if confident is None else confident
        by_words, with_vectors = _model(data["by_words"]), _model(data["with_vectors"])
        return cls(by_words, with_vectors, evidence=evidence, confident=confident)

    def move_to(self, *, evidence: float, confident: float) -> None:
        """Take other thresholds from now on, those of a grader that has been made with them."""
        self.evidence, self.confident = evidence, confident

    @property
    def name(self) -> str:
        """The backend, as traces name it."""
        return "fitted"

    def judge(self, question: str, hits: Sequence[Hit], total: int, frequencies: Mapping[str, int]) -> Verdict:
        """The verdict on hits in their order. `frequencies` has every one of `judged_terms`, of `total` passages."""
        best = max((self.strength(signals(question, hit, total, frequencies)) for hit in hits[:JUDGED]), default=0.0)
        return Verdict(self.grade(best) if hits else Grade.INCORRECT, best)

    def strength(self, signals: Signals) -> float:
        """How well one passage can carry an answer, in [0, 1]."""
        return (self._by_words if signals.cosine is None else self._with_vectors).strength(signals)

    def grade(self, strength: float) -> Grade:
        """What a strength amounts to."""
        if strength < self.evidence:
            return Grade.INCORRECT
        return Grade.AMBIGUOUS if strength < self.confident else Grade.CORRECT


def judged_terms(question: str, hits: Sequence[Hit]) -> set[str]:
    """The terms whose frequencies `Grader.judge` needs: the question's, and those of the judged hits' titles."""
    return set(terms(question)).union(*(terms(hit.document.title) for hit in hits[:JUDGED]))


def signals(question: str, hit: Hit, total: int, frequencies: Mapping[str, int]) -> Signals:
    """What is known of the question and this hit, from the words of both and from how common those are."""
    asked = {term: rarity(frequencies[term], total) for term in terms(question)}
    titled = {term: rarity(frequencies[term], total) for term in terms(hit.document.title)}
    texts = hit.document.title, hit.passage.about, hit.passage.text
    passage = {stem(word) for text in texts for word in words(text)}
    whole = sum(asked.values())
    covered = sum(weight for term, weight in asked.items() if term in passage)
    return Signals(
        coverage=share(covered, whole),
        topic=share(sum(weight for term, weight in titled.items() if term in asked), sum(titled.values())),
        asked=min(3.0, whole),
        unknown=share(sum(weight for term, weight in asked.items() if not frequencies[term]), whole),
        size=math.log10(total + 10),
        cosine=hit.cosine,
    )


def _model(data: Mapping[str, Any]) -> Model:
    return Model(float(data["bias"]), {name: float(weight) for name, weight in data["weights"].items()})
