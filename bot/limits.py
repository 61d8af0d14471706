"""What makes a figure a limit: "at least", "under", "or more"; and "every", which makes it a rhythm."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

Limit: TypeAlias = Literal["", "<", "≤", ">", "≥", "every"]
"""How a figure bounds what it counts; empty where it states it."""

_LARGER = "more|greater|longer|higher|larger|bigger|heavier|later|taller|warmer|hotter|faster"
_SMALLER = "less|fewer|shorter|lower|smaller|lighter|earlier|sooner|colder|cooler|slower|lesser"
_NOT = r"(?:\b(?:not|never|cannot)|n['\u2019]t)"
_NO_WORD = r"(?:if|who|whose|that|which|when|while|unless|no|not|never)\b"
_ITS_VERB = rf"(?:\s(?!{_NO_WORD}|(?:for|to|in|on|with|of|by|at)\b)\w+)?(?:\s(?:it|this|them))?(?:\s(?!{_NO_WORD})\w+)?"
_DENIED = (
    rf"(?:(?:\b(?:no|nor)|{_NOT}{_ITS_VERB})\s(?:%s)\sthan|(?:\bno|{_NOT}(?:\sbe)?)\s%s\sthan"
    rf"|{_NOT}(?:\s(?:be|go|rise|fall|drop|get))?\s(?:%s))"
)
_NO_MORE = _DENIED % (_LARGER, "older", r"over|above|beyond|(?:\w+\s)?exceed(?:s|ed|ing)?")
_NO_LESS = _DENIED % (_SMALLER, "younger", "under|below")
DENIED = f"(?:{_NO_MORE}|{_NO_LESS})"
"""A "not" that makes a limit of a comparison: "do not take more than", but not "not for babies younger than"."""

_BEFORE: tuple[tuple[Limit, str], ...] = (
    ("≤", _NO_MORE),
    ("≥", _NO_LESS),
    ("≤", r"(?:\bup\sto|\bat\s(?:the\s)?most|\bmax(?:imum|\.)?(?:(?:\s\w+){0,2}?\s(?:of|is))?|≤|<=|=<)"),
    ("≤", r"\bas\s(?:much|many|long|high|large|old)\sas"),
    ("≥", r"(?:\bat\s(?:the\svery\s)?least|\bmin(?:imum|\.)(?:(?:\s\w+){0,2}?\s(?:of|is))?|≥|>=|=>)"),
    ("≥", r"\bas\s(?:little|few|low|early|young)\sas"),
    ("<", rf"(?:\b(?:{_SMALLER}|younger)\sthan|\bunder|\bbelow|<)"),
    (">", rf"(?:\b(?:{_LARGER}|older)\sthan|\bover|\babove|\bbeyond|\bexceed(?:s|ed|ing)?|\bin\sexcess\sof|>)"),
    ("every", r"\b(?:every|each)"),
)  # fmt: skip
_FILLERS = (
    r"(?:\s?(?:about|around|approximately|roughly|nearly|almost|just|only|the|an?|another|additional|estimated|"
    r"ages?|aged|of|total|[$£€~+-]))*\s?\Z"
)
_LIMIT_BEFORE = [(limit, re.compile(words + _FILLERS, re.IGNORECASE)) for limit, words in _BEFORE]
_BEHIND = (
    r"(?:\s(?!or\b|and\b)[a-z]{2,12}){0,3},?\s"
    r"(?:or\s(?:more|greater|longer|larger|later|%s)|and\s(?:%s))(?!\sto\b|\s\d)\b"
)
_OR_MORE = re.compile(r"\+(?!\d)|" + _BEHIND % (("older|over|above|up|higher|upwards?|beyond",) * 2), re.IGNORECASE)
_OR_LESS = re.compile(
    _BEHIND.replace("more|greater|longer|larger|later", "less|fewer|shorter|smaller|earlier")
    % (("younger|under|below|lower|down",) * 2),
    re.IGNORECASE,
)
_WINDOW = 48


def limit_of(text: str, start: int, end: int) -> Limit:
    """What the words beside the figure at `text[start:end]`, its unit included, make of it."""
    before = text[max(0, start - _WINDOW) : start]
    found = [(match.start(), limit) for limit, words in _LIMIT_BEFORE if (match := words.search(before))]
    if found:
        return min(found)[1]
    after = text[end : end + _WINDOW]
    if _OR_MORE.match(after):
        return "≥"
    return "≤" if _OR_LESS.match(after) else ""
