"""What the classifier of the safety gate sees of a message: its words, their classes and their letters, as buckets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

RUNS, LETTERS = 3 << 15, 1 << 15
BUCKETS = RUNS + LETTERS
"""The buckets of runs of words and classes come first, those of letters after them."""

APART = 60
"""A feature counts again only so many words further on: said a thousand times, a word weighs no more."""

_LETTER_RUNS = (4, 5)
_PRIME = np.uint64(1099511628211)
_MIX = np.uint64(0xBF58476D1CE4E5B9)
_CLASS = np.uint64(0x9E3779B97F4A7C15)
_PLACE_BITS = np.int64(32)


@dataclass(frozen=True, slots=True)
class WordClasses:
    """English words of like meaning by one number: `hashes`, sorted, and the class of each. Other words stand alone."""

    hashes: NDArray[np.uint32]
    classes: NDArray[np.uint16]

    def of(self, hashed: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """For each word's hash its class, made unlike any word's hash, or the hash itself."""
        if not len(self.hashes):
            return hashed
        at = np.minimum(np.searchsorted(self.hashes, hashed), len(self.hashes) - 1)
        return np.where(self.hashes[at] == hashed, (self.classes[at] + np.uint64(1)) * _CLASS, hashed)


@dataclass(frozen=True, slots=True)
class Features:
    """The buckets found in a message, each with the place of its first word."""

    bucket: NDArray[np.int64]
    place: NDArray[np.int64]
    words: int
    known: float = 0.0
    """The share of the words that have a class: nearly all of an English message."""

    @classmethod
    def of(cls, words: Sequence[str], classes: WordClasses) -> Features:
        """Single words and pairs, classes singly and in runs up to three, pairs with a gap, and runs of letters."""
        known = {word: crc32(word.encode("utf-8", "replace")) for word in set(words)}
        hashed = np.fromiter(map(known.__getitem__, words), np.uint64, len(words))
        classed = classes.of(hashed)
        kinds = [*_runs(hashed, 2), *_runs(classed, 3)]
        runs = np.concatenate([one + np.uint64(kind) for kind, one in enumerate(kinds)])
        longer = [number for number, word in enumerate(words) if len(word) > 1]
        letters = [_letters(words[number]) for number in longer]
        every = np.arange(len(words))
        places = [
            *(every[: len(one)] for one in kinds),
            np.repeat(np.array(longer, np.int64), [len(one) for one in letters]),
        ]
        bucket, place = _apart(np.concatenate([_bucket(runs * _MIX, RUNS), *letters]), np.concatenate(places))
        return cls(bucket, place, len(words), np.count_nonzero(classed != hashed) / len(words))


def _runs(hashed: NDArray[np.uint64], longest: int) -> list[NDArray[np.uint64]]:
    runs, run = [hashed], hashed
    for length in range(2, longest + 1):
        run = run[:-1] * _PRIME + hashed[length - 1 :]
        runs.append(run)
    return [*runs, hashed[:-2] * _PRIME * _PRIME + hashed[2:]]


def _bucket(mixed: NDArray[np.uint64], size: int) -> NDArray[np.int64]:
    return ((mixed ^ (mixed >> np.uint64(31))) % np.uint64(size)).astype(np.int64)


@lru_cache(maxsize=5_000)
def _letters(word: str) -> NDArray[np.int64]:
    """The buckets of a word's runs of letters."""
    edged = f"^{word}$"
    runs = {edged[at : at + length] for length in _LETTER_RUNS for at in range(len(edged) - length + 1)}
    hashed = np.array(sorted(crc32(run.encode("utf-8", "replace")) for run in runs), np.uint64)
    return _bucket(hashed * _MIX, LETTERS) + RUNS


def _apart(bucket: NDArray[np.int64], place: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Without what stands less than `APART` words behind the same."""
    both = np.sort((bucket << _PLACE_BITS) | place)
    bucket, place = both >> _PLACE_BITS, both & ((np.int64(1) << _PLACE_BITS) - 1)
    kept = np.ones(len(both), np.bool_)
    kept[1:] = (bucket[1:] != bucket[:-1]) | (place[1:] - place[:-1] >= APART)
    return bucket[kept], place[kept]
