"""A message in symbols, and what is looked for in it: patterns with the exceptions near which they do not count."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.safety_text import END

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bot.safety_pattern import Pattern

_STRETCH, _SHARED = 96, 32
"""A longer sentence is searched in stretches of so many words, each sharing some with the next: more than any pattern
spans. So a pattern is only tried where its words are, and an exception far away in an unbroken text does not count."""

_NEAR = 12
"""An exception counts so many words around what it excepts: a harmless clause does not silence another far from it."""


class Encoded:
    """A message in symbols, sentence by sentence: no pattern reaches over a sentence's end."""

    def __init__(self, text: str) -> None:
        self.present = frozenset(text)
        whole = (f"{END}{sentence}{END}" for sentence in dict.fromkeys(text.split(END)) if sentence)
        self._sentences = list(dict.fromkeys(stretch for sentence in whole for stretch in _stretches(sentence)))
        self._all = (1 << len(self._sentences)) - 1
        self._where: dict[str, int] = {}
        for number, sentence in enumerate(self._sentences):
            for symbol in set(sentence):
                self._where[symbol] = self._where.get(symbol, 0) | 1 << number

    def having(self, needs: Sequence[frozenset[str]]) -> Iterator[str]:
        """The sentences, each once, that have a symbol for every place of `needs`."""
        left = self._all
        if len(self._sentences) > 1:
            for place in needs:
                found = 0
                for symbol in place & self.present:
                    found |= self._where.get(symbol, 0)
                left &= found
        while left:
            lowest = left & -left
            left ^= lowest
            yield self._sentences[lowest.bit_length() - 1]


def _stretches(sentence: str) -> Iterator[str]:
    for start in range(0, max(1, len(sentence) - _SHARED), _STRETCH - _SHARED):
        yield sentence[start : start + _STRETCH]


@dataclass(frozen=True, slots=True)
class Clause:
    """Patterns of which one must match, and patterns of which none may match near it in the same sentence."""

    patterns: tuple[Pattern, ...]
    unless: tuple[Pattern, ...] = ()
    rarest: frozenset[str] = field(init=False)
    """A text without any of these symbols cannot match."""
    _by_rarest: dict[str, list[int]] = field(init=False)

    def __post_init__(self) -> None:
        by_rarest: dict[str, list[int]] = {}
        for number, pattern in enumerate(self.patterns):
            for symbol in pattern.needs[0]:
                by_rarest.setdefault(symbol, []).append(number)
        object.__setattr__(self, "_by_rarest", by_rarest)
        object.__setattr__(self, "rarest", frozenset(by_rarest))

    def holds(self, message: Encoded) -> bool:
        """Whether it holds in some sentence of a message."""
        return any(self._matches(pattern, message) for pattern in self._possible(message.present))

    def hidden_in(self, text: str) -> str:
        """The text with a `.` for every symbol that a pattern covers, one pattern after the other."""
        for pattern in self._possible(frozenset(text)):
            text = pattern.expression.sub(lambda match: "." * len(match[0]), text)
        return text

    def _possible(self, present: frozenset[str]) -> list[Pattern]:
        """The patterns that could match a text of these symbols, in order."""
        tried = {number for symbol in self.rarest & present for number in self._by_rarest[symbol]}
        return [pattern for number in sorted(tried) if (pattern := self.patterns[number]).possible(present)]

    def _matches(self, pattern: Pattern, message: Encoded) -> bool:
        for sentence in message.having(pattern.needs):
            for match in pattern.expression.finditer(sentence):
                near = sentence[max(0, match.start() - _NEAR) : match.end() + _NEAR]
                if not any(one.expression.search(near) for one in self.unless):
                    return True
        return False
