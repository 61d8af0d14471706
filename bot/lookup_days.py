"""Days as questions name them: weekdays, "today", "4 December", 2026-12-04."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = "january february march april may june july august september october november december".split()  # noqa: SIM905
_SHORT = {"mon": 0, "tue": 1, "tues": 1, "wed": 2, "weds": 2, "thu": 3, "thur": 3, "thurs": 3, "fri": 4, "sat": 5}
_DAY = {**_SHORT, "sun": 6}
for _at, _name in enumerate(WEEKDAYS):
    _DAY[_name.casefold()] = _DAY[f"{_name.casefold()}s"] = _at
_MONTH = {name[:3]: at for at, name in enumerate(_MONTHS, 1)} | {name: at for at, name in enumerate(_MONTHS, 1)}
_NEAR = {"today": 0, "tonight": 0, "tomorrow": 1}
_ANY = "|".join(sorted(_DAY, key=len, reverse=True))
SPAN = re.compile(rf"\b({_ANY})\s?[-‐–−]\s?({_ANY})\b")
"""Two weekdays with a dash between: all from the one to the other."""
TELLING = re.compile(
    rf"\d[:.]\d\d(?!\d)|\d\s?[ap]\.?m\b|\b(?:{_ANY}|{'|'.join(_MONTHS)})\b|\b\d{{4}}-\d\d-\d\d\b", re.IGNORECASE
)
"""What a text that tells a time or a day has in it."""
NAMES = frozenset({*(name for name in _DAY if len(name) > 5), *_MONTHS, *_NEAR})


def weekday_of(cell: str) -> str | None:
    """A cell's weekday by its whole name, None for anything else."""
    at = _DAY.get(cell.strip().casefold())
    return None if at is None else WEEKDAYS[at]


def weekday(words: Sequence[str], today: date) -> tuple[int, list[str]]:
    """How many of the first words name a weekday, and which; 0 for none."""
    if words and words[0] in _DAY:
        return 1, [WEEKDAYS[_DAY[words[0]]]]
    if words and words[0] in _NEAR:
        return 1, [WEEKDAYS[(today + timedelta(_NEAR[words[0]])).weekday()]]
    return 0, []


def day(words: Sequence[str], today: date) -> tuple[int, list[str]]:
    """How many of the first words name a day, and which days it may be, ISO; two for the weekday that is today."""
    match list(words[:3]):
        case [word, *_] if word in _NEAR:
            return 1, [(today + timedelta(_NEAR[word])).isoformat()]
        case [word, *_] if word in _DAY:
            ahead = (_DAY[word] - today.weekday()) % 7
            return 1, [(today + timedelta(days)).isoformat() for days in ((0, 7) if not ahead else (ahead,))]
        case [year, month, number] if len(year) == 4 and (year + month + number).isdecimal():
            return _made(3, int(year), int(month), int(number))
        case [first, second, *rest] if (parts := _month_and_day(first, second)) is not None:
            if rest and len(rest[0]) == 4 and rest[0].isdecimal():
                return _made(3, int(rest[0]), *parts)
            size, found = _made(2, today.year, *parts)
            if found and found[0] < today.isoformat():  # whether the past one or the next is meant, nobody knows
                found += _made(2, today.year + 1, *parts)[1]
            return size, found
        case _:
            return 0, []


def _month_and_day(first: str, second: str) -> tuple[int, int] | None:
    for name, number in ((first, second), (second, first)):
        digits = number.removesuffix("th").removesuffix("st").removesuffix("nd").removesuffix("rd")
        if name in _MONTH and digits.isdecimal() and len(digits) <= 2:
            return _MONTH[name], int(digits)
    return None


def _made(size: int, year: int, month: int, number: int) -> tuple[int, list[str]]:
    try:
        return size, [date(year, month, number).isoformat()]
    except ValueError:
        return 0, []
