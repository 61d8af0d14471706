"""The figures of a statement: amounts with units and limits, ranges, times, dates, codes, how often, by which route."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING

from bot import number
from bot.counted import RANGE, Counted, Joint, with_units
from bot.limits import Limit, limit_of
from bot.spelling import one_spelling
from bot.units import PIECE, RATES, TIMES, UNIT, convert, unit
from retrieval.terms import words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_MONTHS = "January|February|April|June|July|August|September|October|November|December"
_VERBS_TOO = r"(?:(?<=\d\s)|(?<=[a-z],\s)|(?<=[a-z]\s))(?:March|May)\b|\b(?:March|May)\b(?=\s\d)"
_SHORT_MONTHS = "Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec"
_ROUTES = {
    "oral": r"oral(?:ly)?|by\smouth",
    "intravenous": r"intravenous(?:ly)?|into\s(?:an?|the|your)\sveins?|(?-i:IV)",
    "intramuscular": r"intramuscular(?:ly)?|into\s(?:an?|the|your)\smuscles?",
    "subcutaneous": r"subcutaneous(?:ly)?|under\s(?:the|your)\sskin",
    "rectal": r"rectal(?:ly)?",
    "topical": r"topical(?:ly)?|on(?:to)?\s(?:the|your)\sskin",
    "sublingual": r"sublingual(?:ly)?|under\s(?:the|your)\stongue",
    "ocular": r"into\s(?:an?|the|your|each|both|one)\seyes?",
    "aural": r"into\s(?:an?|the|your|each|both|one)\sears?",
    "nasal": r"nasal(?:ly)?|(?:in)?to\s(?:the|your|each)\s(?:nose|nostrils?)",
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
    | (?P<month>(?-i:\b(?:{_MONTHS})\b|(?:{_VERBS_TOO})
         |\b(?:{_SHORT_MONTHS})\b(?=\.?\s\d)|(?<=\d\s)(?:{_SHORT_MONTHS})\b))
    | (?P<weekday>\b(?:mon|tues|wednes|thurs|fri|satur|sun)day)s?\b
    | (?P<rate>\b(?:daily|hourly|weekly|monthly|yearly|annually)\b
         |\b(?:a|an|per|each|every)\s(?:day|hour|week|month|year)\b)
    | (?P<some>\b(?:several|many|few|some|couple\sof)\s(?:{PIECE}|{TIMES})\b)
    | (?P<single>(?<!half\s)(?<!of\s)(?<!per\s)\ban?\s(?:{PIECE})\b)
    | (?P<route>\b(?:{"|".join(_ROUTES.values())})\b)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_PART_OF = re.compile(rf"[-\s](?:(?:of\s)?an?\s)?({UNIT})(?!\w)", re.IGNORECASE)
_TIMES = {word: unit(word) for word in TIMES.split("|")}
_NAMED_TIMES = frozenset({"the", "these", "those", "our", "your", "their", "of", "opening", "visiting", "office"})
_SIGNS: dict[Joint, str] = {"range": "..", "ratio": " in ", "pair": "-"}


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
    return _read(text)


def unborne(statement: str, evidence: str, *, same_language: bool = True) -> tuple[Quantity, ...]:
    """The figures of a statement that its evidence does not hold, in a fixed order; empty where all are borne.

    A figure with a unit needs the same amount in one that it can be converted to exactly (1000 mg is 1 g). A bare
    figure is borne by the same figure in years ("children of 5"), and in another language than the evidence's, whose
    units are not known here, by the same figure with any unit. Half is 50% and 1 in 2. "A tablet" is one of them where
    the evidence counts tablets, and "for days" needs a figure or a word there that is in days too.
    """
    read = _read(evidence)
    held = read | {comparable(one) for one in read}
    bare = {(one.limit, one.value) for one in read if one.unit in {"", "y"} or not same_language}
    named = {unit(word) for word in re.findall(r"[A-Za-zµμ°%]+", evidence)}
    counted = {one.unit for one in read if number.is_plain(one.value)}
    said = _read(statement) | _lengths(statement)

    def borne(one: Quantity) -> bool:
        if one in held or comparable(one) in held:
            return True
        if one.value == "some" and one.unit in _TIMES.values():
            return one.unit in named
        if one.value == "single":
            return one.unit not in counted or Quantity("1", one.unit) in held
        return not one.unit and (one.limit, one.value) in bare

    return tuple(sorted((one for one in said if not borne(one)), key=str))


def _lengths(text: str) -> set[Quantity]:
    """Times without a number: "for days", but not "the opening hours"."""
    found = pairwise(["", *in_order(text)])
    return {Quantity("some", _TIMES[word]) for before, word in found if word in _TIMES and before not in _NAMED_TIMES}


def in_order(text: str) -> list[str | Quantity]:
    """The text's folded words with each figure or range in its place."""
    text = one_spelling(text)
    matches = list(_TOKEN.finditer(text))
    numbers = iter(with_units([Counted.read(match, text) for match in matches if match["number"]], text))
    found: list[str | Quantity] = []
    end = 0
    before: Counted | None = None
    for match in matches:
        read = next(numbers) if match["number"] else None
        if before and read and before.joined_to(read, text) in {"range", "pair"}:
            found[-1] = Quantity(f"{before.value}..{read.value}", _apart(read.unit)[0], before.limit)
        else:
            found += words(text[end : match.start()])
            found.append(Quantity(read.value, _apart(read.unit)[0], read.limit) if read else _named(match, text))
        before, end = read, match.end()
    return found + words(text[end:])


