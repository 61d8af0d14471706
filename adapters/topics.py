"""Questions to begin with, made from the documents' own titles, and only such as the documents answer."""

from __future__ import annotations

import logging
import random
from typing import TYPE_CHECKING

from retrieval.errors import RetrievalError
from retrieval.evidence import Grade, Query

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from datetime import datetime

    from retrieval.document import Document
    from retrieval.index import Index
    from retrieval.search import Searcher

logger = logging.getLogger(__name__)

_LONGEST_TITLE = 60
_TRIED = 4
"""How many documents are tried for each question wanted."""
_HOUR = 3600.0


class Topics:
    """Asks about a few documents, others each day, and keeps the questions whose search finds that very document.

    `template` has a place for `{title}`. What was found for the same collections holds for an hour.
    """

    def __init__(self, index: Index, searcher: Searcher, template: str, clock: Callable[[], datetime]) -> None:
        self._index = index
        self._searcher = searcher
        self._template = template
        self._clock = clock
        self._known: dict[frozenset[str] | None, tuple[float, tuple[str, ...]]] = {}

    async def questions(self, collections: Collection[str] | None, *, count: int) -> tuple[str, ...]:
        """Up to `count` questions about documents of these collections (None: of all); none where the index is down."""
        key = None if collections is None else frozenset(collections)
        now = self._clock().timestamp()
        known = self._known.get(key)
        if known is None or known[0] <= now or len(known[1]) < count:
            try:
                known = (now + _HOUR, await self._found(key, count))
            except RetrievalError as error:
                logger.warning("no questions to begin with: %s", error)
                return ()
            self._known[key] = known
        return known[1][:count]

    async def _found(self, collections: frozenset[str] | None, count: int) -> tuple[str, ...]:
        today = self._clock().date()
        titled = {
            document.title: document
            for document in await self._index.catalogue()
            if (collections is None or document.collection in collections)
            and document.holds(today)
            and _is_title(document.title)
        }
        drawn = random.Random(today.toordinal()).sample(sorted(titled), min(len(titled), count * _TRIED))  # noqa: S311 - variety, not secrecy
        found: list[str] = []
        for title in drawn:
            if len(found) == count:
                break
            question = self._template.format(title=title)
            if await self._answered(question, titled[title], collections):
                found.append(question)
        return tuple(found)

    async def _answered(self, question: str, document: Document, collections: Collection[str] | None) -> bool:
        evidence = await self._searcher.search(Query(question, question), k=1, collections=collections)
        best: Sequence[object] = [hit.document.id for hit in evidence.hits[:1]]
        return evidence.grade is Grade.CORRECT and best == [document.id]


def _is_title(title: str) -> bool:
    """Whether it reads well in a question: short, in one line, with letters, and no file's name."""
    return (
        len(title) <= _LONGEST_TITLE
        and title.isprintable()
        and any(letter.isalpha() for letter in title)
        and not any(mark in title for mark in "<>_*`~|[]{}\\/@#")
    )
