"""Rows and passages in one answer: which part of a question is for which, and what may not be said beside a row."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.lookup_vocabulary import FILLERS, tokens
from bot.quantities import quantities
from retrieval.terms import stem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from bot.lookup import Row
    from bot.lookup_vocabulary import Vocabulary

_BREAK = re.compile(
    r"\s*(?:[?;]\s+(?:and\s+)?|,?\s+and\s+)(?:also\s+)?"
    r"(?=(?:what|which|who|when|where|why|how|is|are|do|does|can|could|should|will|must|may)\b)",
    re.IGNORECASE,
)

_NOTHING = frozenset({"cancelled", "closed", "empty", "gone", "none", "nothing", "shut", "unavailable"})
"""Words that may deny a figure without one."""


def parted(question: str) -> Iterator[tuple[str, str]]:
    """Each of its two parts with the other, where it asks two things; else nothing."""
    parts = [part.strip() for part in _BREAK.split(question) if part.strip()]
    if len(parts) == 2:
        yield parts[0], parts[1]
        yield parts[1], parts[0]


@dataclass(frozen=True, slots=True)
class Beside:
    """What documents are asked beside rows: `question`, which follows `after`; the same where both are asked all of it.

    A passage must have none of the `names`, the stems of the words by which the rows' columns are called, nor repeat
    their `values`, and where `figures` are among these, it must have none of its own nor say that there is nothing: it
    could contradict them.
    """

    question: str
    after: str
    names: frozenset[str] = frozenset()
    values: frozenset[tuple[str, ...]] = frozenset()
    figures: bool = True

    @property
    def whole(self) -> bool:
        """Whether the documents are asked the whole question."""
        return self.question == self.after

    def allows(self, texts: Iterable[str]) -> bool:
        """Whether all of these may stand beside the rows. In doubt, none may."""
        return not any(self._touches(text) for text in texts)

    def _touches(self, text: str) -> bool:
        words = tokens(text)
        if self.figures and (quantities(text) or not _NOTHING.isdisjoint(words)):
            return True
        if not self.names.isdisjoint(map(stem, words)):
            return True
        return any(_has(words, value) for value in self.values)


def beside(question: str, after: str, columns: Sequence[str], rows: Sequence[Row], vocabulary: Vocabulary) -> Beside:
    """For these columns of the rows that were found; none means all."""
    shown = [
        column for column in vocabulary.types if column in columns or (not columns and column not in vocabulary.keys)
    ]
    called = [name for name, stands_for in vocabulary.columns.items() if not stands_for.isdisjoint(shown)]
    names = frozenset(stem(word) for name in called for word in name if word not in FILLERS)
    values = frozenset(tuple(tokens(row.written[column])) for row in rows for column in shown if row.written[column])
    figures = any(vocabulary.types[column] != "text" for column in shown)
    return Beside(question, after, names, values, figures)


def _has(words: Sequence[str], run: tuple[str, ...]) -> bool:
    size = len(run)
    return bool(run) and any(tuple(words[at : at + size]) == run for at in range(len(words) - size + 1))
