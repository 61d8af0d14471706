"""A question without what would tell who asked it, as far as that can be seen from its form."""

from __future__ import annotations

import re

_YEARS = re.compile(r"(?:19|20)\d\d\s*[-–/]\s*(?:19|20)?\d\d")
_LEAST_DIGITS = 7
_HIDDEN = (
    (re.compile(r"[^\s@<>(),;:]+@[^\s@<>(),;:]+\.[^\W\d_]{2,}"), "[e-mail]"),
    (re.compile(r"<[@!#][^<>\s]*>|(?<![\w.])(?:@[\w.-]*\w)+"), "[someone]"),
    (re.compile(r"\b((?i:my name(?: is|'s|’s)))\s+[^\W\d_][\w'’-]*(?:\s+[A-Z][\w'’-]*)*"), r"\1 [name]"),
)
_PLACEHOLDER = re.compile(r"\[(?:e-mail|someone|name|number)\]")
_NUMBER = re.compile(r"(?<!\w)[+(]?\d(?:[\s().\-–/]{0,2}\d)+(?!\w)")


def without_placeholders(text: str) -> str:
    """A redacted text's own words."""
    return _PLACEHOLDER.sub(" ", text)


def redacted(text: str) -> str:
    """The text with e-mail addresses, mentions, long numbers (telephone, record, date of birth) and "my name is" gone.

    A name that stands anywhere else in a question is not known for one, and stays.
    """
    for pattern, instead in _HIDDEN:
        text = pattern.sub(instead, text)
    return _NUMBER.sub(_long_number, text)


def _long_number(match: re.Match[str]) -> str:
    digits = sum(char.isdigit() for char in match[0])
    return match[0] if digits < _LEAST_DIGITS or _YEARS.fullmatch(match[0]) else "[number]"
