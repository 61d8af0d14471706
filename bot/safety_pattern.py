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
from collections import Counter
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from bot.safety_text import BREAK, END, fold, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence, Set

Phrase: TypeAlias = tuple[str, ...]
"""Words in order; a word that ends in `*` stands for every word that begins so."""
Keys: TypeAlias = tuple[str, ...]
"""Any of these, each once: symbols, and pairs of symbols that stand side by side. Most are few, and a set of few takes
five times the memory.
"""

_OTHER = "."
_FIRST_SYMBOL = 0xE000
_BESIDE_BREAK = 1
"""Words of any kind that may stand between a named word and a broken line."""
_OF_PAIR = 0.25
"""How common two words side by side are, beside the rarer of them."""
_GAP = re.compile(r"\.\.([1-9]|1[0-2])")
_REPEATED = re.compile(r"(.+)\{0,([1-6])\}")


@dataclass(frozen=True, slots=True, eq=False)
class Element:
    """One place of a pattern: any of `phrases`, at least `least` and at most `most` times.

    With `or_end` the end of the sentence will do as well. Equal to itself alone, so that what is worked out for it is
    found again fast.
    """

    phrases: tuple[Phrase, ...]
    least: int = 1
    most: int = 1
    or_end: bool = False

    @property
    def must_be_filled(self) -> bool:
        """Whether no text matches without one of the phrases."""
        return self.least > 0 and not self.or_end


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
        found.extend(map(sys.intern, parts))  # the same words stand in many phrases
    return tuple(found)


def parse(pattern: str, lists: Mapping[str, Sequence[Phrase]], read: dict[str, Part]) -> tuple[Part, ...]:
    """A pattern's parts. PatternError for notation that is not understood or a list that does not exist.

    `read` holds the parts of earlier patterns over the same lists, and is added to.
    """
    for word in pattern.split():
        if word not in read:
            read[word] = _part(word, lists, pattern)
    parts = tuple(read[word] for word in pattern.split())
    if not any(isinstance(part, Element) and part.must_be_filled for part in parts):
        raise PatternError(f"a pattern needs a word that must be there: {pattern!r}")
    return parts


