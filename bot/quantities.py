"""The figures of a statement: amounts with units, ranges, percentages, times, dates, codes, how often."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal

_UNITS: dict[str, str] = {
    name: canonical
    for canonical, names in {
        "mg": "mg milligram milligrams",
        "mcg": "mcg µg μg ug microgram micrograms",
        "ng": "ng nanogram nanograms",
        "g": "g gram grams gramme grammes",
        "kg": "kg kilo kilos kilogram kilograms",
        "lb": "lb lbs pound pounds",
        "oz": "oz ounce ounces",
        "ml": "ml millilitre millilitres milliliter milliliters cc",
        "dl": "dl decilitre decilitres deciliter deciliters",
        "l": "l litre litres liter liters",
        "mm": "mm millimetre millimetres millimeter millimeters",
        "cm": "cm centimetre centimetres centimeter centimeters",
        "m": "m metre metres meter meters",
        "km": "km kilometre kilometres kilometer kilometers",
        "mile": "mile miles",
        "inch": "inch inches",
        "foot": "foot feet ft",
        "%": "% percent pct",
        "s": "s sec secs second seconds",
        "min": "min mins minute minutes",
        "h": "h hr hrs hour hours hourly",
        "d": "d day days daily",
        "wk": "wk wks week weeks weekly",
        "mo": "month months monthly",
        "y": "y yr yrs year years yearly annually",
        "decade": "decade decades",
        "°c": "°c celsius",
        "°f": "°f fahrenheit",
        "degree": "° degree degrees",
        "mmhg": "mmhg",
        "mmol": "mmol millimole millimoles",
        "mol": "mol mole moles",
        "meq": "meq milliequivalents",
        "iu": "iu unit units",
        "kcal": "kcal calorie calories",
        "kj": "kj",
        "mme": "mme",
        "dose": "dose doses",
        "tablet": "tablet tablets pill pills",
        "capsule": "capsule capsules",
        "drop": "drop drops",
        "puff": "puff puffs",
        "teaspoon": "teaspoon teaspoons tsp",
        "tablespoon": "tablespoon tablespoons tbsp",
        "times": "time times",
        "$": "$ dollar dollars",
        "£": "£",
        "€": "€ euro euros",
    }.items()
    for name in names.split()
} | {"per cent": "%"}
_SMALL_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS_WORDS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SMALL = {word: value for value, word in enumerate(_SMALL_WORDS.split())}
_TENS = {word: 10 * value for value, word in enumerate(_TENS_WORDS.split(), start=2)}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_OFTEN = {"once": "1", "twice": "2", "thrice": "3"}
_RATES = {"h", "d", "wk", "mo", "y"}

_DIGITS = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?|\.\d+"
_WORD_NUMBER = "|".join([*_SMALL, *_TENS])
_UNIT = "|".join(re.escape(name) for name in sorted(_UNITS, key=len, reverse=True))
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_TOKEN = re.compile(
    rf"""
      (?P<clock>(?<![\d.,:])\d{{1,2}}(?:[:.]\d{{2}})?\s?(?:am|pm|a\.m\.?|p\.m\.?)(?!\w)|(?<![\d.,:])\d{{1,2}}:\d{{2}}(?![\d:])
         |\b(?:noon|midday|midnight)\b)
    | (?P<code>(?<![\w.-])[A-Za-z]{{1,12}}-?\d+(?:[.-]?[A-Za-z\d]+)*)
    | (?P<number>(?<![\w.,])[$£€]?(?:{_DIGITS})(?!\d)|\b(?:{_WORD_NUMBER})(?:[-\s](?:{_WORD_NUMBER}))?\b)
      (?P<scale>[-\s](?:hundred|thousand|million|billion)\b)?
      (?:[-\s]?(?P<unit>(?:{_UNIT})(?:/[A-Za-zµμ\d.]+)*)(?![^\W\d_]))?
    | (?P<often>\b(?:once|twice|thrice)\b)
    | (?P<month>\b(?-i:{_MONTHS})\b)
    | (?P<weekday>\b(?:mon|tues|wednes|thurs|fri|satur|sun)day)s?\b
    | (?P<rate>\b(?:daily|hourly|weekly|monthly|yearly|annually)\b
         |\b(?:a|an|per|each|every)\s(?:day|hour|week|month|year)\b)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_RANGE = re.compile(r"\s*(?:to|through|[-\u2010-\u2015\u2212])\s*", re.IGNORECASE)
