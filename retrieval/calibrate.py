"""Chooses the thresholds of `retrieval.grade` from the strengths of questions with and without an answer.

A question is declined where its strength lies below the threshold. Strengths lie in [0, 1].
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from retrieval.evaluate import Figure, share

if TYPE_CHECKING:
    from collections.abc import Sequence

CONFIDENT = 0.98
"""The share of the unanswerable that lies below the confident threshold: what is above is answered at once."""
MOST_WRONGLY = 0.5
"""A threshold that declines more of the answerable than this is of no use, however much else it declines."""
_FEWEST = 20
_FOLDS = 10
_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Strengths:
    """The strength of the evidence for each question, by whether the documents answer it."""

    answerable: Sequence[float]
    unanswerable: Sequence[float]


@dataclass(frozen=True, slots=True)
class Choice:
    """Below `evidence` a question is declined, at `confident` and above its evidence is correct, between ambiguous.

    `enough` is False where no threshold declines as many of the unanswerable as was asked and keeps half of the
    answerable; `evidence` is then the one with the most declined rightly over wrongly (Youden's J).
    """

    evidence: float
    confident: float
    enough: bool


@dataclass(frozen=True, slots=True)
class Point:
    """What a threshold does: the shares of the unanswerable and of the answerable questions that it declines."""

    threshold: float
    declined: float
    wrongly: float


def needed(declines: float) -> int:
    """How many questions of each kind it takes to tell such a share from a little more or less."""
    return max(_FEWEST, math.ceil(2 / (1 - declines) - 1e-9))


def choose(of: Strengths, *, declines: float) -> Choice:
    """The lowest evidence threshold that declines at least this share of the unanswerable, so that it declines the
    fewest of the answerable; and the confident one. There must be questions of both kinds.
    """
    evidence = _lowest(of, declines)
    enough = evidence is not None and point(of, evidence).wrongly <= MOST_WRONGLY
    if evidence is None or not enough:
        evidence = max(_between(of), key=lambda t: (point(of, t).declined - point(of, t).wrongly, -t), default=0.5)
    confident = _lowest(of, CONFIDENT)
    return Choice(evidence, max(evidence, 1.0 if confident is None else confident), enough)


def point(of: Strengths, threshold: float) -> Point:
    """What this threshold does."""
    return Point(threshold, _below(of.unanswerable, threshold), _below(of.answerable, threshold))


def curve(of: Strengths) -> list[Point]:
    """What the thresholds from 0 to 1 do, by hundredths."""
    return [point(of, hundredth / 100) for hundredth in range(101)]


def cross_validated(of: Strengths, *, declines: float) -> tuple[Figure | None, Figure | None]:
    """The shares of the unanswerable and of the answerable that are declined by a threshold chosen without them.

    Each question is judged by what the other nine tenths choose; the same questions always fall into the same tenths.
    """
    tenths = [(_tenth(len(of.answerable), fold), _tenth(len(of.unanswerable), fold)) for fold in range(_FOLDS)]
    declined: list[bool] = []
    wrongly: list[bool] = []
    for kept, other in tenths:
        rest = Strengths(_without(of.answerable, kept), _without(of.unanswerable, other))
        if rest.answerable and rest.unanswerable:
            threshold = choose(rest, declines=declines).evidence
            declined += [of.unanswerable[at] < threshold for at in other]
            wrongly += [of.answerable[at] < threshold for at in kept]
    return share(declined), share(wrongly)


def _lowest(of: Strengths, declines: float) -> float | None:
    """Halfway from the last unanswerable question that has to be declined to the next strength there is."""
    last = sorted(of.unanswerable)[math.ceil(declines * len(of.unanswerable) - 1e-9) - 1]
    above = min((one for one in (*of.answerable, *of.unanswerable, 1.0) if one > last), default=None)
    return None if above is None else _halfway(last, above)


def _between(of: Strengths) -> list[float]:
    values = sorted({*of.answerable, *of.unanswerable})
    return [_halfway(low, high) for low, high in pairwise(values)]


def _halfway(low: float, high: float) -> float:
    middle = round((low + high) / 2, _DIGITS)
    return middle if low < middle <= high else high


def _below(strengths: Sequence[float], threshold: float) -> float:
    return sum(one < threshold for one in strengths) / len(strengths)


def _tenth(n: int, fold: int) -> set[int]:
    order = list(range(n))
    random.Random(n).shuffle(order)  # noqa: S311 - it shares out questions, it keeps no secret
    return set(order[fold::_FOLDS])


def _without(strengths: Sequence[float], left_out: set[int]) -> list[float]:
    return [one for at, one in enumerate(strengths) if at not in left_out]