def _part(word: str, lists: Mapping[str, Sequence[Phrase]], pattern: str) -> Part:
    if word in {"^", "$"}:
        return Edge(start=word == "^")
    if gap := _GAP.fullmatch(word):
        return Gap(int(gap[1]))
    if word.startswith(".."):
        raise PatternError(f"a gap is of one to twelve words: {pattern!r}")
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
        elements = {part for parts in patterns for part in parts if isinstance(part, Element)}
        self._phrases = Counter(word for part in elements for one in part.phrases for word in set(one))
        self._words = sorted(self._phrases)
        self._symbols = {word: chr(_FIRST_SYMBOL + number) for number, word in enumerate(self._words)}
        self._exact = {word: symbol for word, symbol in self._symbols.items() if not word.endswith("*")}
        self._beginnings = {word[:-1]: symbol for word, symbol in self._symbols.items() if word.endswith("*")}
        self._first_two = {beginning[:2] for beginning in self._beginnings}
        self._lengths = sorted({len(beginning) for beginning in self._beginnings}, reverse=True)
        self._of_beginning: dict[str, str] = {}
        self._needs: dict[Element, Keys] = {}
        self._commonness: dict[Keys, float] = {}
        self._shared: dict[Keys, Keys] = {}
        self._keys: dict[str, str] = {}
        self._expressions: dict[tuple[Element, bool, str], str] = {}

    @property
    def known(self) -> frozenset[str]:
        """Every whole word that a rule names."""
        return frozenset(self._exact)

    @property
    def keys(self) -> Set[str]:
        """Every key that some pattern needs."""
        return self._keys.keys()

    def encode(self, found: Sequence[str]) -> str:
        """One symbol a word, `.` for words that no rule names, between sentence ends."""
        exact, first_two = self._exact, self._first_two
        symbols = {
            word: exact[word] if word in exact else self._by_beginning(word) if word[:2] in first_two else _OTHER
            for word in set(found)
        }
        symbols[END], symbols[BREAK] = END, BREAK
        return END + "".join(map(symbols.__getitem__, found)) + END

    def _by_beginning(self, word: str) -> str:
        beginnings = (self._beginnings.get(word[:length]) for length in self._lengths)
        return next(filter(None, beginnings), _OTHER)

    def symbols(self, word: str) -> str:
        """The symbols of every word that this word of a rule stands for."""
        if not word.endswith("*"):
            return self._symbols[word]
        if word not in self._of_beginning:
            beginning = word[:-1]
            first, behind = (bisect_left(self._words, one) for one in (beginning, beginning + chr(sys.maxunicode)))
            self._of_beginning[word] = "".join(self._symbols[other] for other in self._words[first:behind])
        return self._of_beginning[word]

    def needs(self, element: Element) -> Keys:
        """Keys of which a text must have one to fill this place: of each phrase two neighbours where both are plain
        words, and otherwise the symbols of its most telling word.

        What is equal is one object: thousands of patterns name the same words, and copies of their own
        take 20 MB more.
        """
        if element not in self._needs:
            found = {self._keys.setdefault(key, key) for one in element.phrases for key in self._telling(one)}
            keys = tuple(sorted(found))
            self._needs[element] = self._shared.setdefault(keys, keys)
        return self._needs[element]

    def commonness(self, needed: Keys) -> float:
        """How common the keys of a place are in messages, going by how often the rules name their words."""
        if needed not in self._commonness:
            counts = ([self._phrases[self._words[ord(symbol) - _FIRST_SYMBOL]] for symbol in key] for key in needed)
            self._commonness[needed] = sum(min(one) * (1 if len(one) == 1 else _OF_PAIR) for one in counts)
        return self._commonness[needed]

    def _telling(self, one: Phrase) -> Iterable[str]:
        if len(one) > 1:
            seldom = [self._phrases[word] for word in one]
            classes = [self.symbols(word) for word in one]
            pairs = [
                (min(seldom[at : at + 2]), a + b)
                for at, (a, b) in enumerate(pairwise(classes))
                if len(a) == len(b) == 1
            ]
            if pairs:
                return (min(pairs)[1],)
        return self.symbols(min(one, key=self._phrases.__getitem__))

    def settle(self) -> None:
        """Drop what is at hand for more patterns: 5 MB, which is worked out again should there be any."""
        for at_hand in (self._needs, self._commonness, self._shared):
            at_hand.clear()
        phrase.cache_clear()

    def expression(self, element: Element, *, first: bool, joint: str) -> str:
        """A place as a regular expression, `first` in its pattern or not, with `joint` between its words."""
        key = (element, first and element.must_be_filled, joint)
        if key not in self._expressions:
            self._expressions[key] = self._leading(element, joint) if key[1] else self._following(element, joint)
        return self._expressions[key]

    def _leading(self, element: Element, joint: str) -> str:
        """Every choice begins with one symbol, so that the search passes over what begins none."""
        longer = [(first, one[1:]) for one in self._longer(element) for first in one[0].strip("[]")]
        return f"(?:{'|'.join([*self._single(element), *(joint.join([first, *rest]) for first, rest in longer)])})"

    def _following(self, element: Element, joint: str) -> str:
        single = self._single(element)
        longer = [joint.join(one) for one in self._longer(element)]
        ends = [f"(?={END})"] if element.or_end else []
        choice = "|".join([*([f"[{single}]"] if single else []), *longer, *ends])
        if element.most == 1:
            return f"(?:{choice})" + ("" if element.least else "?")
        return f"(?:(?:{choice})(?:{joint}(?:{choice})){{0,{element.most - 1}}})?"

    def _single(self, element: Element) -> str:
        return "".join(self.symbols(one[0]) for one in element.phrases if len(one) == 1)

    def _longer(self, element: Element) -> list[list[str]]:
        """The phrases of several words, a class each, the longest first."""
        classes = [[f"[{self.symbols(word)}]" for word in one] for one in element.phrases if len(one) > 1]
        return sorted(classes, key=lambda one: sum(map(len, one)), reverse=True)


class Pattern:
    """One pattern over a vocabulary's symbols, compiled when a text first needs it."""

    def __init__(self, parts: Sequence[Part], vocabulary: Vocabulary) -> None:
        self._parts = parts
        self._vocabulary = vocabulary
        places = (vocabulary.needs(part) for part in parts if isinstance(part, Element) and part.must_be_filled)
        self.needs = tuple(sorted(places, key=vocabulary.commonness))
        """The keys for each place that must be filled, the rarest place first."""

    @cached_property
    def expression(self) -> re.Pattern[str]:
        """The pattern as a regular expression over symbols."""
        return self._compiled("")

    @cached_property
    def broken(self) -> re.Pattern[str]:
        """The same where lines may be broken: between two words that it names, or between one and few that it does not.
        So lines that have nothing to do with each other, as in a list, seldom make up a phrase.
        """
        return self._compiled(f"{BREAK}?")

    def _compiled(self, joint: str) -> re.Pattern[str]:
        made: list[str] = []
        for number, part in enumerate(self._parts):
            if joint and number and not isinstance(part, Gap) and not isinstance(self._parts[number - 1], Gap):
                made.append(joint)
            made.append(self._expression(number, part, joint))
        return re.compile("".join(made))

    def _expression(self, number: int, part: Part, joint: str) -> str:
        if isinstance(part, Edge):
            return f"(?<={END})" if part.start else f"(?={END})"
        if isinstance(part, Gap):
            within = f"[^{END}{BREAK}]"
            most = min(part.most, _BESIDE_BREAK)
            broken = f"{within}{{0,{most}}}?{BREAK}|" if joint else ""
            return f"(?:{broken}{within}{{0,{part.most}}}?)" if joint else f"[^{END}]{{0,{part.most}}}?"
        return self._vocabulary.expression(part, first=not number, joint=joint)
