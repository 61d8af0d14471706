"""The figures of a statement: amounts with units and limits, ranges, times, dates, codes, how often, by which route."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Literal, TypeAlias

from bot import number
from bot.limits import Limit, limit_of
from bot.units import RATES, UNIT, unit
from retrieval.terms import words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_OFTEN = {"once": "1", "twice": "2", "thrice": "3"}
_MONTHS = "January|February|April|June|July|August|September|October|November|December"
_VERBS_TOO = r"(?:(?<=\d\s)|(?<=[a-z],\s)|(?<=[a-z]\s))(?:March|May)\b|\b(?:March|May)\b(?=\s\d)"
_SHORT_MONTHS = "Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec"
_ROUTES = {
    "oral": r"oral(?:ly)?|by\smouth",
    "intravenous": r"intravenous(?:ly)?|into\sa\svein|(?-i:IV)",
    "intramuscular": r"intramuscular(?:ly)?|into\sa\smuscle",
    "subcutaneous": r"subcutaneous(?:ly)?|under\sthe\sskin",
    "rectal": r"rectal(?:ly)?",
    "topical": r"topical(?:ly)?|on\sthe\sskin",
    "sublingual": r"sublingual(?:ly)?|under\sthe\stongue",
}
_ROUTE = re.compile("|".join(f"(?P<{name}>{words})" for name, words in _ROUTES.items()), re.IGNORECASE)

_TOKEN = re.compile(
    rf"""
      (?P<address>(?<![\w.+-])[\w.+-]++@[\w-]+(?:\.[\w-]+)+)
    | (?P<clock>(?<![\d.,:])\d{{1,2}}(?:[:.]\d{{2}})?\s?(?:am|pm|a\.m\.?|p\.m\.?)(?!\w)
         |(?<![\d.,:])\d{{1,2}}:\d{{2}}(?![\d:])
         |\b(?:noon|midday|midnight)\b)
    | (?P<code>(?<![\w.,-])\d+(?:-\d+){{2,}}(?![\w-])|(?<![\w.-])[A-Za-z]{{1,12}}-?\d+(?:[.-]?[A-Za-z\d]+)*)
    | {number.LABEL}
    | {number.ORDINAL}
    | {number.PART}
    | (?:{number.NUMBER})
      (?:[-\s]?(?P<unit>(?:{UNIT})(?:/(?:\d+\s?(?:{UNIT})\b|[A-Za-zµμ\d.]+))*)(?![^\W\d_]))?
    | {number.HEAP}
    | (?P<often>\b(?:once|twice|thrice)\b)
    | (?P<month>(?-i:\b(?:{_MONTHS})\b|(?:{_VERBS_TOO})
         |\b(?:{_SHORT_MONTHS})\b(?=\.?\s\d)|(?<=\d\s)(?:{_SHORT_MONTHS})\b))
    | (?P<weekday>\b(?:mon|tues|wednes|thurs|fri|satur|sun)day)s?\b
    | (?P<rate>\b(?:daily|hourly|weekly|monthly|yearly|annually)\b
         |\b(?:a|an|per|each|every)\s(?:day|hour|week|month|year)\b)
    | (?P<route>\b(?:{"|".join(_ROUTES.values())})\b)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_RANGE = re.compile(r"\s*(?:to|through|[-\u2010-\u2015\u2212])\s*", re.IGNORECASE)
_LIST = re.compile(r"\s*(?:,|and|or)\s*", re.IGNORECASE)
_RATIO = re.compile(r"\s(?:in|out\sof)(?:\s(?:every|each))?\s", re.IGNORECASE)
_BETWEEN = re.compile(r"\bbetween\s*$", re.IGNORECASE)
_AGED = re.compile(r"\b(?:age[sd]?|age\sof)\s*$", re.IGNORECASE)
_DEGREES = re.compile(
    r"\s?(?:°|\bdegrees?)\s?(?P<scale>[cf])(?:elsius|ahrenheit)?\b|(?<=\d)\s?(?P<letter>(?-i:[CF]))(?![\w-])",
    re.IGNORECASE,
)
_PART_OF = re.compile(rf"[-\s](?:(?:of\s)?an?\s)?({UNIT})(?!\w)", re.IGNORECASE)
_SPACES = re.compile(r"[ \t]+")
_CELL_BEFORE = re.compile(r"(?:\A|[|:\n\u00b7])\s*\Z")
_CELL_AFTER = re.compile(r"\s*(?:\Z|[|\n\u00b7])")
_Joint: TypeAlias = Literal["range", "list", "ratio", "pair"] | None
_SIGNS: dict[_Joint, str] = {"range": "..", "ratio": " in ", "pair": "-"}
_YEARS = range(1000, 2200)


