"""Plain numbers where they stand in a text, and how they join: "2 to 4 weeks", "2 or 4 weeks", "1 in 5"."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from bot import number
from bot.limits import Limit, limit_of
from bot.units import unit

if TYPE_CHECKING:
    from collections.abc import Sequence

RANGE = re.compile(r"\s*(?:to|through|[-\u2010-\u2015\u2212])\s*", re.IGNORECASE)
"""What stands between the ends of a range."""

_LIST = re.compile(r"\s*(?:,|and|or)\s*", re.IGNORECASE)
_RATIO = re.compile(r"\s(?:in|out\sof)(?:\s(?:every|each))?\s", re.IGNORECASE)
_BETWEEN = re.compile(r"\bbetween\s*$", re.IGNORECASE)
_AGED = re.compile(r"\b(?:age[sd]?|age\sof)\s*(?:from\s*|between\s*)?$", re.IGNORECASE)
_YEARS = range(1000, 2200)

Joint: TypeAlias = Literal["range", "list", "ratio", "pair"] | None
"""How a number goes with the one behind it."""


@dataclass(frozen=True, slots=True)
class Counted:
    """One number where it stands: `start` and `end` in the text, `between` whether that word stands before it."""

    value: str
    unit: str
    limit: Limit
    one: bool
    between: bool
    start: int
    end: int

    @classmethod
    def read(cls, match: re.Match[str], text: str) -> Counted:
        """The number that a token of `bot.quantities` is."""
        written, scale = match["number"], match["scale"]
        before = text[max(0, match.start() - 20) : match.start()]
        sign = next((sign for sign in "$£€" if sign in written), "")
        return cls(
            value=number.value_of(written, scale, match["rest"], and_half=bool(match["and_half"])),
            unit=sign or unit(match["unit"]) or ("y" if _AGED.search(before) else ""),
            limit=limit_of(text, match.start(), match.end()),
            one=written.casefold() == "one" and not scale,
            between=bool(_BETWEEN.search(before)),
            start=match.start(),
            end=match.end(),
        )

    @property
    def pronoun(self) -> bool:
        """Whether it is "one" of something."""
        return self.one and not self.unit and self.limit in {"", "every"}

    @property
    def year(self) -> bool:
        """Whether it may be a year."""
        return not self.unit and self.value.isdecimal() and int(self.value) in _YEARS

    def joined_to(self, following: Counted, text: str) -> Joint:
        """How "2 to 4 weeks", "2 or 4 weeks" (they share the unit), "1 in 5" and "CA 19-9" join their numbers."""
        gap = text[self.end : following.start]
        if RANGE.fullmatch(gap) or (self.between and gap.strip().casefold() == "and"):
            if number.smaller(self.value, following.value):
                return "range"
            return "list" if " " in gap else "pair"
        if _RATIO.fullmatch(gap) and not self.unit and not following.unit and not following.year:
            return "ratio"
        return "list" if _LIST.fullmatch(gap) else None


def with_units(counted: Sequence[Counted], text: str) -> list[Counted]:
    """Each with the unit of the one behind it that it is joined to; and of the age before it, in a range of ages."""
    numbers: list[Counted] = []
    for one in reversed(counted):
        following = numbers[-1] if numbers else None
        shares = following and not one.unit and one.joined_to(following, text) in {"range", "list"}
        numbers.append(replace(one, unit=following.unit) if following and shares else one)
    found: list[Counted] = []
    for one in numbers[::-1]:
        before = found[-1] if found else None
        aged = before and before.unit == "y" and not one.unit and before.joined_to(one, text) == "range"
        found.append(replace(one, unit="y") if aged else one)
    return found
