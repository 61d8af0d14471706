"""Logistic regression: over hashed features, for `scripts/fit_safety.py`, and over vectors, for `fit_meaning.py`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bot.safety_classifier import Linear
from bot.safety_features import BUCKETS, RUNS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bot.safety_features import Features

RIDGE = 2e-6
LETTER_WEIGHT = 0.5
DENSE_RIDGE, DENSE_STEPS = 1e-5, 25


@dataclass(frozen=True, slots=True)
class Rows:
    """Sparse rows of length 1: bucket, value and row of every entry."""

    bucket: NDArray[np.int64]
    value: NDArray[np.float64]
    row: NDArray[np.int64]
    rows: int

    @classmethod
    def of(cls, found: Sequence[Features], values: NDArray[np.float32]) -> Rows:
        row = np.repeat(np.arange(len(found)), [len(one.bucket) for one in found])
        bucket = np.concatenate([one.bucket for one in found])
        value = values[bucket].astype(np.float64)
        length = np.sqrt(np.bincount(row, value * value, len(found)))
        return cls(bucket, value / np.maximum(length, 1e-9)[row], row, len(found))

    def only(self, rows: NDArray[np.bool_]) -> Rows:
        kept = rows[self.row]
        renumbered = np.cumsum(rows) - 1
        return Rows(self.bucket[kept], self.value[kept], renumbered[self.row[kept]], int(rows.sum()))

    def scores(self, solution: NDArray[np.float64]) -> NDArray[np.float64]:
        summed = np.bincount(self.row, self.value * solution[self.bucket], self.rows).astype(np.float64)
        return summed + float(solution[-1])

    def gathered(self, slope: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.append(np.bincount(self.bucket, self.value * slope[self.row], BUCKETS), slope.sum())


def values_of(found: Sequence[Features]) -> NDArray[np.float32]:
    """How much each bucket counts: the rarer the more, letters half as much as words."""
    texts = np.zeros(BUCKETS)
    for one in found:
        texts[np.unique(one.bucket)] += 1
    values = np.sqrt(np.log((1 + len(found)) / (1 + texts)))
    values[RUNS:] *= LETTER_WEIGHT
    return values.astype(np.float32)


def fit(x: Rows, y: NDArray[np.bool_], weight: NDArray[np.float64], steps: int) -> Linear:
    """Logistic regression with a ridge, by Nesterov's accelerated gradient."""
    weight = weight / weight.sum()
    ridge = np.append(np.full(BUCKETS, RIDGE), 0)
    step = 1 / (0.25 * _steepest(x, weight) + RIDGE)
    solution = ahead = np.zeros(BUCKETS + 1)
    for number in range(steps):
        p = 1 / (1 + np.exp(-np.clip(x.scores(ahead), -30, 30)))
        gradient = x.gathered(weight * (p - y)) + ridge * ahead
        earlier, solution = solution, ahead - gradient * step
        ahead = solution + number / (number + 3) * (solution - earlier)
    return Linear(solution[:-1].astype(np.float32), float(solution[-1]))


def _steepest(x: Rows, weight: NDArray[np.float64]) -> float:
    """The largest curvature there is, and a little more, so that the descent settles."""
    along, length = np.ones(BUCKETS + 1), 1.0
    for _ in range(15):
        along = x.gathered(weight * x.scores(along / np.linalg.norm(along)))
        length = float(np.linalg.norm(along))
    return length * 1.2


def fit_dense(
    x: NDArray[np.float32], y: NDArray[np.bool_], weight: NDArray[np.float64]
) -> tuple[NDArray[np.float32], float]:
    """Logistic regression with a ridge, by Newton's method: the weights and the bias."""
    weight = weight / weight.sum()
    rows = np.hstack([x.astype(np.float64), np.ones((len(x), 1))])
    ridge = np.append(np.full(x.shape[1], DENSE_RIDGE), 1e-9)
    solution = np.zeros(rows.shape[1])
    for _ in range(DENSE_STEPS):
        p = 1 / (1 + np.exp(-np.clip(rows @ solution, -30, 30)))
        gradient = rows.T @ (weight * (p - y)) + ridge * solution
        curvature = (rows * (weight * p * (1 - p))[:, None]).T @ rows + np.diag(ridge)
        solution -= np.linalg.solve(curvature, gradient)
    return solution[:-1].astype(np.float32), float(solution[-1])
