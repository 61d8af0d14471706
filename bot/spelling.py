"""One spelling for what is written in many ways: degrees, dates, "twice daily", "per kg"."""

from __future__ import annotations

import re

from bot.units import UNIT

_SPACES = re.compile(r"[ \t]+")
_DEGREES = re.compile(
    r"\s?(?:°|\bdegrees?)\s?(?P<scale>[cf])(?:elsius|ahrenheit)?\b|(?<=\d)\s?(?P<letter>(?-i:[CF]))(?![\w-])",
    re.IGNORECASE,
)
_OFTEN = {"once": "1 times", "twice": "2 times", "thrice": "3 times"}
_HOW_OFTEN = re.compile(r"(?<!\bat )\b(?:once|twice|thrice)\b", re.IGNORECASE)
_A_DAY = re.compile(
    r"(?<=times)(?:,?[ ](?:in[ ])?(?:a|an|per|each|every|one)[ ](?=(?:hour|day|week|month|year)\b)"
    r"|,?[ -](?=(?:hourly|daily|weekly|monthly|yearly|annually)\b))",
    re.IGNORECASE,
)
_PER = re.compile(rf"(\d\s?(?:{UNIT}))\s(?:per|for\s(?:each|every|one))\s(?=(?:{UNIT})\b)", re.IGNORECASE)
_MONTH_FIRST = re.compile(
    r"\b(January|February|March|April|May|June|July|August|September|October|November|December)\s(\d{1,2}),?\s(?=\d{4}\b)"
)


def one_spelling(text: str) -> str:
    """With "4 times/day" for "four times daily", "5 mg/kg" for "5 mg per kg", "1 May 2026" for "May 1, 2026"."""
    text = _DEGREES.sub(lambda match: f"°{match['scale'] or match['letter']}", text)
    text = _HOW_OFTEN.sub(lambda match: _OFTEN[match[0].casefold()], _SPACES.sub(" ", text))
    return _MONTH_FIRST.sub(r"\2 \1 ", _PER.sub(r"\1/", _A_DAY.sub("/", text)))