_LIST = re.compile(r"\s*(?:,|and|or)\s*", re.IGNORECASE)
_BETWEEN = re.compile(r"\bbetween\s*$", re.IGNORECASE)
_DEGREES = re.compile(r"(?:°|\bdegrees?)\s?(?P<scale>[cf])(?:elsius|ahrenheit)?\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Quantity:
    """One figure in comparable form: `value` as a plain number or a name ("weekday tuesday"), `unit` empty if none."""

    value: str
    unit: str = ""

    def __str__(self) -> str:
        return f"{self.value} {self.unit}".rstrip()


def quantities(text: str) -> frozenset[Quantity]:
    """Every figure of the text. "Two", "2" and "2.0" are equal, "0.5 mg" and "5 mg" are not, "9 pm" is "21:00".

    In "two to four weeks" both ends have the unit, and the range is a figure of its own. "One" counts only with a
    unit, since it is a pronoun more often than a number.
    """
    text = _DEGREES.sub(r"°\g<scale>", text)
    found: set[Quantity] = set()
    numbers: list[_Number] = []
    for match in _TOKEN.finditer(text):
        if match["number"]:
            numbers.append(_Number.read(match, text))
        elif clock := match["clock"]:
            found.add(Quantity(f"clock {_minutes(clock)}"))
        elif code := match["code"]:
            found.add(Quantity(f"code {code.casefold().replace('-', '')}"))
        elif often := match["often"]:
            found.add(Quantity(_OFTEN[often.casefold()], "times"))
        elif month := match["month"]:
            found.add(Quantity(f"month {month.casefold()}"))
        elif weekday := match["weekday"]:
            found.add(Quantity(f"weekday {weekday.casefold()}"))
        elif rate := match["rate"]:
            found.add(Quantity(f"per {_UNITS[rate.casefold().split()[-1]]}"))
    following: _Number | None = None
    for number in reversed(numbers):
        joined = number.joined_to(following, text) if following else None
        read = replace(number, unit=following.unit) if following and joined and not number.unit else number
        if not read.pronoun:
            found |= read.quantities()
        if following and joined == "range":
            found.add(Quantity(f"{read.value}..{following.value}", following.unit.split("/")[0]))
        following = read
    return frozenset(found)


def unborne(statement: str, evidence: str) -> tuple[Quantity, ...]:
    """The figures of a statement that its evidence does not hold, in a fixed order; empty where all are borne.

    A figure without a unit is borne by the same figure with any; one with a unit needs the same unit, or a bare figure
    beside that unit's name elsewhere (a table's heading).
    """
    held = quantities(evidence)
    values = {quantity.value for quantity in held}
    bare = {quantity.value for quantity in held if not quantity.unit}
    units = {_unit(word) for word in re.findall(r"[A-Za-zµμ°%]+", evidence)} - {""}
    return tuple(
        sorted(
            (
                quantity
                for quantity in quantities(statement)
                if quantity not in held
                and not (not quantity.unit and quantity.value in values)
                and not (quantity.unit in units and quantity.value in bare)
            ),
            key=str,
        )
    )


@dataclass(frozen=True, slots=True)
class _Number:
    """One number where it stands: `start` and `end` in the text, `between` whether that word stands before it."""

    value: str
    unit: str
    one: bool
    between: bool
    start: int
    end: int

    @classmethod
    def read(cls, match: re.Match[str], text: str) -> _Number:
        written, scale = match["number"], match["scale"]
        return cls(
            value=_value(written, scale),
            unit=written[0] if written[0] in "$£€" else _unit(match["unit"]),
            one=written.casefold() == "one" and not scale,
            between=bool(_BETWEEN.search(text, max(0, match.start() - 10), match.start())),
            start=match.start(),
            end=match.end(),
        )

    @property
    def pronoun(self) -> bool:
        return self.one and not self.unit

    def quantities(self) -> set[Quantity]:
        """The amount, and apart from it how often ("mg/kg/day" is mg/kg, each day)."""
        parts = self.unit.split("/")
        if len(parts) > 1 and parts[-1] in _RATES:
            return {Quantity(self.value, "/".join(parts[:-1])), Quantity(f"per {parts[-1]}")}
        return {Quantity(self.value, self.unit)}

    def joined_to(self, following: _Number, text: str) -> Literal["range", "list"] | None:
        """How "2 to 4 weeks" and "2 or 4 weeks" join their numbers, which then share the unit; None elsewhere."""
        gap = text[self.end : following.start]
        if _RANGE.fullmatch(gap) or (self.between and gap.strip().casefold() == "and"):
            return "range"
        return "list" if _LIST.fullmatch(gap) else None


def _value(text: str, scale: str | None) -> str:
    words = re.split(r"[-\s]", text.casefold())
    if words[0] in _SMALL or words[0] in _TENS:
        value = Decimal(sum(_SMALL.get(word, _TENS.get(word, 0)) for word in words))
    else:
        digits = text.lstrip("$£€")
        grouped = re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", digits)
        value = Decimal(digits.replace(",", "" if grouped else "."))
    if scale:
        value *= _SCALES[scale.strip(" -\n\t").casefold()]
    return format(value.normalize(), "f")


def _unit(text: str | None) -> str:
    """The unit in one spelling, each part of a compound for itself; empty where it is an ordinary word."""
    parts = [_UNITS.get(part, part) for part in (text or "").casefold().rstrip(".").split("/")]
    return "/".join(parts) if parts[0] in _UNITS.values() else ""


def _minutes(clock: str) -> int:
    """Minutes after midnight."""
    folded = clock.casefold()
    if folded in {"noon", "midday"}:
        return 12 * 60
    if folded == "midnight":
        return 0
    hours, _, minutes = re.sub(r"[^\d:.]", "", folded).rstrip(".").replace(".", ":").partition(":")
    hour = int(hours)
    if "p" in folded:
        hour = hour % 12 + 12
    elif "a" in folded:
        hour %= 12
    return hour * 60 + int(minutes.strip(":") or 0)
