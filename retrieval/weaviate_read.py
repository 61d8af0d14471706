"""What the Weaviate index holds, read without searching."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from weaviate.classes.aggregate import GroupByAggregate, Metrics
from weaviate.classes.query import Filter

from retrieval.index import IndexStatus
from retrieval.weaviate_rows import BUCKETS, NO_VECTORS, read_passage
from retrieval.weaviate_versions import in_change, read_record, seen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weaviate.collections.classes.filters import FilterReturn

    from retrieval.document import Document, Passage
    from retrieval.weaviate_counts import Counts
    from retrieval.weaviate_schema import Shelf
    from retrieval.weaviate_versions import Record

_MOST_COLLECTIONS = 1000
_PAGE = 1000


class Reader:
    """Reads the live versions alone."""

    def __init__(self, shelf: Shelf, counts: Counts) -> None:
        self._shelf = shelf
        self._counts = counts

    async def catalogue(self, collection: str | None) -> list[Document]:
        """Every document's record, of one collection or of all, by id."""
        rows = self._shelf.documents.iterator(cache_size=1000)
        read = [read_record(row.properties) async for row in rows]
        documents = [record.document for record in read if record.document is not None]
        chosen = [one for one in documents if collection is None or one.collection == collection]
        return sorted(chosen, key=lambda document: document.id)

    async def passages_of(self, document_id: str) -> list[Passage]:
        """One document's passages, in their order."""
        visible = seen(await in_change(self._shelf))
        own = Filter.by_property("document_id").equal(document_id)
        of_document = own if visible is None else visible & own
        found: list[Passage] = []
        while True:
            rows = await self._shelf.passages.query.fetch_objects(filters=of_document, limit=_PAGE, offset=len(found))
            found += [read_passage(row.properties) for row in rows.objects]
            if len(rows.objects) < _PAGE:
                return sorted(found, key=lambda passage: passage.ordinal)

    async def unembedded(self, limit: int) -> list[Passage]:
        """Up to `limit` passages that wait for a vector, bucket after bucket: so a part is a fair sample of all."""
        before = await in_change(self._shelf)
        waits = self._has_vector(before, yes=False)
        total, waiting = await self._counts.passages(seen(before)), await self._counts.passages(waits)
        if not waiting or limit < 1:
            return []
        reached = BUCKETS * (total - waiting + limit) // max(total, 1)
        early = Filter.by_property("bucket").less_or_equal(reached)
        found: dict[str, Passage] = {}
        for filters in (waits & early, waits):
            rows = await self._shelf.passages.query.fetch_objects(filters=filters, limit=limit)
            found |= {one.id: one for one in (read_passage(row.properties) for row in rows.objects)}
            if len(found) >= min(limit, waiting):
                break
        return list(found.values())[:limit]

    async def status(self) -> IndexStatus:
        """Counts, and the model whose vectors are in."""
        before = await in_change(self._shelf)
        passages = await self._counts.passages(seen(before))
        embedded = await self._counts.passages(self._has_vector(before, yes=True))
        by_collection = await self._shelf.documents.aggregate.over_all(
            filters=Filter.by_property("live").equal(val=True),
            group_by=GroupByAggregate(prop="collection", limit=_MOST_COLLECTIONS),
            total_count=True,
            return_metrics=[Metrics("changed").date_(maximum=True)],
        )
        collections = {str(group.grouped_by.value): group.total_count or 0 for group in by_collection.groups}
        changed = [getattr(group.properties.get("changed"), "maximum", None) for group in by_collection.groups]
        model = self._shelf.model if embedded else None
        return IndexStatus(
            documents=sum(collections.values()),
            passages=passages,
            embedded=embedded,
            model=model.name if model else None,
            dimensions=model.dimensions if model else None,
            collections=collections,
            updated_at=max((datetime.fromisoformat(one) for one in changed if one), default=None),
        )

    def _has_vector(self, before: Mapping[str, Record], *, yes: bool) -> FilterReturn:
        """Passages that have the model's vector, or wait for it."""
        by_mark, mark = Filter.by_property("model"), self._shelf.mark or NO_VECTORS
        marked = by_mark.equal(mark) if yes else by_mark.not_equal(mark)
        return seen(before, None, marked) or marked
