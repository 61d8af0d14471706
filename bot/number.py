"""Numbers as they are written: in digits, words, fractions, powers, Roman numerals behind a label."""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction

_SMALL_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS_WORDS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SMALL = {word: value for value, word in enumerate(_SMALL_WORDS.split())}
_TENS = {word: 10 * value for value, word in enumerate(_TENS_WORDS.split(), start=2)}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_PARTS = {"half": 2, "third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10}
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_ROMAN = {"I": 1, "V": 5, "X": 10}
_RAISED = str.maketrans("\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079\u207a\u207b", "0123456789+-")

_DIGITS = r"\d{1,3}(?:[,\u00a0\u2009\u202f]\d{3})+(?:\.\d+)?|\d+(?:[.,\u00b7]\d+)?|\.\d+"
_VULGAR = "\u00bc-\u00be\u2150-\u215e\u2160-\u2188\u2460-\u249b\u24ea-\u24ff\u2776-\u2793"
"""Numbers that are one sign: fractions, Roman numerals, numbers in circles, in brackets, with a full stop."""

_SLASHED = r"\d{1,4}[/\u2044]\d{1,4}(?:[/\u2044]\d{1,4})*(?![\w/])"
_WORD = "|".join([*_SMALL, *_TENS])
_POWER = r"\^[+-]?\d+|[\u207a\u207b]?[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]+"
_PART = "|".join(_PARTS)

NUMBER = rf"""
    (?P<number>
        (?<![\w.,])(?<!\d/)(?:(?<!\d)(?<!\d[ ])[-\u2212](?=[\d.]))?[$\u00a3\u20ac]?
            (?:{_SLASHED}|(?:\d+[ ]?)?[{_VULGAR}]|(?:\d{{1,2}}[ ]{_SLASHED})|(?:{_DIGITS})(?!\d)(?:{_POWER})?)
        |\b(?:{_WORD})(?:[-\s](?:{_WORD}))?\b(?![-\s](?:{_PART})s?\b)
    )
    (?P<scale>(?:[-\s](?:hundred|thousand|million|billion|trillion)\b)+)?
    (?P<rest>(?<=hundred)\s(?:and\s)?(?:{_WORD})(?:[-\s](?:{_WORD}))?\b)?
    (?P<and_half>\sand\s(?:a|one)[-\s]half\b)?
"""
"""A number, for a verbose regular expression that ignores case."""
PART = rf"""
    (?P<part>\b(?:(?:one|two|three|four|a)[-\s])?(?:half|quarters?|thirds|fifths|sixths|eighths|tenths)\b(?!-)
    |\b(?:one|two|three|four)[-\s](?:{_PART})\b|\b(?:a\s)?(?:{_PART})(?=\sof\b))
"""
ORDINAL = rf"(?P<ordinal>\b\d+(?:st|nd|rd|th)\b|(?<!per[ ])\b(?:{'|'.join(_ORDINALS)})\b(?!,))"
LABEL = r"""
    (?P<label>(?-i:\b(?:[Tt]ype|[Ss]tage|[Gg]rade|[Pp]hase|[Cc]lass|[Ll]evel|[Gg]roup|[Ff]actor)s?)\s
        (?:(?-i:[IVX]{1,5})|\d{1,2}|one|two|three|four|five)\b(?![.,]\d|\s?%|\s?(?:to|through|[-\u2013])\s?\d))
"""
HEAP = r"(?P<heap>\b(?:(?:a|an)\s)?(?:dozen|hundred|thousand|million|billion|trillion)s?\b)"


def value_of(written: str, scale: str | None = None, rest: str | None = None, *, and_half: bool = False) -> str:
    """A number's value as a plain decimal or fraction; a date or blood pressure with slashes stays as it is written."""
    text = written.casefold().lstrip("$\u00a3\u20ac").replace("\u2212", "-").replace("\u2044", "/")
    if "/" in text and not _is_fraction(text):
        return text
    value = _fraction(text) if re.search(rf"[/{_VULGAR}]", text) else _number(text)
    for word in (scale or "").casefold().replace("-", " ").split():
        value *= _SCALES[word]
    if rest:
        value += _number(rest.casefold().strip().removeprefix("and ").strip())
    return _plain(value + Fraction(1, 2) if and_half else value)


def part_of(written: str) -> str:
    """The value of "a third", "three quarters" or "half"."""
    *count, part = re.split(r"[-\s]", written.casefold())
    return _plain(Fraction(_SMALL.get(count[0], 1) if count else 1, _PARTS[part.removesuffix("s")]))


def ordinal_of(written: str) -> int:
    """2 of "second" and of "2nd"."""
    folded = written.casefold()
    return _ORDINALS.index(folded) + 1 if folded in _ORDINALS else int(re.sub(r"\D", "", folded))


def label_of(written: str) -> str:
    """The number behind a label: "3" of "stage III" and of "stage 3"."""
    number = written.rsplit(maxsplit=1)[-1]
    if number.isdecimal() or number.casefold() in _SMALL:
        return str(_SMALL.get(number.casefold()) or int(number))
    values = [_ROMAN[one] for one in number]
    return str(sum(-one if one < following else one for one, following in zip(values, [*values[1:], 0], strict=True)))


def ratio_of(value: str, all_: str) -> str:
    """The part of one that so many of all are."""
    return _plain(Fraction(value) / Fraction(all_))


def times_of(value: str, factor: Fraction) -> str:
    """The value times the factor."""
    return _plain(Fraction(value) * factor)


def share_of(value: str) -> str:
    """Percent as a part of one."""
    return _plain(Fraction(value) / 100)


def _is_fraction(text: str) -> bool:
    _, _, last = text.rpartition(" ")
    above, below, *more = last.split("/")
    return not more and int(above) < int(below) <= 16


def _fraction(text: str) -> Fraction:
    sign = -1 if text.startswith("-") else 1
    total = Fraction(0)
    for word in re.findall(rf"[\d/]+|[{_VULGAR}]", text):
        above, _, below = word.partition("/")
        total += (
            Fraction(unicodedata.numeric(word)).limit_denominator(10)
            if word.isnumeric() and not word.isdecimal()
            else Fraction(int(above), int(below or 1))
        )
    return sign * total


def _number(text: str) -> Fraction:
    words = re.split(r"[-\s]", text)
    if words[0] in _SMALL or words[0] in _TENS:
        return Fraction(sum(_SMALL.get(word, _TENS.get(word, 0)) for word in words))
    base, power = re.fullmatch(r"(-?[\d.,\u00b7\s]+)(.*)", text, re.DOTALL).groups()  # type: ignore[union-attr]  # as matched
    digits = re.sub(r"[\s]", "", base)
    grouped = re.fullmatch(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?", digits)
    value = Fraction(digits.replace(",", "" if grouped else ".").replace("\u00b7", "."))
    exponent = int(power.translate(_RAISED).removeprefix("^") or 1) if power else 1
    return value**exponent if abs(exponent) <= 30 and value else value


def _plain(value: Fraction) -> str:
    """As a decimal where it ends within nine places, else as a fraction."""
    scaled = value * 10**9
    if scaled.denominator != 1:
        return str(value)
    whole, rest = divmod(abs(scaled.numerator), 10**9)
    return ("-" if value < 0 else "") + (f"{whole}.{rest:09d}".rstrip("0").rstrip("."))


def is_plain(value: str) -> bool:
    """Whether a value is a decimal number: no date, range or blood pressure."""
    return re.fullmatch(r"-?[\d.]+", value) is not None and ".." not in value


def smaller(one: str, other: str) -> bool:
    """Whether a value is less than another; what is no decimal number is neither."""
    return is_plain(one) and is_plain(other) and Fraction(one) < Fraction(other)
