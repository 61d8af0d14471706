"""Whether a statement says yes where its evidence says no, or more where it says less."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bot.clauses import ALIKE, clauses, likeness, sentences, weights
from bot.limits import DENIED
from bot.opposites import turned

if TYPE_CHECKING:
    from collections.abc import Sequence

_NEGATOR = re.compile(
    r"\b(?:not|never|no|none|nobody|nothing|nowhere|neither|nor|without|unless|except|avoid(?:s|ed|ing)?|unlikely|myths?|"
    r"lacks?|lacking|lack\sof|fail(?:s|ed|ing)?\sto|(?<!a\s)little(?=\s(?:evidence|effect|benefit|risk|proof|use|point))|"
    r"refus(?:es?|ed|ing)|den(?:y|ies|ied)|hardly(?=\sany))\b",
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
_NO_DENIAL = re.compile(
    r"\b(?:no|without|not|never|beyond)\s(?:a\s|any\s)?"
    r"(?:doubt|question|delay|hesitat\w+|forget|fail|wait|wonder|worr(?:y|ies)|only|just|merely|surpris\w+|mistake)\b"
    r"|\bnothing\sbut\b",
    re.IGNORECASE,
)
"""What has a word of denial in it and says yes, and all the louder."""
_ONLY = re.compile(r"(?:\bnot\s)?\bonly\b")
_NUMBER = re.compile(r"\bno\.?\s(?=\d)", re.IGNORECASE)

_LONGER = 1.2
"""A sentence that is longer than this times another says more, and may well deny that."""


def contradicts(statement: str, evidence: str) -> bool:
    """Whether a clause of the statement is negated or turned round against the evidence's clause that it is most like.

    "Children should come" contradicts "Children should not come", and so does "rarely" for "often". Whole sentences
    that are alike must be negated alike too. A clause that shares no informative word with the evidence says nothing
    here. A line of the evidence is a sentence of its own. English only: in other languages nothing ever contradicts.
    """
    statement, evidence = _written_out(statement), _written_out(evidence)
    if _differ(clauses(statement), clauses(evidence), least=0.0):
        return True
    whole = sentences(evidence)
    return any(
        _differ([one], [other for other in whole if _as_long(one, other)], least=ALIKE) for one in sentences(statement)
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
    held = [(part, weights(part)) for part in evidence]
    for part in statement:
        said = weights(part)
        alike = [likeness(said, other) for _, other in held]
        most = max(alike, default=0.0)
        if most <= least:
            continue
        nearest = [other for (other, _), share in zip(held, alike, strict=True) if share == most]
        if all(_opposed(part, other) for other in nearest):
            return True
    return False


def _opposed(part: str, other: str) -> bool:
    only = [_ONLY.findall(text.lower()) for text in (part, other)]
    return _negations(part) != _negations(other) or turned(part, other) or (all(only) and only[0] != only[1])


def _negations(text: str) -> int:
    """How often the text denies; "no more than 5" is a limit, "no. 5" a number, and "no doubt" is sure."""
    return len(_NEGATOR.findall(_NO_DENIAL.sub("", _NUMBER.sub("", _LIMIT.sub("", text)))))
