"""The units that figures are given in, each in one spelling however it is written."""

from __future__ import annotations

import re
from fractions import Fraction

from bot.number import times_of

_NAMES: dict[str, str] = {
    "mg": "mg milligram milligrams",
    "mcg": "mcg µg μg ug microgram micrograms",
    "ng": "ng nanogram nanograms",
    "pg": "pg picogram picograms",
    "g": "g gram grams gramme grammes",
    "kg": "kg kilo kilos kilogram kilograms",
    "lb": "lb lbs pound pounds",
    "oz": "oz ounce ounces",
    "stone": "stone stones",
    "ml": "ml millilitre millilitres milliliter milliliters cc",
    "dl": "dl decilitre decilitres deciliter deciliters",
    "l": "l litre litres liter liters",
    "pint": "pint pints",
    "cup": "cup cups",
    "glass": "glass glasses",
    "mm": "mm millimetre millimetres millimeter millimeters",
    "cm": "cm centimetre centimetres centimeter centimeters",
    "m": "m metre metres meter meters",
    "km": "km kilometre kilometres kilometer kilometers",
    "mile": "mile miles",
    "inch": "inch inches",
    "foot": "foot feet ft",
    "%": "% percent pct",
    "ms": "ms msec millisecond milliseconds",
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
    "kpa": "kpa",
    "hz": "hz hertz",
    "bpm": "bpm",
    "gy": "gy gray",
    "msv": "msv millisievert millisieverts",
    "nmol": "nmol nanomole nanomoles",
    "μmol": "µmol μmol umol micromole micromoles",
    "mmol": "mmol millimole millimoles",
    "mol": "mol mole moles",
    "nm": "nm nanometre nanometres nanometer nanometers",
    "μm": "µm μm micrometre micrometres micrometer micrometers",
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
    "serving": "serving servings",
    "teaspoon": "teaspoon teaspoons tsp",
    "tablespoon": "tablespoon tablespoons tbsp",
    "times": "time times",
    "fold": "fold",
    "$": "$ dollar dollars",
    "£": "£",
    "€": "€ euro euros",
}
_SPELLINGS = {name: unit for unit, names in _NAMES.items() for name in names.split()} | {"per cent": "%"}

RATES = frozenset({"h", "d", "wk", "mo", "y"})
"""Units of time that something is done once in: "a day"."""

PIECE = "tablets?|pills?|capsules?|drops?|puffs?|servings?|teaspoons?|tablespoons?|cups?|glass(?:es)?"
"""What is counted by the piece, and may be one, a half or several."""

TIMES = "minutes|hours|days|weeks|months|years|decades"
"""Units of time that say something without a number: "for days"."""

_CONVERTED: dict[str, tuple[str, Fraction]] = {
    "mcg": ("mg", Fraction(1, 1000)),
    "g": ("mg", Fraction(1000)),
    "kg": ("mg", Fraction(10**6)),
    "dl": ("ml", Fraction(100)),
    "l": ("ml", Fraction(1000)),
    "wk": ("d", Fraction(7)),
    "y": ("mo", Fraction(12)),
}

UNIT = "|".join(re.escape(name) for name in sorted(_SPELLINGS, key=len, reverse=True))
"""Every spelling, for a regular expression that ignores case."""


def unit(text: str | None) -> str:
    """The unit in one spelling, each part of a compound for itself; empty where it is an ordinary word."""
    parts = [_SPELLINGS.get(part, part) for part in (text or "").casefold().rstrip(".").split("/")]
    return "/".join(parts) if parts[0] in _NAMES else ""


def convert(value: str, unit_: str) -> tuple[str, str]:
    """A decimal value in the unit that its own can be converted to exactly; of a rate, above the stroke."""
    above, *below = unit_.split("/")
    to, factor = _CONVERTED.get(above, (above, Fraction(1)))
    return times_of(value, factor), "/".join([to, *below])
