"""In how many passages a word stands, asked of Weaviate once and kept for a while."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from weaviate.classes.query import Filter

from retrieval.weaviate_tokens import token
from retrieval.weaviate_versions import seen

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from weaviate.collections.classes.filters import FilterReturn

    from retrieval.weaviate_schema import Shelf
    from retrieval.weaviate_versions import Record

KEPT_SECONDS = 60.0
"""How long counts may lag behind what another process writes. Own changes, and words not found, are looked up anew."""

_AT_ONCE = 16


class Counts:
    """Each count is one query that the server answers from its inverted index, without reading an object."""

    def __init__(self, shelf: Shelf, timer: Callable[[], float]) -> None:
        self._shelf = shelf
        self._timer = timer
        self._side_by_side = asyncio.Semaphore(_AT_ONCE)
        self._known: dict[str, int] = {}
        self._total = 0
        self._until = 0.0
        self._changes = 0

    def forget(self) -> None:
        """Look everything up anew: something was written."""
        self._known, self._total = {}, 0
        self._changes += 1

    async def of(self, terms: Collection[str], before: Mapping[str, Record]) -> tuple[int, dict[str, int]]:
        """The number of passages, and in how many of them each term stands, in what readers see."""
        if self._timer() >= self._until:
            self.forget()
            self._until = self._timer() + KEPT_SECONDS
        changes = self._changes
        total = self._total or await self.passages(seen(before))
        missing = [term for term in dict.fromkeys(terms) if not self._known.get(term)]
        counted = await asyncio.gather(*(self._frequency(term, before) for term in missing if total))
        found = dict.fromkeys(missing, 0) | dict(zip(missing, counted, strict=False))
        answer = total, {term: found.get(term, self._known.get(term, 0)) for term in terms}
        if changes == self._changes:
            self._total = total
            self._known |= found
        return answer

    async def passages(self, filters: FilterReturn | None) -> int:
        """How many passages match."""
        counting = self._shelf.passages.aggregate.over_all(filters=filters, total_count=True)
        return int((await self._shelf.server.ask(counting)).total_count or 0)

    async def _frequency(self, term: str, before: Mapping[str, Record]) -> int:
        written = [token([term])]
        holds = Filter.by_property("tokens").contains_any(written)
        titled = Filter.by_property("title_tokens").contains_any(written)
        async with self._side_by_side:
            return await self.passages(seen(before, None, holds | titled))
