"""What a model might make of a true sentence: the same in other words, or something else that looks the same.

Rules of their own, so that a gap in the check is not a gap in its measurement too.
"""

from __future__ import annotations

import hashlib
import re
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Rule = Callable[[re.Match[str]], str | None]

_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_NUMBER = re.compile(r"(?<![\w.,/-])\d{1,3}(?:,\d{3})*(?:\.\d+)?(?![\w,]*\d)")
_RANGE = re.compile(
    r"(?<![\w.,/[\u00b7-])(?<!CA )(\d{1,3}) ?(?:to|-|\u2013) ?(\d{1,3})(?![\w.,/-]*\d)"
    r"|\b(two|three|four|five) to (\w+)\b"
)
_AUXILIARY = (
    "is|are|was|were|can|could|will|would|should|may|might|must|does|do|did|has|have|had"  # what "not" goes behind
)

_UNITS = {
    "mg": "mcg", "mcg": "mg", "g": "mg", "kg": "g", "ml": "l", "hours": "days", "hour": "day", "days": "weeks",
    "day": "week", "weeks": "months", "week": "month", "months": "years", "month": "year", "years": "months",
    "year": "month", "minutes": "hours", "minute": "hour", "percent": "mg", "inches": "feet", "feet": "inches",
    "pounds": "ounces", "ounces": "pounds", "cm": "mm", "mm": "cm", "\u00b0F": "\u00b0C", "\u00b0C": "\u00b0F",
}  # fmt: skip
_LIMITS = (
    ("more than", "less than"), ("greater than", "less than"), ("older than", "younger than"), ("at least", "at most"),
    ("over", "under"), ("above", "below"), ("higher than", "lower than"), ("longer than", "shorter than"),
    ("up to", "at least"),
)  # fmt: skip
"""Words before a figure that make it a limit."""
_LIMITS_BEHIND = (("or more", "or less"), ("or older", "or younger"), ("or higher", "or lower"))
_TURNS = (
    ("more", "less"), ("higher", "lower"), ("increases", "decreases"), ("increased", "decreased"),
    ("increase", "decrease"), ("before", "after"), ("high", "low"), ("often", "rarely"), ("usually", "rarely"),
    ("always", "sometimes"), ("all", "some"), ("most", "few"), ("safe", "unsafe"), ("common", "uncommon"),
    ("likely", "unlikely"), ("early", "late"), ("positive", "negative"), ("with", "without"),
)  # fmt: skip
"""Words that turn a sentence round without a figure or a "not"."""
_ROUTES = ("by mouth", "orally", "intravenously", "rectally", "subcutaneously", "topically")

CONTRACTED = {
    "cannot": "can't", "do not": "don't", "does not": "doesn't", "is not": "isn't", "are not": "aren't",
    "should not": "shouldn't", "did not": "didn't", "was not": "wasn't", "were not": "weren't", "will not": "won't",
    "has not": "hasn't", "have not": "haven't", "would not": "wouldn't", "could not": "couldn't",
}  # fmt: skip


def altered(sentence: str) -> Iterator[tuple[str, str]]:
    """Each kind of alteration that the sentence has a place for, once: the kind, and what it becomes."""
    for kind, make in ALTERATIONS.items():
        found = list(dict.fromkeys(one for one in make(sentence) if one != sentence))
        if found:
            yield kind, found[_pick(f"{kind} {sentence}", len(found))]


def rendered(sentence: str, title: str) -> Iterator[tuple[str, str]]:
    """Each honest rendering that the sentence has a place for, itself first: the kind, and how it then reads."""
    yield "word for word", sentence
    for kind, make in RENDERINGS.items():
        if (one := make(sentence, title)) and one != sentence:
            yield kind, one


def _pick(key: str, among: int) -> int:
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:4], "big") % among


def _each(pattern: re.Pattern[str], by: Rule) -> Callable[[str], Iterator[str]]:
    """One sentence for each place that the pattern matches, changed there only."""

    def make(sentence: str) -> Iterator[str]:
        for match in pattern.finditer(sentence):
            if (new := by(match)) is not None:
                yield sentence[: match.start()] + new + sentence[match.end() :]

    return make


def _pairs(pairs: Mapping[str, str], *, joined: str = r"\b{}\b") -> Callable[[str], Iterator[str]]:
    words = "|".join(re.escape(one) for one in sorted(pairs, key=len, reverse=True))
    return _each(
        re.compile(joined.format(f"({words})"), re.IGNORECASE),
        lambda match: match[0].replace(match[1], _like(match[1], pairs.get(match[1], pairs.get(match[1].lower(), "")))),
    )


def _both(pairs: tuple[tuple[str, str], ...]) -> dict[str, str]:
    return {two: one for one, two in reversed(pairs)} | dict(reversed(pairs))


def _like(old: str, new: str) -> str:
    return new[:1].upper() + new[1:] if old[:1].isupper() else new


