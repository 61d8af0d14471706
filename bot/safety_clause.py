"""A message in symbols, and what is looked for in it: patterns with the exceptions near which they do not count."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from operator import add
from typing import TYPE_CHECKING

from bot.safety_text import END

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bot.safety_pattern import Pattern, Place

_STRETCH, _SHARED = 96, 32
"""A longer sentence is searched in stretches of so many words, each sharing some with the next: more than any pattern
spans. So a pattern is only tried where its words are, and an exception far away in an unbroken text does not count."""

_NEAR = 12
"""An exception counts so many words around what it excepts: a harmless clause does not silence another far from it."""


_MANY = 16
"""Among more sentences than this, it pays to look for whole phrases first."""


class Encoded:
    """A message in symbols, sentence by sentence: no pattern reaches over a sentence's end."""

    def __init__(self, text: str) -> None:
        self.present = frozenset(text)
        whole = (f"{END}{sentence}{END}" for sentence in dict.fromkeys(text.split(END)) if sentence)
        self._sentences = list(dict.fromkeys(stretch for sentence in whole for stretch in _stretches(sentence)))
        self._all = (1 << len(self._sentences)) - 1
        self._filled: dict[Place, int] = {}
        self._where: dict[str, int] = {}
        for number, sentence in enumerate(self._sentences):
            for symbol in set(sentence):
                self._where[symbol] = self._where.get(symbol, 0) | 1 << number

    def having(self, pattern: Pattern) -> Iterator[str]:
        """The sentences, each once, that have a symbol, or where they are many a phrase, for every place."""
        left = self._all
        if len(self._sentences) > 1:
            for needed in pattern.needs:
                found = 0
                for symbol in needed & self.present:
                    found |= self._where.get(symbol, 0)
                left &= found
        if len(self._sentences) > _MANY:
            for place in pattern.places:
                left &= left and self._with(place)
        while left:
            lowest = left & -left
            left ^= lowest
            yield self._sentences[lowest.bit_length() - 1]

    def _with(self, place: Place) -> int:
        """One bit a sentence: set where it may have what fills a place. Worked out once for all patterns with it."""
        if place not in self._filled:
            found = 0
            for symbol in place.alone & self.present:
                found |= self._where[symbol]
            for pairs in place.runs:
                having = self._all
                for pair in pairs:
                    having &= having and self._pairs.get(pair, 0)
                found |= having
            self._filled[place] = found
        return self._filled[place]

    @cached_property
    def _pairs(self) -> dict[str, int]:
        """One bit a sentence for each two symbols that stand side by side."""
        found: dict[str, int] = {}
        for number, sentence in enumerate(self._sentences):
            bit = 1 << number
            for pair in set(map(add, sentence, sentence[1:])):
                found[pair] = found.get(pair, 0) | bit
        return found


def _stretches(sentence: str) -> Iterator[str]:
    for start in range(0, max(1, len(sentence) - _SHARED), _STRETCH - _SHARED):
        yield sentence[start : start + _STRETCH]


@dataclass(frozen=True, slots=True)
class Clause:
    """Patterns of which one must match, and patterns of which none may match near it in the same sentence."""

    patterns: tuple[Pattern, ...]
    unless: tuple[Pattern, ...] = ()

    def holds(self, message: Encoded) -> bool:
        """Whether it holds in some sentence of a message."""
        return any(self.matches(pattern, message) for pattern in self.patterns)

    def matches(self, pattern: Pattern, message: Encoded) -> bool:
        """Whether one of its patterns matches somewhere with no exception near."""
        for sentence in message.having(pattern):
            for match in pattern.expression.finditer(sentence):
                near = sentence[max(0, match.start() - _NEAR) : match.end() + _NEAR]
                if not any(one.expression.search(near) for one in self.unless):
                    return True
        return False


class Search:
    """Many clauses at once: only what could match a text of its symbols is tried."""

    def __init__(self, clauses: Sequence[Clause]) -> None:
        self.clauses = clauses
        self._patterns = [(number, pattern) for number, clause in enumerate(clauses) for pattern in clause.patterns]
        self._places: list[dict[str, int]] = []
        """For each place, and each symbol that fills it, one bit a pattern; "" has those that need no such place."""
        deepest = max((len(pattern.needs) for _, pattern in self._patterns), default=0)
        for depth in range(deepest):
            filled: dict[str, list[int]] = {}
            for number, (_, pattern) in enumerate(self._patterns):
                for symbol in pattern.needs[depth] if depth < len(pattern.needs) else ("",):
                    filled.setdefault(symbol, []).append(number)
            self._places.append({symbol: _bits(numbers) for symbol, numbers in filled.items()})

    def holding(self, message: Encoded) -> Iterator[int]:
        """The numbers of the clauses that hold in a message, in order, each once."""
        last = -1
        for clause, pattern in self._possible(message.present):
            if clause != last and self.clauses[clause].matches(pattern, message):
                last = clause
                yield clause

    def hidden_in(self, text: str) -> str:
        """The text with a `.` for every symbol that a pattern covers, one pattern after the other."""
        for _, pattern in self._possible(frozenset(text)):
            text = pattern.expression.sub(lambda match: "." * len(match[0]), text)
        return text

    def _possible(self, present: frozenset[str]) -> Iterator[tuple[int, Pattern]]:
        """The patterns for each of whose places a text has a symbol, in order, and whose they are."""
        left = -1 if self._places else 0
        for filled in self._places:
            found = filled.get("", 0)
            for symbol in present:
                if bits := filled.get(symbol):
                    found |= bits
            left &= found
            if not left:
                return
        while left:
            lowest = left & -left
            left ^= lowest
            yield self._patterns[lowest.bit_length() - 1]


def _bits(numbers: Sequence[int]) -> int:
    found = bytearray(numbers[-1] // 8 + 1)
    for number in numbers:
        found[number // 8] |= 1 << number % 8
    return int.from_bytes(found, "little")
