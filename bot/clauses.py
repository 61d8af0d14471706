"""The sentences and clauses of a text, and how much two of them are of the same thing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bot.opposites import has_opposite
from retrieval.terms import STOP_WORDS, stem, words

if TYPE_CHECKING:
    from collections.abc import Mapping

_SENTENCE = re.compile(r"[.!?\u2026;:\n\u2022]+[\"'\u201d\u2019)\]]*(?=\s|$)|\n")
_CLAUSE = re.compile(
    r"[.!?\u2026;:\n\u2022]+(?=\s|$)|\n|,\s+|\s+[\u2013\u2014-]\s+|"
    r"\s+(?:and|or)\s+(?=(?:you|it|they|he|she|we|this|do|does|is|are|can|should|may|must|will)\b)|"
    r"\s+(?=(?:but|however|although|though|whereas|while|unless|except|because|if|when|so that)\b)",
    re.IGNORECASE,
)
ALIKE = 0.8
"""What shares more than this part of its telling words says the same or the opposite."""
_FUNCTION = 0.25
_FUNCTION_WORDS = 0.5
"""Clauses without a telling word in common are of the same thing if they are as alike as this."""


def sentences(text: str) -> list[str]:
    """Each with a word in it; a line is one of its own."""
    return _parts(_SENTENCE, text)


def clauses(text: str) -> list[str]:
    """The parts of its sentences, as commas and conjunctions set them apart."""
    return _parts(_CLAUSE, text)


def weights(part: str) -> dict[str, float]:
    """The clause's stems; a function word weighs a quarter of a telling one, and tells clauses of such words apart."""
    return {stem(word): _FUNCTION if word in STOP_WORDS or has_opposite(word) else 1.0 for word in words(part)}


def likeness(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Dice's coefficient by weight; 0 where they share too little to be of the same thing."""
    shared = [weight for word, weight in one.items() if word in other]
    alike = 2 * sum(shared) / (sum(one.values()) + sum(other.values()))
    return alike if 1.0 in shared or alike >= _FUNCTION_WORDS else 0.0


def _parts(pattern: re.Pattern[str], text: str) -> list[str]:
    return [part for part in pattern.split(text) if words(part)]