def _other_number(match: re.Match[str]) -> str | None:
    written = match[0]
    if not re.search(r"[1-9]", written):
        return None
    made = [
        written[:-1] + str((int(written[-1]) + 1 + _pick(match.string + written, 8)) % 10),
        f"{written}0" if "." not in written and "," not in written else written.replace(".", "").lstrip("0"),
        f"0.{written}" if written.isdigit() and len(written) == 1 else f"1{written}",
        written.replace(",", ".", 1) if written.count(",") == 1 and "." not in written else f"2{written}",
    ]
    numbers = set(_NUMBER.findall(match.string))
    new = made[_pick(written + match.string, len(made))]
    value = float(new.replace(",", ""))
    same = any(float(one.replace(",", "")) == value for one in numbers)
    spelled = (
        value < len(_WORDS)
        and value == int(value)
        and re.search(rf"\b{_WORDS[int(value)]}\b", match.string, re.IGNORECASE)
    )
    return None if same or spelled else new


def _other_word(match: re.Match[str]) -> str | None:
    new = _WORDS[(_WORDS.index(match[0].lower()) + 1 + _pick(match.string, 3)) % 11 + 2]
    there = re.search(rf"\b(?:{new}|{_WORDS.index(new)})\b", match.string, re.IGNORECASE)
    return None if there else _like(match[0], new)


def _swapped(sentence: str) -> Iterator[str]:
    numbers = list(_NUMBER.finditer(sentence))
    for one, other in pairwise(numbers):
        between = sentence[one.end() : other.start()]
        if one[0] != other[0] and len(re.findall(r"[^\W\d_]{3,}", between)) > 2:
            yield sentence[: one.start()] + other[0] + between + one[0] + sentence[other.end() :]


def _run_together(match: re.Match[str]) -> str | None:
    if match[1]:
        return match[1] + match[2]
    return f"{_WORDS.index(match[3])}{_WORDS.index(match[4])}" if match[4] in _WORDS else None


def _next_of(names: tuple[str, ...]) -> Rule:
    def make(match: re.Match[str]) -> str | None:
        new = names[(names.index(match[1]) + 1 + _pick(match.string, len(names) - 1)) % len(names)]
        return None if new in match.string else match[0].replace(match[1], new)

    return make


def _behind_auxiliary(match: re.Match[str]) -> str | None:
    return None if re.match(r"\s+(?:not|never|no)\b|n['\u2019]t", match.string[match.end() :]) else f"{match[0]} not"


_BEFORE_FIGURE = r"\b{}(?= (?:about |ages? |the age of )?[\d$])"

ALTERATIONS: Mapping[str, Callable[[str], Iterator[str]]] = {
    "another number": _each(_NUMBER, _other_number),
    "another number word": _each(
        re.compile(rf"(?<![-\w])(?:{'|'.join(_WORDS[2:11])})(?![-\w])", re.IGNORECASE), _other_word
    ),
    "figures exchanged": _swapped,
    "another unit": _pairs(_UNITS, joined=r"(?<=\d)[ -]?{}(?![\w/])"),
    "percent for a number": _each(
        re.compile(r"(?<=[\d ]\d)(?:%| percent\b)" r"(?!,? ?(?:to|and|or|-|\u2013|,) ?[\u2212-]?\d)"), lambda _: ""
    ),
    "range run together": _each(_RANGE, _run_together),
    "one end of a range": _each(_RANGE, lambda match: match[1] or match[3]),
    "another month": _each(re.compile(rf"\b({'|'.join(_MONTHS)})(?= \d)"), _next_of(_MONTHS)),
    "another weekday": _each(re.compile(rf"\b({'|'.join(_DAYS)})"), _next_of(_DAYS)),
    "morning for evening": _pairs(
        {"am": "pm", "pm": "am", "a.m.": "p.m.", "p.m.": "a.m."}, joined=r"(?<=\d) ?{}(?!\w)"
    ),
    "how often": _pairs(
        {"once": "twice", "twice": "once", "daily": "weekly", "weekly": "daily"},
        joined=r"\b{} ?(?=a |daily|each |per |\W*$)",
    ),
    "limit turned round": _pairs(_both(_LIMITS), joined=_BEFORE_FIGURE),
    "limit turned round, behind": _pairs(_both(_LIMITS_BEHIND)),
    "limit left out": _each(
        re.compile(r"\b(?:more than|less than|at least|at most|up to|fewer than|no more than) (?=\d)", re.IGNORECASE),
        lambda _: "",
    ),
    "not left out": _each(re.compile(r"\bcannot\b|\bcan not\b", re.IGNORECASE), lambda _: "can"),
    "not left out, plain": _each(
        re.compile(r" (?:not|never)\b(?! only)|(?<=\w)(?<!ca)(?<!wo)n['\u2019]t\b", re.IGNORECASE), lambda _: ""
    ),
    "no left out": _each(re.compile(r"(?<!\w)no (?=[a-z])(?!no longer|one\b)"), lambda _: ""),
    "without as with": _pairs({"without": "with"}),
    "unless as if": _pairs({"unless": "if"}),
    "no longer as still": _pairs({"no longer": "still"}),
    "not put in": _each(
        re.compile(rf"\b(?:{_AUXILIARY})\b" r"(?! (?:to|of|you|we|I|they|he|she|there|it|this)\b)(?!['\u2019,.?])"),
        _behind_auxiliary,
    ),
    "avoid as use": _pairs({"avoid": "use", "avoided": "used"}),
    "turned round": _pairs(_both(_TURNS)),
    "another route": _each(re.compile(rf"\b({'|'.join(_ROUTES)})\b"), _next_of(_ROUTES)),
}


