"""In how many passages a word stands, asked of Weaviate once and kept for a while."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from weaviate.classes.query import Filter

from retrieval.weaviate_versions import lapsed_versions, seen

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from datetime import date

    from weaviate.collections.classes.filters import FilterReturn

    from retrieval.weaviate_schema import Shelf
    from retrieval.weaviate_versions import Record

KEPT_SECONDS = 60.0
"""How long counts may lag behind what another process writes. Own changes, and words not found, are looked up anew."""

_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class _Part:
    """What of the index is counted: these collections, None meaning all, without the documents of these versions."""

    collections: frozenset[str] | None
    lapsed: frozenset[str]

    def filter(self, before: Mapping[str, Record], *also: FilterReturn) -> FilterReturn | None:
        """In each query."""
        holding = [Filter.by_property("version").contains_none(sorted(self.lapsed))] if self.lapsed else []
        return seen(before, self.collections, *also, *holding)


@dataclass(frozen=True, slots=True)
class _Known:
    """What was counted in one part."""

    total: int = 0
    terms: Mapping[str, int] = field(default_factory=dict)


class Counts:
    """Each count is one query that the server answers from its inverted index, without reading an object."""

    def __init__(self, shelf: Shelf, timer: Callable[[], float]) -> None:
        self._shelf = shelf
        self._timer = timer
        self._side_by_side = asyncio.Semaphore(_AT_ONCE)
        self._parts: dict[_Part, _Known] = {}
        self._lapsed: dict[date, frozenset[str]] = {}
        self._until = 0.0
        self._changes = 0

    def forget(self) -> None:
        """Look everything up anew: something was written."""
        self._parts, self._lapsed = {}, {}
        self._changes += 1

    async def of(
        self,
        terms: Collection[str],
        before: Mapping[str, Record],
        collections: Collection[str] | None = None,
        today: date | None = None,
    ) -> tuple[int, dict[str, int]]:
        """The number of passages, and in how many of them each term stands, in what readers see."""
        if collections is not None and not collections:
            return 0, dict.fromkeys(terms, 0)
        if self._timer() >= self._until:
            self.forget()
            self._until = self._timer() + KEPT_SECONDS
        changes = self._changes
        lapsed = frozenset[str]() if today is None else await self._lapsed_on(today)
        part = _Part(None if collections is None else frozenset(collections), lapsed)
        known = self._parts.get(part) or _Known()
        total = known.total or await self.passages(part.filter(before))
        missing = [term for term in dict.fromkeys(terms) if not known.terms.get(term)]
        counted = await asyncio.gather(*(self._frequency(term, before, part) for term in missing if total))
        terms_now = dict(known.terms) | dict.fromkeys(missing, 0) | dict(zip(missing, counted, strict=False))
        if changes == self._changes:
            self._parts[part] = _Known(total, terms_now)
        return total, {term: terms_now[term] for term in terms}

    async def passages(self, filters: FilterReturn | None) -> int:
        """How many passages match."""
        counting = self._shelf.passages.aggregate.over_all(filters=filters, total_count=True)
        return int((await self._shelf.server.ask(counting)).total_count or 0)

    async def _lapsed_on(self, today: date) -> frozenset[str]:
        if today not in self._lapsed:
            self._lapsed[today] = await lapsed_versions(self._shelf, today)
        return self._lapsed[today]

    async def _frequency(self, term: str, before: Mapping[str, Record], part: _Part) -> int:
        holds = Filter.by_property("tokens").contains_any([term])
        titled = Filter.by_property("title_tokens").contains_any([term])
        async with self._side_by_side:
            return await self.passages(part.filter(before, holds | titled))
