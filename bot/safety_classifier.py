"""The second layer of the safety gate: a linear classifier over a message's words, fitted by `scripts/fit_safety.py`.

It reads the words that the rules read, so that disguise and spelling are undone already. It only adds: what the rules
found stands. docs/safety-card.md says what it learned from and how well it does.
"""

from __future__ import annotations

import io
import logging
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from bot.safety_text import END

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

logger = logging.getLogger(__name__)

BUCKETS = 1 << 16
WINDOW = 60
"""Words judged at once: a longer message is as grave as its gravest stretch."""

FEWEST = 12
"""Runs that a stretch has to have, as four different words do: fewer say too little, and the rules know short ones."""

_LONGEST_RUN = 3
_GAPS = (2, 3)
_PRIME = np.uint64(1099511628211)
_MIX = np.uint64(0xBF58476D1CE4E5B9)


@dataclass(frozen=True, slots=True)
class Linear:
    """One weight a bucket, and a bias."""

    weights: NDArray[np.float32]
    bias: float

    def score(self, found: NDArray[np.int64]) -> float:
        """The sum of the weights found over the root of their number, so that length alone weighs nothing."""
        return float(self.weights[found].sum() / np.sqrt(max(1, len(found)))) + self.bias


@dataclass(frozen=True, slots=True)
class Classifier:
    """`risk` tells a person at risk from all else, from `threshold` up; `other` somebody else from the writer."""

    risk: Linear
    other: Linear
    threshold: float

    def find(self, words: Sequence[str]) -> str | None:
        """The rule id for the words of a message about a person at risk; None for any other message."""
        spoken = [word for word in words if word != END]
        by_place = _by_place(spoken)
        starts = range(0, max(1, len(spoken) - WINDOW // 2), WINDOW // 2)
        stretches = [_each_once(kind[start : start + WINDOW] for kind in by_place) for start in starts]
        scores = [self.risk.score(found) if len(found) >= FEWEST else -np.inf for found in stretches]
        gravest = int(np.argmax(scores))
        if scores[gravest] < self.threshold:
            return None
        about = self.other.score(buckets(spoken[starts[gravest] : starts[gravest] + WINDOW]))
        return "other.classifier" if about > 0 else "self.classifier"


def buckets(words: Sequence[str]) -> NDArray[np.int64]:
    """The buckets of all runs of one, two and three words, and of pairs with one or two words between them, each once:
    said a thousand times, a word weighs no more.
    """
    return _each_once(_by_place(words))


def _each_once(kinds: Iterable[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.unique(np.concatenate(list(kinds)))


def _by_place(words: Sequence[str]) -> list[NDArray[np.int64]]:
    """The buckets kind by kind, each array by the place of its first word."""
    known = {word: crc32(word.encode("utf-8", "replace")) for word in set(words)}
    single = np.array([known[word] for word in words], np.uint64)
    hashes, run = [single], single
    for length in range(2, _LONGEST_RUN + 1):
        run = run[:-1] * _PRIME + single[length - 1 :]
        hashes.append(run)
    hashes.extend(single[:-gap] * _PRIME * _PRIME + single[gap:] for gap in _GAPS)
    return [_bucket((one + np.uint64(kind)) * _MIX) for kind, one in enumerate(hashes)]


def _bucket(mixed: NDArray[np.uint64]) -> NDArray[np.int64]:
    return ((mixed ^ (mixed >> np.uint64(31))) % np.uint64(BUCKETS)).astype(np.int64)


def packed(classifier: Classifier) -> bytes:
    """A weights file: each weight in one byte, compressed."""
    file = io.BytesIO()
    (risk, risk_scale), (other, other_scale) = (_bytes(one) for one in (classifier.risk, classifier.other))
    numbers = [classifier.threshold, risk_scale, classifier.risk.bias, other_scale, classifier.other.bias]
    np.savez_compressed(file, risk=risk, other=other, numbers=np.array(numbers, np.float32))
    return file.getvalue()


def _bytes(linear: Linear) -> tuple[NDArray[np.int8], float]:
    scale = max(float(np.abs(linear.weights).max()), 1e-9) / 127
    return np.round(linear.weights / scale).astype(np.int8), scale


def unpacked(data: bytes) -> Classifier:
    """The classifier of a weights file. ValueError where it is none."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            threshold, risk_scale, risk_bias, other_scale, other_bias = map(float, file["numbers"])
            risk = _linear(file["risk"], risk_scale, risk_bias)
            return Classifier(risk, _linear(file["other"], other_scale, other_bias), threshold)
    except Exception as error:  # numpy raises many kinds for a file that is no archive
        raise ValueError(f"not a weights file of the safety classifier ({type(error).__name__})") from error


def _linear(weights: NDArray[np.int8], scale: float, bias: float) -> Linear:
    if weights.shape != (BUCKETS,):
        raise ValueError(f"expected {BUCKETS} weights, got {weights.shape}")
    return Linear(weights.astype(np.float32) * np.float32(scale), bias)


@cache
def bundled() -> Classifier | None:
    """The classifier that ships with the package, read once; None, and a line in the log, where its file is broken."""
    try:
        return unpacked(resources.files("bot").joinpath("data", "safety_classifier.npz").read_bytes())
    except (OSError, ValueError) as error:
        logger.error("the safety gate stands on its rules alone: %s", error)  # noqa: TRY400 - the message says it all
        return None