def _spelled(sentence: str, _title: str) -> str:
    """Small numbers as words and the other way round, the first that is there."""
    spelled = re.sub(
        r"(?<![\w.,/$\u00b7-])([2-9])"
        r"(?= (?:to|or|in|out|[a-z]{4,})\b)",
        lambda match: _WORDS[int(match[1])],
        sentence,
    )
    if spelled != sentence:
        return spelled
    return re.sub(
        rf"(?<![-\w])(?<!hundred )({'|'.join(_WORDS[2:11])})(?![-\w])",
        lambda match: str(_WORDS.index(match[1])),
        sentence,
    )


def _contracted(sentence: str, _title: str) -> str:
    words = "|".join(CONTRACTED)
    return re.sub(rf"\b({words})\b", lambda match: CONTRACTED[match[1]], sentence)


def _expanded(sentence: str, _title: str) -> str:
    words = "|".join(one.replace("'", "['\u2019]") for one in CONTRACTED.values())
    full = {short: long for long, short in CONTRACTED.items()}
    return re.sub(rf"\b({words})\b", lambda match: full[match[1].replace("\u2019", "'")], sentence)


def _units_spelled(sentence: str, _title: str) -> str:
    for short, long in (("mg", "milligrams"), ("ml", "millilitres"), ("kg", "kilograms"), ("%", "percent")):
        sentence = re.sub(rf"(?<=\d) ?{short}(?![\w/%])", f" {long}", sentence)
    return re.sub(r"(?<=\d) percent\b", "%", sentence) if "percent" in sentence else sentence


def _ungrouped(sentence: str, _title: str) -> str:
    return re.sub(r"(?<![\d,.])\d{1,3}(?:,\d{3})+(?![\d,]*\d)", lambda match: match[0].replace(",", ""), sentence)


def _range_respelled(sentence: str, _title: str) -> str:
    dashed = re.sub(r"(?<=[a-z] )(\d{1,3}) to (?=\d{1,3} [a-z])", "\\1\u2013", sentence)
    return (
        dashed
        if dashed != sentence
        else re.sub(r"(?<=[a-z] )(\d{1,3})[-\u2013](?!\1\b)(?=\d{1,3} [a-z])", r"\1 to ", sentence)
    )


def _reordered(sentence: str, _title: str) -> str:
    match = re.fullmatch(r"((?:If|When|Although|Because|In [a-z]+) [^,;:]{8,80}), ([^;:]{12,160})\.", sentence)
    if not match:
        return sentence
    first, then = match.groups()
    return f"{then[0].upper()}{then[1:]}, {first[0].lower()}{first[1:]}."


def _shortened(sentence: str, _title: str) -> str:
    """Up to where a clause that can be left out begins."""
    match = re.match(
        r"([^,;:()]{40,}?)(?:, (?:which|who|where|but|and|so|as|including|such as)\b|;| because\b)", sentence
    )
    return f"{match[1]}." if match else sentence


_THE_SUBJECT = re.compile(
    r"^(?:It|This condition|This disorder|The disorder|The condition)"
    r"(?= (?:is|was|affects|causes|occurs|has|can|may) "
    r"(?!been|estimated|not|also|thought|known|possible|likely|important|recommended|unclear))"
)


def _with_title(sentence: str, title: str) -> str:
    return _THE_SUBJECT.sub(lambda _: title, sentence) if title else sentence


def _said_politely(sentence: str, _title: str) -> str:
    """With a word before it that says nothing."""
    match = re.match(r"(?:You|People|Children|Most|Some|Doctors|The|This|If)\b", sentence)
    return f"In general, {match[0].lower()}{sentence[match.end() :]}" if match else sentence


RENDERINGS: Mapping[str, Callable[[str, str], str]] = {
    "numbers spelled": _spelled,
    "contracted": _contracted,
    "written out": _expanded,
    "units spelled": _units_spelled,
    "thousands ungrouped": _ungrouped,
    "range respelled": _range_respelled,
    "clauses in another order": _reordered,
    "shortened at a clause": _shortened,
    "subject from the title": _with_title,
    "a word put before": _said_politely,
}
