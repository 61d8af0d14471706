"""How good a ranking is, measured on questions with known answers; and how sure such a figure is.

A ranking is a list of document ids, best first, each once. Grades say how well a document answers, from 1; those that
are not graded do not. The formulas are trec_eval's, as BEIR reports them: the gain of a document is its grade.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

_CERTAIN = 1.959964
"""Standard deviations to either side that hold 95 % of a normal distribution."""
_RESAMPLES = 2000
_SEED = 0


def ndcg(ranking: Sequence[str], grades: Mapping[str, int], *, k: int = 10) -> float:
    """Normalised discounted cumulative gain, in [0, 1]: the sum of grade / log2(rank + 1) over the first `k`, by that
    of the best order there is. 0 where nothing is graded.
    """
    best = _discounted(sorted(grades.values(), reverse=True)[:k])
    return _discounted([grades.get(id_, 0) for id_ in ranking[:k]]) / best if best else 0.0


def recall(ranking: Sequence[str], relevant: Collection[str], *, k: int = 20) -> float:
    """The share of the relevant documents that stand among the first `k`."""
    return len(set(relevant).intersection(ranking[:k])) / len(relevant) if relevant else 0.0


def reciprocal_rank(ranking: Sequence[str], relevant: Collection[str]) -> float:
    """One over the rank of the first relevant document; 0 where there is none. Its mean over questions is the MRR."""
    return next((1 / rank for rank, id_ in enumerate(ranking, start=1) if id_ in relevant), 0.0)


def hit(ranking: Sequence[str], relevant: Collection[str], *, k: int = 5) -> float:
    """1 if a relevant document stands among the first `k`, else 0."""
    return float(any(id_ in relevant for id_ in ranking[:k]))


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean over `n` questions, with the 95 % interval in which it would lie for other questions like these."""

    value: float
    low: float
    high: float
    n: int


def share(of: Sequence[bool]) -> Figure | None:
    """The share that is true, with Wilson's interval; None of nothing. Source: Wilson, JASA 1927."""
    n = len(of)
    if not n:
        return None
    p, z2 = sum(of) / n, _CERTAIN**2
    middle = (p + z2 / (2 * n)) / (1 + z2 / n)
    reach = _CERTAIN / (1 + z2 / n) * math.sqrt(p * (1 - p) / n + z2 / (4 * n * n))
    return Figure(p, min(p, max(0.0, middle - reach)), max(p, min(1.0, middle + reach)), n)


def mean(
    values: Sequence[float],
) -> Figure | None:
    """The mean, with a bootstrap interval that is the same for the same values; None of nothing."""
    if not values:
        return None
    drawn = np.random.default_rng(_SEED).integers(0, len(values), (_RESAMPLES, len(values)))
    low, high = np.quantile(np.asarray(values, float)[drawn].mean(axis=1), (0.025, 0.975))
    value = math.fsum(values) / len(values)
    return Figure(value, min(value, float(low)), max(value, float(high)), len(values))


def _discounted(gains: Sequence[int]) -> float:
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))
