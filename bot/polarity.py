"""Whether a statement says yes where its evidence says no, or more where it says less."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bot.limits import DENIED
from bot.opposites import has_opposite, turned
from retrieval.terms import STOP_WORDS, stem, words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_SENTENCE = re.compile(r"[.!?\u2026;:\n\u2022]+[\"'\u201d\u2019)\]]*(?=\s|$)|\n")
_CLAUSE = re.compile(
    r"[.!?\u2026;:\n\u2022]+(?=\s|$)|\n|,\s+|\s+[\u2013\u2014-]\s+|"
    r"\s+(?:and|or)\s+(?=(?:you|it|they|he|she|we|this|do|does|is|are|can|should|may|must|will)\b)|"
    r"\s+(?=(?:but|however|although|though|whereas|while|unless|except|because|if|when|so that)\b)",
    re.IGNORECASE,
)
_NEGATOR = re.compile(
    r"\b(?:not|never|no|none|nobody|nothing|nowhere|neither|nor|without|unless|except|avoid(?:s|ed|ing)?)\b",
    re.IGNORECASE,
)
_CONTRACTED = re.compile(
    r"\b(can)(?:['\u2019]t|not)\b|\b(do|does|did|is|are|was|were|has|have|had|could|wo|would|should|must|need)n['\u2019]?t\b",
    re.IGNORECASE,
)
_LIMIT = re.compile(
    rf"{DENIED}\s(?=(?:\w+\s){{0,2}}?[$£€]?(?:\d|(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|once|twice)\b))",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\bno\.?\s(?=\d)", re.IGNORECASE)
_ALIKE = 0.8
"""Sentences that share more than this part of their telling words say the same or the opposite."""

_LONGER = 1.2
"""A sentence that is longer than this times another says more, and may well deny that."""
_FUNCTION = 0.25
_FUNCTION_WORDS = 0.5
"""Clauses without a telling word in common are of the same thing if they are as alike as this."""


def contradicts(statement: str, evidence: str) -> bool:
    """Whether a clause of the statement is negated or turned round against the evidence's clause that it is most like.

    "Children should come" contradicts "Children should not come", and so does "rarely" for "often". Whole sentences
    that are alike must be negated alike too. A clause that shares no informative word with the evidence says nothing
    here. A line of the evidence is a sentence of its own. English only: in other languages nothing ever contradicts.
    """
    statement, evidence = _written_out(statement), _written_out(evidence)
    if _differ(_parts(_CLAUSE, statement), _parts(_CLAUSE, evidence), least=0.0):
        return True
    whole = _parts(_SENTENCE, evidence)
    return any(
        _differ([one], [other for other in whole if _as_long(one, other)], least=_ALIKE)
        for one in _parts(_SENTENCE, statement)
    )


def _as_long(one: str, other: str) -> bool:
    shorter, longer = sorted((len(one.split()), len(other.split())))
    return longer <= _LONGER * shorter + 1


def negated(text: str) -> bool:
    """Whether the text denies something."""
    return _negations(_written_out(text)) > 0


def _written_out(text: str) -> str:
    """With "not" as a word of its own; "wo not" is no English, and counts as any other."""
    return _CONTRACTED.sub(lambda match: f"{match[1] or match[2]} not", text)


def _differ(statement: Sequence[str], evidence: Sequence[str], *, least: float) -> bool:
    held = [(part, _weights(part)) for part in evidence]
    for part in statement:
        said = _weights(part)
        alike = [_likeness(said, other) for _, other in held]
        most = max(alike, default=0.0)
        if most <= least:
            continue
        nearest = [other for (other, _), likeness in zip(held, alike, strict=True) if likeness == most]
        if all(_opposed(part, other) for other in nearest):
            return True
    return False


def _opposed(part: str, other: str) -> bool:
    return _negations(part) != _negations(other) or turned(part, other)


def _weights(part: str) -> dict[str, float]:
    """The clause's stems; a function word weighs a quarter of a telling one, and tells clauses of such words apart."""
    return {stem(word): _FUNCTION if word in STOP_WORDS or has_opposite(word) else 1.0 for word in words(part)}


def _likeness(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Dice's coefficient by weight; 0 where they share too little to be of the same thing."""
    shared = [weight for word, weight in one.items() if word in other]
    alike = 2 * sum(shared) / (sum(one.values()) + sum(other.values()))
    return alike if 1.0 in shared or alike >= _FUNCTION_WORDS else 0.0


def _parts(pattern: re.Pattern[str], text: str) -> list[str]:
    return [part for part in pattern.split(text) if words(part)]


def _negations(text: str) -> int:
    """How often the text denies; "no more than 5" is a limit and "no. 5" a number."""
    return len(_NEGATOR.findall(_NUMBER.sub("", _LIMIT.sub("", text))))