@dataclass(frozen=True, slots=True)
class Quantity:
    """One figure in comparable form: `value` as a plain number or a name ("weekday tuesday"), `unit` empty if none."""

    value: str
    unit: str = ""
    limit: Limit = ""

    def __str__(self) -> str:
        return f"{self.limit}{self.value} {self.unit}".rstrip()


def quantities(text: str) -> frozenset[Quantity]:
    """Every figure of the text. "Two", "2" and "2.0" are equal, "0.5 mg" and "5 mg" are not, "9 pm" is "21:00".

    "At least 5" is another figure than "5", "up to 5" and "more than 5". A range is a figure of its own, and its ends,
    which share the unit, are limits: "two to four weeks" is neither "two weeks" nor "four weeks". "One" counts only
    with a unit, since it is a pronoun more often than a number.
    """
    return _read(text).found


def unborne(statement: str, evidence: str, *, same_language: bool = True) -> tuple[Quantity, ...]:
    """The figures of a statement that its evidence does not hold, in a fixed order; empty where all are borne.

    A figure with a unit needs the same unit, or a bare figure in a table's cell beside that unit's name elsewhere. A
    bare figure is borne by the same figure in years ("children of 5"), and in another language than the evidence's,
    whose units are not known here, by the same figure with any unit. Half is 50%.
    """
    read = _read(evidence)
    held = read.found | {one for quantity in read.found for one in _same(quantity)}
    bare = {(one.limit, one.value) for one in held if one.unit in {"", "y"} or not same_language}
    units = {unit(word) for word in re.findall(r"[A-Za-zµμ°%]+", evidence)} - {""}
    return tuple(
        sorted(
            (
                quantity
                for quantity in quantities(statement)
                if quantity not in held
                and not (not quantity.unit and (quantity.limit, quantity.value) in bare)
                and not (quantity.unit in units and not quantity.limit and quantity.value in read.cells)
            ),
            key=str,
        )
    )


def in_order(text: str) -> list[str | Quantity]:
    """The text's folded words with each figure or range in its place."""
    text = _plain(text)
    matches = list(_TOKEN.finditer(text))
    numbers = iter(_with_units([_Number.read(match, text) for match in matches if match["number"]], text))
    found: list[str | Quantity] = []
    end = 0
    before: _Number | None = None
    for match in matches:
        read = next(numbers) if match["number"] else None
        if before and read and before.joined_to(read, text) in {"range", "pair"}:
            found[-1] = Quantity(f"{before.value}..{read.value}", read.unit, before.limit)
        else:
            found += words(text[end : match.start()])
            found.append(Quantity(read.value, read.unit, read.limit) if read else _named(match, text))
        before, end = read, match.end()
    return found + words(text[end:])


def _plain(text: str) -> str:
    """Degrees in one spelling, and no run of spaces."""
    return _SPACES.sub(" ", _DEGREES.sub(lambda match: f"°{match['scale'] or match['letter']}", text))


def _same(quantity: Quantity) -> Iterator[Quantity]:
    """Other ways to give a share."""
    if not number.is_plain(quantity.value):
        return
    if quantity.unit == "%":
        yield Quantity(number.share_of(quantity.value), "", quantity.limit)
    elif not quantity.unit and quantity.value.startswith("0."):
        yield Quantity(number.percent_of(quantity.value), "%", quantity.limit)


@dataclass(frozen=True, slots=True)
class _Figures:
    """All figures of a text, and the values of those that stand alone in a table's cell."""

    found: frozenset[Quantity]
    cells: frozenset[str]


def _read(text: str) -> _Figures:
    text = _plain(text)
    found: set[Quantity] = set()
    counted: list[_Number] = []
    for match in _TOKEN.finditer(text):
        if match["number"]:
            counted.append(_Number.read(match, text))
        else:
            found.add(_named(match, text))
    found |= _joined(counted, text)
    cells = {
        one.value
        for one in counted
        if not one.unit and _CELL_BEFORE.search(text, 0, one.start) and _CELL_AFTER.match(text, one.end)
    }
    return _Figures(frozenset(found), frozenset(cells))


