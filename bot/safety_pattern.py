"""Patterns over words, matched in time that grows with the text and no faster.

Every word that a rule names has a symbol of its own, one character; a message becomes a string of symbols, and a
pattern a regular expression over them in which every repetition is bounded. The notation, word by word:

    suicide          this word                  die|be_dead  one of these words or phrases
    suicid*          any word that begins so    <want>       a word or phrase of that list
    to?              may be missing             <aux>{0,4}   up to four of that list
    ..3              up to three words of any kind, within the sentence
    ^  $             the sentence begins, ends here     die|$  this word, or the sentence's end
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_left
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, TypeAlias

from bot.safety_text import END, fold, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Phrase: TypeAlias = tuple[str, ...]
"""Words in order; a word that ends in `*` stands for every word that begins so."""

_OTHER = "."
_FIRST_SYMBOL = 0xE000
_GAP = re.compile(r"\.\.([1-9])")
_REPEATED = re.compile(r"(.+)\{0,([1-6])\}")


@dataclass(frozen=True, slots=True)
class Element:
    """One place of a pattern: any of `phrases`, at least `least` and at most `most` times.

    With `or_end` the end of the sentence will do as well.
    """

    phrases: tuple[Phrase, ...]
    least: int = 1
    most: int = 1
    or_end: bool = False


@dataclass(frozen=True, slots=True)
class Gap:
    """Up to `most` words of any kind."""

    most: int


@dataclass(frozen=True, slots=True)
class Edge:
    """The beginning or the end of a sentence."""

    start: bool


Part: TypeAlias = Element | Gap | Edge


class PatternError(ValueError):
    """A pattern that cannot be read; the message quotes it and says why."""


@cache
def phrase(text: str) -> Phrase:
    """The words of a phrase in a rule, read as a message would be."""
    found: list[str] = []
    for word in text.replace("_", " ").split():
        parts = [part for part in words(fold(word.removesuffix("*"))) if part != END]
        if word.endswith("*") and parts:
            parts[-1] += "*"
        found.extend(parts)
    return tuple(found)


def parse(pattern: str, lists: Mapping[str, Sequence[Phrase]]) -> tuple[Part, ...]:
    """A pattern's parts. PatternError for notation that is not understood or a list that does not exist."""
    parts = tuple(_part(word, lists, pattern) for word in pattern.split())
    if not any(isinstance(part, Element) and part.least and not part.or_end for part in parts):
        raise PatternError(f"a pattern needs a word that must be there: {pattern!r}")
    return parts


def _part(word: str, lists: Mapping[str, Sequence[Phrase]], pattern: str) -> Part:
    if word in {"^", "$"}:
        return Edge(start=word == "^")
    if gap := _GAP.fullmatch(word):
        return Gap(int(gap[1]))
    least, most = 1, 1
    if word.endswith("?"):
        word, least = word[:-1], 0
    elif repeated := _REPEATED.fullmatch(word):
        word, least, most = repeated[1], 0, int(repeated[2])
    phrases: list[Phrase] = []
    choices = word.split("|")
    or_end = "$" in choices
    for choice in choices:
        if choice == "$":
            continue
        if choice.startswith("<"):
            if choice[1:-1] not in lists:
                raise PatternError(f"no list {choice} for the pattern {pattern!r}")
            phrases.extend(lists[choice[1:-1]])
        else:
            phrases.append(phrase(choice))
    if not phrases or not all(phrases):
        raise PatternError(f"an empty word in the pattern {pattern!r}")
    return Element(tuple(phrases), least, most, or_end)


class Vocabulary:
    """The symbols of all words that rules name."""

    def __init__(self, patterns: Iterable[Sequence[Part]]) -> None:
        named = {
            word
            for parts in patterns
            for part in parts
            if isinstance(part, Element)
            for one in part.phrases
            for word in one
        }
        self._words = sorted(named)
        self._symbols = {word: chr(_FIRST_SYMBOL + number) for number, word in enumerate(self._words)}
        self._exact = {word: symbol for word, symbol in self._symbols.items() if not word.endswith("*")}
        self._beginnings = {word[:-1]: symbol for word, symbol in self._symbols.items() if word.endswith("*")}
        self._lengths = sorted({len(beginning) for beginning in self._beginnings}, reverse=True)

    @property
    def known(self) -> frozenset[str]:
        """Every whole word that a rule names."""
        return frozenset(self._exact)

    def encode(self, found: Iterable[str]) -> str:
        """One symbol a word, `.` for words that no rule names, between sentence ends."""
        exact, seen = self._exact, dict[str, str]()
        symbols = [
            exact.get(word) or seen.get(word) or seen.setdefault(word, self._by_beginning(word)) for word in found
        ]
        return END + "".join(symbols) + END

    def _by_beginning(self, word: str) -> str:
        if word == END:
            return END
        if len(word) > 1:
            for length in self._lengths:
                if symbol := self._beginnings.get(word[:length]):
                    return symbol
        return _OTHER

    def symbols(self, word: str) -> str:
        """The symbols of every word that this word of a rule stands for."""
        if not word.endswith("*"):
            return self._symbols[word]
        beginning = word[:-1]
        first, behind = (bisect_left(self._words, bound) for bound in (beginning, beginning + chr(sys.maxunicode)))
        return "".join(self._symbols[other] for other in self._words[first:behind])


class Pattern:
    """One pattern over a vocabulary's symbols, compiled when a text first needs it."""

    def __init__(self, parts: Sequence[Part], vocabulary: Vocabulary) -> None:
        self._parts = parts
        self._vocabulary = vocabulary
        places = [
            frozenset("".join(vocabulary.symbols(one[0]) for one in part.phrases))
            for part in parts
            if isinstance(part, Element) and part.least and not part.or_end
        ]
        self.needs = tuple(sorted(places, key=len))
        """The symbols for each place that must be filled, the rarest place first."""

    def possible(self, present: frozenset[str]) -> bool:
        """Whether a text of these symbols could match at all: it has one for every place that must be filled."""
        # A plain loop, the rarest place first: this runs for every pattern of every message.
        for place in self.needs:  # noqa: SIM110 - a generator takes three times as long
            if place.isdisjoint(present):
                return False
        return True

    @cached_property
    def expression(self) -> re.Pattern[str]:
        """The pattern as a regular expression over symbols."""
        return re.compile("".join(_expression(part, self._vocabulary) for part in self._parts))


def _expression(part: Part, vocabulary: Vocabulary) -> str:
    if isinstance(part, Edge):
        return f"(?<={END})" if part.start else f"(?={END})"
    if isinstance(part, Gap):
        return f"[^{END}]{{0,{part.most}}}?"
    single = "".join(vocabulary.symbols(one[0]) for one in part.phrases if len(one) == 1)
    longer = ["".join(f"[{vocabulary.symbols(word)}]" for word in one) for one in part.phrases if len(one) > 1]
    ends = [f"(?={END})"] if part.or_end else []
    choice = "|".join([*([f"[{single}]"] if single else []), *sorted(longer, key=len, reverse=True), *ends])
    return f"(?:{choice}){{{part.least},{part.most}}}"
