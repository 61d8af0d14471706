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

import numpy as np

from bot.safety_features import BUCKETS, RUNS, Features, WordClasses
from bot.safety_text import PAUSES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

logger = logging.getLogger(__name__)

STRETCHES = ((60, 30), (240, 120))
"""How many words are judged at once, and after how many the next stretch begins: a message is as grave as its gravest
stretch, and a long post is read as a whole too."""

MOST_READ = 12_000
"""Of a longer message the first and the last words are read, half of this each: more than 40,000 characters of English
have; in scripts that give one word a character the rules alone read the rest."""

ENGLISH = 0.8
"""The share of words with a class from which a message is taken for English."""

FEWEST = 20
"""Runs that a stretch has to have, as four different words do: fewer say too little, and the rules know short ones."""


@dataclass(frozen=True, slots=True)
class Linear:
    """One weight a bucket, and a bias."""

    weights: NDArray[np.float32]
    bias: float


@dataclass(frozen=True, slots=True)
class Scored:
    """A message's stretches as sums over its places, so that every stretch costs the same."""

    found: Features
    value: NDArray[np.float32]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    size: NDArray[np.float64]
    """The length of each stretch's values as a vector."""

    @classmethod
    def of(cls, found: Features, values: NDArray[np.float32]) -> Scored:
        """The stretches of a message that have enough in them."""
        spans = [
            (start, min(start + length, found.words))
            for length, step in STRETCHES
            for start in range(0, max(1, found.words - length + step), step)
        ]
        starts, ends = np.array(sorted(set(spans)), np.int64).T
        runs = _sums(found, (found.bucket < RUNS).astype(np.float64))
        enough = runs[ends] - runs[starts] >= FEWEST
        starts, ends, value = starts[enough], ends[enough], values[found.bucket]
        squares = _sums(found, value * value)
        return cls(found, value, starts, ends, np.sqrt(np.maximum(squares[ends] - squares[starts], 1e-9)))

    def by(self, linear: Linear) -> NDArray[np.float64]:
        """Each stretch's sum of weights over the length of its values, so that length alone weighs nothing."""
        sums = _sums(self.found, self.value * linear.weights[self.found.bucket])
        return (sums[self.ends] - sums[self.starts]) / self.size + linear.bias


def _sums(found: Features, value: NDArray[np.floating]) -> NDArray[np.float64]:
    """What the places before each have together."""
    sums = np.zeros(found.words + 1)
    np.cumsum(np.bincount(found.place, value, found.words), out=sums[1:])
    return sums


@dataclass(frozen=True, slots=True)
class Judged:
    """A message's stretches, whether it is English, and which of them is the gravest with what score."""

    stretches: Scored
    english: bool
    gravest: int
    risk: float


@dataclass(frozen=True, slots=True)
class Classifier:
    """`risk` tells a person at risk from all else, `subject` self-harm in any way from all else, each from its
    threshold up; `other` tells somebody else from the writer. `values` say how much a bucket counts: rare ones more.
    `elsewhere_from` is the threshold of `risk` in other languages than English.
    """

    classes: WordClasses
    values: NDArray[np.float32]
    risk: Linear
    subject: Linear
    other: Linear
    risk_from: float
    elsewhere_from: float
    subject_from: float

    def find(self, words: Sequence[str]) -> str | None:
        """The rule id for the words of a message about a person at risk, or about the subject; None for any other."""
        judged = self.judged(words)
        if judged is None:
            return None
        if judged.risk >= (self.risk_from if judged.english else self.elsewhere_from):
            return "other.classifier" if self.about_another(judged) else "self.classifier"
        return "mention.classifier" if judged.stretches.by(self.subject).max() >= self.subject_from else None

    def judged(self, words: Sequence[str]) -> Judged | None:
        """The scores for the words of a message, None where there are too few to tell."""
        spoken = [word for word in words if word not in PAUSES]
        if not spoken:
            return None
        if len(spoken) > MOST_READ:
            spoken = [*spoken[: MOST_READ // 2], *spoken[-MOST_READ // 2 :]]
        found = Features.of(spoken, self.classes)
        stretches = Scored.of(found, self.values)
        if not len(stretches.starts):
            return None
        risk = stretches.by(self.risk)
        gravest = int(np.argmax(risk))
        return Judged(stretches, found.known >= ENGLISH, gravest, float(risk[gravest]))

    def about_another(self, judged: Judged) -> bool:
        """Whether the gravest stretch of a message speaks of somebody else rather than the writer."""
        return bool(judged.stretches.by(self.other)[judged.gravest] > 0)


_LINEAR = ("risk", "subject", "other")


def packed(classifier: Classifier) -> bytes:
    """A weights file: each weight in one byte, compressed."""
    file = io.BytesIO()
    arrays: dict[str, NDArray[np.generic]] = {}
    numbers = [classifier.risk_from, classifier.elsewhere_from, classifier.subject_from]
    for name in _LINEAR:
        linear: Linear = getattr(classifier, name)
        arrays[name], scale = _bytes(linear.weights)
        numbers.extend((scale, linear.bias))
    values, scale = _bytes(classifier.values)
    hashes, classes = classifier.classes.hashes, classifier.classes.classes
    arrays |= {"values": values, "hashes": hashes, "classes": classes}
    arrays["numbers"] = np.array([*numbers, scale], np.float32)
    np.savez_compressed(file, allow_pickle=False, **arrays)
    return file.getvalue()


def _bytes(weights: NDArray[np.float32]) -> tuple[NDArray[np.int8], float]:
    scale = max(float(np.abs(weights).max()), 1e-9) / 127
    return np.round(weights / scale).astype(np.int8), scale


def unpacked(data: bytes) -> Classifier:
    """The classifier of a weights file. ValueError where it is none."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            risk_from, elsewhere_from, subject_from, *pairs, value_scale = map(float, file["numbers"])
            risk, subject, other = (
                Linear(_weights(file[name], scale), bias)
                for name, scale, bias in zip(_LINEAR, pairs[::2], pairs[1::2], strict=True)
            )
            classes, values = _classes(file["hashes"], file["classes"]), _weights(file["values"], value_scale)
            return Classifier(classes, values, risk, subject, other, risk_from, elsewhere_from, subject_from)
    except Exception as error:  # numpy raises many kinds for a file that is no archive
        raise ValueError(f"not a weights file of the safety classifier ({type(error).__name__})") from error


def _classes(hashes: NDArray[np.uint32], classes: NDArray[np.uint16]) -> WordClasses:
    if hashes.shape != classes.shape:
        raise ValueError(f"{len(hashes)} words with {len(classes)} classes")
    return WordClasses(hashes, classes)


def _weights(weights: NDArray[np.int8], scale: float) -> NDArray[np.float32]:
    if weights.shape != (BUCKETS,):
        raise ValueError(f"expected {BUCKETS} weights, got {weights.shape}")
    return weights.astype(np.float32) * np.float32(scale)


@cache
def bundled() -> Classifier | None:
    """The classifier that ships with the package, read once; None, and a line in the log, where its file is broken."""
    try:
        return unpacked(resources.files("bot").joinpath("data", "safety_classifier.npz").read_bytes())
    except (OSError, ValueError) as error:
        logger.error("the safety gate stands on its rules alone: %s", error)  # noqa: TRY400 - the message says it all
        return None