def _named(match: re.Match[str], text: str) -> Quantity:
    """Any figure that is no plain number."""
    written, kind = match[0].casefold(), match.lastgroup or ""
    if kind in {"part", "heap"}:
        value = number.part_of(written) if kind == "part" else f"many {_last(written).removesuffix('s')}"
        of = _PART_OF.match(text, match.end()) if kind == "part" else None
        return Quantity(value, unit(of[1]) if of else "", limit_of(text, match.start(), match.end()))
    if kind == "often":
        return Quantity(_OFTEN[written], "times")
    return Quantity(f"{kind} {_NAMES.get(kind, str.casefold)(match[kind] if kind in _INNER else match[0])}")


def _route(written: str) -> str:
    match = _ROUTE.fullmatch(written)
    return str(match.lastgroup) if match else written


def _last(text: str) -> str:
    return text.rsplit(maxsplit=1)[-1]


_NAMES: dict[str, Callable[[str], object]] = {
    "clock": lambda written: _minutes(written.casefold()),
    "code": lambda written: written.casefold().replace("-", ""),
    "label": number.label_of,
    "ordinal": number.ordinal_of,
    "month": lambda written: written[:3].casefold(),
    "rate": lambda written: unit(_last(written)),
    "route": _route,
}
_INNER = frozenset({"weekday"})
"""What stands for the figure alone, without the ending around it."""


def _joined(counted: Sequence[_Number], text: str) -> set[Quantity]:
    """The plain numbers, each with the unit and limit that what it is joined to gives it, ranges, ratios and pairs."""
    found: set[Quantity] = set()
    joined_before: _Joint = None
    numbers = _with_units(counted, text)
    for read, following in zip_longest(numbers, numbers[1:]):
        joined = read.joined_to(following, text) if following else None
        if following and joined in _SIGNS:
            value = f"{read.value}{_SIGNS[joined]}{following.value}"
            found.add(Quantity(value, following.unit.split("/")[0], read.limit))
        limited = joined == "range" and read.limit
        if not (read.pronoun or limited or {joined, joined_before} & {"ratio", "pair"}):
            found |= read.quantities("≥" if joined == "range" else "≤" if joined_before == "range" else "")
        joined_before = joined
    return found


def _with_units(counted: Sequence[_Number], text: str) -> list[_Number]:
    numbers: list[_Number] = []
    for number_ in reversed(counted):
        following = numbers[-1] if numbers else None
        shares = following and not number_.unit and number_.joined_to(following, text) in {"range", "list"}
        numbers.append(replace(number_, unit=following.unit) if following and shares else number_)
    return numbers[::-1]


@dataclass(frozen=True, slots=True)
class _Number:
    """One number where it stands: `start` and `end` in the text, `between` whether that word stands before it."""

    value: str
    unit: str
    limit: Limit
    one: bool
    between: bool
    start: int
    end: int

    @classmethod
    def read(cls, match: re.Match[str], text: str) -> _Number:
        written, scale = match["number"], match["scale"]
        before = text[max(0, match.start() - 10) : match.start()]
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
        return self.one and not self.unit and self.limit in {"", "every"}

    @property
    def year(self) -> bool:
        return not self.unit and self.value.isdecimal() and int(self.value) in _YEARS

    def quantities(self, place: Limit) -> set[Quantity]:
        """The amount, and apart from it how often ("mg/kg/day" is mg/kg, each day); `place` is that in a range."""
        limit = self.limit or ("" if self.year else place)
        parts = self.unit.split("/")
        if len(parts) > 1 and parts[-1] in RATES:
            return {Quantity(self.value, "/".join(parts[:-1]), limit), Quantity(f"rate {parts[-1]}")}
        return {Quantity(self.value, self.unit, limit)}

    def joined_to(self, following: _Number, text: str) -> _Joint:
        """How "2 to 4 weeks", "2 or 4 weeks" (they share the unit), "1 in 5" and "CA 19-9" join their numbers."""
        gap = text[self.end : following.start]
        if _RANGE.fullmatch(gap) or (self.between and gap.strip().casefold() == "and"):
            if number.smaller(self.value, following.value):
                return "range"
            return "list" if " " in gap else "pair"
        if _RATIO.fullmatch(gap) and not self.unit and not following.unit and not following.year:
            return "ratio"
        return "list" if _LIST.fullmatch(gap) else None


def _minutes(clock: str) -> int:
    """Minutes after midnight."""
    if clock in {"noon", "midday"}:
        return 12 * 60
    if clock == "midnight":
        return 0
    hours, _, minutes = re.sub(r"[^\d:.]", "", clock).rstrip(".").replace(".", ":").partition(":")
    hour = int(hours)
    if "p" in clock:
        hour = hour % 12 + 12
    elif "a" in clock:
        hour %= 12
    return hour * 60 + int(minutes.strip(":") or 0)
