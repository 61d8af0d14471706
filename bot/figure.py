"""Questions that ask for a figure, and sentences that give one: "how long", "what dose", "how often", "how many"."""

from __future__ import annotations

import re
from enum import StrEnum

from bot.quantities import quantities

_TIME = frozenset({"s", "min", "h", "d", "wk", "mo", "y", "decade"})
_DOSE = frozenset({"mg", "mcg", "ng", "g", "ml", "iu", "meq", "tablet", "capsule", "drop", "puff", "teaspoon"})


_NAMES = ("code ", "label ", "ordinal ", "route ", "address ")
"""What is found as a figure and counts nothing: "type 2", "the second", "by mouth"."""


class Figure(StrEnum):
    """What kind of figure is asked for."""

    DOSE = "dose"
    DURATION = "duration"
    FREQUENCY = "frequency"
    AGE = "age"
    SHARE = "share"
    NUMBER = "number"
    PRICE = "price"
    AMOUNT = "amount"


_ASKED = {
    Figure.PRICE: r"\bhow much\b.*\b(?:costs?|pay|paid|charged?|money)\b|\bhow (?:expensive|cheap)\b"
    r"|\bhow much (?:is|are) (?:an?|the|it)\b(?!.*\b(?:amount|dose|limit|normal|portion|safe|serving|unit|too)\b)"
    r"|\bwhat (?:is|are) the (?:cost|price|fee|charge)s?\b|\bwhat (?:does|do|will|would)\b.*\bcost\b",
    Figure.DOSE: r"\b(?:dose|dosage|dosing)\b|\bhow (?:much|many)\b.*\b(?:take|give|inject)\b(?! to\b)"
    r"|\bhow many (?:mgs?|milligrams?|mcg|micrograms?|ml|units|tablets|pills)\b",
    Figure.FREQUENCY: r"\bhow (?:often|frequently|many times)\b",
    Figure.DURATION: r"\bhow (?:long|soon|much time|many (?:minutes|hours|days|weeks|months|years))\b"
    r"|\b(?:incubation period|life expectancy)\b",
    Figure.AGE: r"\bhow old\b|\b(?:what|which) age\b",
    Figure.SHARE: r"\b(?:survival|mortality|death|success|cure) rate\b|\bwhat (?:percentage|percent|proportion)\b",
    Figure.NUMBER: r"\bhow (?:many|high|low|tall)\b",
    Figure.AMOUNT: r"\bhow much\b(?! (?:longer|more|better|worse|of a)\b)",
}
"""The first that fits counts."""
_MEASURES = re.compile(
    r"\b(?:dos(?:e|es|age|ing)|rates?|periods?|expectancy|percent(?:age)?|proportion|age|old|long|often|many|much|take"
    r"|minutes?|hours?|days?|weeks?|months?|years?|times?|allow(?:ed)?|permitted|required|recommended|usual(?:ly)?"
    r"|normal(?:ly)?|typical(?:ly)?|average|costs?|pric(?:es?|ed)|pay|paid|fees?|charge[sd]?|money|\d+)\b",
    re.IGNORECASE,
)
_COURSES = re.compile(
    r"\b(?:incubation|survival|mortality|death|success|cure|recover(?:y|ing)?|life|last(?:s|ing)?|contagious|infectious)\b",
    re.IGNORECASE,
)
"""What is measured of a subject: a sentence on the incubation of something else answers nothing."""
_OFTEN = re.compile(
    r"\b(?:every|each|once|twice|daily|weekly|monthly|yearly|annual(?:ly)?|per|as often as|hourly)\b"
    r"|\btimes an?\b|\btimes (?:daily|each|every|per)\b",
    re.IGNORECASE,
)
_LASTING = re.compile(
    r"\b(?:minutes|hours|days|weeks|months|years|decades|lifelong|life-long|for life|until|permanent(?:ly)?"
    r"|an? (?:day|week|month|year))\b",
    re.IGNORECASE,
)
_AGED = re.compile(r"\b(?:ages?|aged|years?|older|younger|months?)\b|\b\d0s\b", re.IGNORECASE)
_OF_ALL = re.compile(r"\b(?:half|thirds?|quarters?|\d+ (?:in|out of) (?:every )?\d+)\b", re.IGNORECASE)
_PRICED = re.compile(
    r"(?<!-)\bfree\b(?! (?:of|from)\b)|\bno (?:charge|cost|fee)s?\b|\bcosts? nothing\b|\b(?:pounds|dollars|euros)\b",
    re.IGNORECASE,
)
_MONEY = frozenset("$£€")
_COUNTED = re.compile(r"\b(?:half|few|dozens?|hundreds|thousands|millions|unknown|not known)\b", re.IGNORECASE)


def figure_asked(question: str) -> Figure | None:
    """The kind of figure without which nothing answers the question; None where words may answer it."""
    folded = question.casefold()
    return next((kind for kind, pattern in _ASKED.items() if re.search(pattern, folded)), None)


def without_measure(question: str) -> str:
    """The question without the words that name the figure, so that what is measured remains."""
    return _MEASURES.sub(" ", question)


def measured(question: str) -> str:
    """What the figure is to be of, without what is measured of it."""
    return _COURSES.sub(" ", without_measure(question))


def gives(text: str, figure: Figure) -> bool:
    """Whether the text holds a figure of that kind."""
    units = {quantity.unit for quantity in quantities(text) if not quantity.value.startswith(_NAMES)}
    match figure:
        case Figure.DOSE:
            told = any(unit.split("/")[0] in _DOSE for unit in units)
        case Figure.FREQUENCY:
            told = _OFTEN.search(text) is not None
        case Figure.DURATION:
            told = bool(units & _TIME) or _LASTING.search(text) is not None
        case Figure.AGE:
            told = bool(units) and _AGED.search(text) is not None
        case Figure.SHARE:
            told = "%" in units or _OF_ALL.search(text) is not None
        case Figure.NUMBER:
            told = bool(units) or _COUNTED.search(text) is not None
        case Figure.PRICE:
            told = bool(units & _MONEY) or _PRICED.search(text) is not None
        case Figure.AMOUNT:
            told = bool(units - {""})
    return told
