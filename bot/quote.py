"""Finds a quote in the raw text it claims to come from, letter by letter."""

from __future__ import annotations

import re
import string
import unicodedata
from dataclasses import dataclass

_DASHES = frozenset("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d")
_QUOTES = str.maketrans(
    {"\u2018": "'", "\u2019": "'", "\u201a": "'", "\u201b": "'", "\u2032": "'", "\u00b4": "'", "`": "'",
     "\u201c": '"', "\u201d": '"', "\u201e": '"', "\u201f": '"', "\u2033": '"', "\u00ab": '"', "\u00bb": '"'}
)  # fmt: skip
_AS_IT_IS = frozenset(string.ascii_letters + string.digits + string.punctuation) - {"`"}
"""What folds to itself, told sooner than by asking what kind of character it is."""
_LINE_END_HYPHEN = re.compile(r"(?<=\w)(?P<sign>[-\u00ad\u2010\u2011\u2012\u2013])[ \t]*[\r\n\x0b\x0c\u2028]\s*(?=\w)")
_WORD_END = re.compile(r"[^\W_]{1,40}\Z")
_WORD_START = re.compile(r"[^\W_]{1,40}")
_KEPT, _DROPPED = None, ""
"""How a quote's own hyphens at a line's end are read: first as they are, then as breaking a word."""
SHORTEST = 3
"""Letters and digits that a quote has to hold."""


@dataclass(frozen=True, slots=True)
class _Folded:
    """A text in comparable form, and for each of its characters the place in the raw text it came from."""

    text: str
    places: tuple[int, ...]


def find_quote(quote: str, raw: str) -> tuple[int, int] | None:
    """The span of `raw` (characters, end exclusive) that the quote is, or None where it does not stand there.

    Forms of one letter (composed or not, ligatures, full width), dashes, quotation marks, invisible characters, white
    space and hyphenation at a line's end count as equal, and nothing else: not case, not superscripts, not fractions.
    A quote of fewer letters and digits than `SHORTEST` is no evidence, and one that starts or ends inside a word or
    number ("5 mg" in "0.5 mg") is not the document's.
    """
    if sum(character.isalnum() for character in quote) < SHORTEST:
        return None
    for hyphens in (_KEPT, _DROPPED):
        needle = _fold(quote, _hyphenation(quote, hyphens)).text.strip()
        hay = _fold(raw, _hyphenation(raw, needle))
        start = hay.text.find(needle)
        while start >= 0:
            end = start + len(needle)
            if _whole(hay.text, start, end):
                return hay.places[start], _raw_end(raw, hay.places[end - 1])
            start = hay.text.find(needle, start + 1)
    return None


def _hyphenation(text: str, spelled: str | None) -> frozenset[int]:
    """The places to leave out where a hyphen ends a line: the break, and the hyphen unless the word keeps it.

    "infor-⏎mation" may be "information", and "long-⏎term" be "long-term": a word keeps it where `spelled` has it so, or
    is None. Between figures a hyphen always stays, and a soft hyphen never does.
    """
    left_out: set[int] = set()
    for match in _LINE_END_HYPHEN.finditer(text):
        before, behind = _WORD_END.search(text, 0, match.start()), _WORD_START.match(text, match.end())
        parts = [_fold(part[0], frozenset()).text for part in (before, behind) if part]
        figures = text[match.start() - 1].isdigit() or text[match.end()].isdigit()
        stays = match["sign"] != "\u00ad" and (figures or spelled is None or "-".join(parts) in spelled)
        left_out.update(range(match.start() + stays, match.end()))
    return frozenset(left_out)


def _fold(text: str, left_out: frozenset[int]) -> _Folded:
    """Letter by letter, with marks in their canonical order and white space as one space."""
    folded: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        if place in left_out:
            continue
        if character in _AS_IT_IS:
            folded.append(character)
            places.append(place)
            continue
        for piece in _fold_character(character):
            if piece == " " and folded and folded[-1] == " ":
                continue
            at = len(folded)
            while (rank := unicodedata.combining(piece)) and at and unicodedata.combining(folded[at - 1]) > rank:
                at -= 1
            folded.insert(at, piece)
            places.append(place)
    return _Folded("".join(folded), tuple(places))


def _fold_character(character: str) -> str:
    if character.isspace():
        return " "
    category = unicodedata.category(character)
    if category in {"Cf", "Cc"}:
        return ""
    if character in _DASHES:
        return "-"
    if category == "No":
        return character
    return unicodedata.normalize("NFKD", character).translate(_QUOTES)


def _whole(text: str, start: int, end: int) -> bool:
    """Whether neither end cuts through a word or a number."""
    before, first = text[max(0, start - 2) : start], text[start]
    last, after = text[end - 1], text[end : end + 2]
    if before and first.isalnum() and _joined(before[-1]):
        return False
    if len(before) == 2 and first.isdigit() and before[1] in ".," and before[0].isdigit():
        return False
    if after and last.isalnum() and _joined(after[0]):
        return False
    return not (len(after) == 2 and last.isdigit() and after[0] in ".," and after[1].isdigit())


def _joined(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character) in {"Mn", "No"}


def _raw_end(raw: str, place: int) -> int:
    """Behind the character at `place` and the marks that combine with it."""
    end = place + 1
    while end < len(raw) and unicodedata.category(raw[end]) == "Mn":
        end += 1
    return end
