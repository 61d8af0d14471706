"""A message in symbols, and what is looked for in it: patterns with the exceptions near which they do not count."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from functools import cached_property
from operator import add
from typing import TYPE_CHECKING

from bot.safety_text import END

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence, Set

    from bot.safety_pattern import Pattern

_STRETCH, _SHARED = 96, 32
"""A longer sentence is searched in stretches of so many words, each sharing some with the next: more than any pattern
spans. So a pattern is only tried where its words are, and an exception far away in an unbroken text does not count."""

_NEAR = 12
"""An exception counts so many words around what it excepts: a harmless clause does not silence another far from it."""


class Encoded:
    """A message in symbols: no pattern reaches over a sentence's end. `keys` are those that patterns need: symbols, and
    pairs that stand side by side. It is searched in pieces, of several short sentences or a stretch of a long one.
    """

    def __init__(self, text: str, keys: Set[str], present: frozenset[str] | None = None) -> None:
        self.present = frozenset(_keys_in(text, keys)) if present is None else present
        """The keys that it has, and perhaps some that are hidden by now."""
        self._text = text
        self._keys = keys
        self._filled: dict[frozenset[str], int] = {}

    def without(self, hidden: Search) -> Encoded:
        """The message with a `.` for every symbol that a pattern covers, one pattern after the other."""
        text = self._text
        for _, pattern in hidden.possible(self.present):
            text = pattern.expression.sub(lambda match: "." * len(match[0]), text)
        return self if text == self._text else Encoded(text, self._keys, self.present)

    def having(self, pattern: Pattern) -> Iterator[str]:
        """The pieces that have a key for every place of a pattern."""
        left = (1 << len(self._pieces)) - 1
        if left > 1:
            for needed in pattern.needs:
                left &= self._with(needed)
        while left:
            lowest = left & -left
            left ^= lowest
            yield self._pieces[lowest.bit_length() - 1]

    def _with(self, needed: frozenset[str]) -> int:
        """One bit a piece: set where it has one of these keys. Worked out once for all patterns that need them."""
        if needed not in self._filled:
            found = 0
            for key in needed & self.present:
                found |= self._where.get(key, 0)
            self._filled[needed] = found
        return self._filled[needed]

    @cached_property
    def _pieces(self) -> list[str]:
        found: list[str] = []
        short = END
        for sentence in dict.fromkeys(self._text.split(END)):
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
            for key in _keys_in(piece, self.present):
                found[key] = found.get(key, 0) | bit
        return found


def _keys_in(text: str, keys: Set[str]) -> Set[str]:
    return keys & set(text).union(map(add, text, text[1:]))


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
        for piece in message.having(pattern):
            for match in pattern.expression.finditer(piece):
                near = _around(piece, match.start(), match.end()) if self.unless else ""
                if not any(one.expression.search(near) for one in self.unless):
                    return True
        return False


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
                if needed.isdisjoint(present):
                    break
            else:
                yield clause, pattern