def comparable(quantity: Quantity) -> Quantity:
    """The same in the smallest unit of its kind, a share as a part of one, "once a day" as "daily"."""
    first, ratio, second = quantity.value.partition(_SIGNS["ratio"])
    if ratio and number.is_plain(first) and number.is_plain(second) and float(second):
        return Quantity(number.ratio_of(first, second), "share", quantity.limit)
    if not number.is_plain(quantity.value):
        return quantity
    if quantity.value == "1" and quantity.unit.startswith("times/"):
        return Quantity(f"rate {quantity.unit.removeprefix('times/')}", "", quantity.limit)
    if quantity.unit == "%":
        return Quantity(number.share_of(quantity.value), "share", quantity.limit)
    if not quantity.unit and quantity.value.startswith("0."):
        return Quantity(quantity.value, "share", quantity.limit)
    return Quantity(*convert(quantity.value, quantity.unit), quantity.limit)


def _read(text: str) -> frozenset[Quantity]:
    text = one_spelling(text)
    matches = list(_TOKEN.finditer(text))
    named = {_named(match, text) for match in matches if not match["number"]}
    counted = [Counted.read(match, text) for match in matches if match["number"]]
    return frozenset(named | _joined(counted, text) | _days(matches, text))


def _days(matches: Sequence[re.Match[str]], text: str) -> set[Quantity]:
    """Ranges of weekdays or months: "Monday to Friday" is not "Monday and Friday"."""
    return {
        Quantity(f"{_named(one, text).value}..{_named(other, text).value}")
        for one, other in pairwise(matches)
        if one.lastgroup == other.lastgroup
        and one.lastgroup in {"weekday", "month"}
        and RANGE.fullmatch(text, one.end(), other.start())
    }


def _named(match: re.Match[str], text: str) -> Quantity:
    """Any figure that is no plain number."""
    written, kind = match[0].casefold(), match.lastgroup or ""
    if kind in {"part", "heap"}:
        value = number.part_of(written) if kind == "part" else f"many {_last(written).removesuffix('s')}"
        of = _PART_OF.match(text, match.end()) if kind == "part" else None
        return Quantity(value, unit(of[1]) if of else "", limit_of(text, match.start(), match.end()))
    if kind in {"some", "single"}:
        return Quantity(kind, unit(_last(written)))
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


def _joined(counted: Sequence[Counted], text: str) -> set[Quantity]:
    """The plain numbers, each with the unit and limit that what it is joined to gives it, ranges, ratios and pairs."""
    found: set[Quantity] = set()
    joined_before: Joint = None
    numbers = with_units(counted, text)
    for read, following in zip_longest(numbers, numbers[1:]):
        joined = read.joined_to(following, text) if following else None
        if following and joined in _SIGNS:
            value = f"{read.value}{_SIGNS[joined]}{following.value}"
            found |= _with_rate(value, following.unit, read.limit)
        limited = joined == "range" and read.limit
        if not (read.pronoun or limited or {joined, joined_before} & {"ratio", "pair"}):
            place: Limit = "≥" if joined == "range" else "≤" if joined_before == "range" else ""
            found |= _with_rate(read.value, read.unit, read.limit or ("" if read.year else place))
        joined_before = joined
    return found


def _with_rate(value: str, unit_: str, limit: Limit) -> set[Quantity]:
    """The amount, and apart from it how often ("mg/kg/day" is mg/kg, each day); "4 times a day" is one figure."""
    of, rate = _apart(unit_)
    return {Quantity(value, of, limit), *([Quantity(f"rate {rate}")] if rate else [])}


def _apart(unit_: str) -> tuple[str, str]:
    """The unit, and apart from it how often; "4 times a day" is one figure."""
    *parts, last = unit_.split("/")
    return ("/".join(parts), last) if parts and last in RATES and parts != ["times"] else (unit_, "")


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
