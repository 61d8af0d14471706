"""A message in symbols, and what is looked for in it: patterns with the exceptions near which they do not count."""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass
from functools import cached_property
from operator import add
from typing import TYPE_CHECKING

from bot.safety_text import BREAK, END

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence, Set

    from bot.safety_pattern import Keys, Pattern

_STRETCH, _SHARED = 96, 32
"""A longer sentence is searched in stretches of so many words, each sharing some with the next: more than any pattern
spans. So a pattern is only tried where its words are, and an exception far away in an unbroken text does not count."""

_NEAR = 12
"""An exception counts so many words around what it excepts: a harmless clause does not silence another far from it."""


_SYMBOL = re.compile(f"[^{BREAK}]")


class Encoded:
    """A message in symbols: no pattern reaches over a sentence's end. `keys` are those that patterns need: symbols, and
    pairs that stand side by side. It is searched in pieces, of several short sentences or a stretch of a long one.

    Of a text with a `BREAK` in it only what reaches over one is found.
    """

    def __init__(self, text: str, keys: Set[str], present: frozenset[str] | None = None) -> None:
        self._broken = BREAK in text
        self._text = text
        self._keys = keys
        self.present = self._keys_in(text) if present is None else present
        """The keys that it has, and perhaps some that are hidden by now."""
        self._filled: dict[Keys, int] = {}

    def by_line(self) -> Encoded:
        """The message with each line by itself."""
        return Encoded(self._text.replace(BREAK, END), self._keys, self.present) if self._broken else self

    def without(self, hidden: Search) -> Encoded:
        """The message with a `.` for every symbol that a pattern covers, one pattern after the other."""
        text = self._text
        for _, pattern in hidden.possible(self.present):
            text = self.expression(pattern).sub(lambda match: _SYMBOL.sub(".", match[0]), text)
        return self if text == self._text else Encoded(text, self._keys, self.present)

    def expression(self, pattern: Pattern) -> re.Pattern[str]:
        """What a pattern is looked for with."""
        return pattern.broken if self._broken else pattern.expression

    def matches(self, pattern: Pattern) -> Iterator[str]:
        """What stands around each match of a pattern in its sentence."""
        left = (1 << len(self._pieces)) - 1
        if left > 1:
            for needed in pattern.needs:
                left &= self._with(needed)
        while left:
            lowest = left & -left
            left ^= lowest
            piece = self._pieces[lowest.bit_length() - 1]
            for match in self.expression(pattern).finditer(piece):
                if not self._broken or BREAK in match[0]:
                    yield _around(piece, *match.span())

    def _with(self, needed: Keys) -> int:
        """One bit a piece: set where it has one of these keys. Worked out once for all patterns that need them."""
        if needed not in self._filled:
            found = 0
            for key in needed:
                if key in self.present:
                    found |= self._where.get(key, 0)
            self._filled[needed] = found
        return self._filled[needed]

    @cached_property
    def _pieces(self) -> list[str]:
        found: list[str] = []
        short = END
        for sentence in dict.fromkeys(self._text.split(END)):
            if self._broken and BREAK not in sentence:
                continue
            if len(sentence) + 2 > _STRETCH:
                found.extend(dict.fromkeys(_stretches(f"{END}{sentence}{END}")))
                continue
            if len(short) + len(sentence) > _STRETCH:
                found.append(short)
                short = END
            short += sentence + END
        return [*found, short]

    @cached_property
    def _where(self) -> dict[str, int]:
        """One bit a piece for each key."""
        found: dict[str, int] = {}
        for number, piece in enumerate(self._pieces):
            bit = 1 << number
            for key in self._keys_in(piece):
                found[key] = found.get(key, 0) | bit
        return found

    def _keys_in(self, text: str) -> frozenset[str]:
        if self._broken:
            text = text.replace(BREAK, "")
        return frozenset(self._keys & set(text).union(map(add, text, text[1:])))


def _around(piece: str, start: int, end: int) -> str:
    """What stands near within the same sentence, with the sentence's ends where they are as near."""
    first = max(0, piece.rfind(END, max(0, start - _NEAR), start), start - _NEAR)
    behind = piece.find(END, end, end + _NEAR)
    return piece[first : behind + 1 if behind >= 0 else end + _NEAR]


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
        return any(not any(one.expression.search(near) for one in self.unless) for near in message.matches(pattern))


class Search:
    """Many clauses at once: only what could match a text of its keys is tried."""

    def __init__(self, clauses: Sequence[Clause]) -> None:
        self.clauses = clauses
        self._patterns = [(number, pattern) for number, clause in enumerate(clauses) for pattern in clause.patterns]
        self._with_rarest: dict[str, array[int]] = {}
        """For each key the patterns whose rarest place it fills: a pattern is looked for by that place."""
        for number, (_, pattern) in enumerate(self._patterns):
            for key in pattern.needs[0]:
                self._with_rarest.setdefault(key, array("H")).append(number)

    def holding(self, message: Encoded) -> Iterator[int]:
        """The numbers of the clauses that hold in a message, in order, each once."""
        last = -1
        for clause, pattern in self.possible(message.present):
            if clause != last and self.clauses[clause].matches(pattern, message):
                last = clause
                yield clause

    def possible(self, present: frozenset[str]) -> Iterator[tuple[int, Pattern]]:
        """The patterns for each of whose places a text has a key, in order, and whose they are."""
        found = set[int]().union(*[self._with_rarest[key] for key in self._with_rarest.keys() & present])
        for number in sorted(found):
            clause, pattern = self._patterns[number]
            for needed in pattern.needs:
                if present.isdisjoint(needed):
                    break
            else:
                yield clause, pattern
