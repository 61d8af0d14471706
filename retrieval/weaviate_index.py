"""The index on a Weaviate server: BM25 over our own token form, our own vectors, whole versions of documents."""

from __future__ import annotations

import time
import uuid
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from weaviate.classes.aggregate import GroupByAggregate, Metrics
from weaviate.classes.query import Filter

from retrieval.errors import IndexMismatch
from retrieval.index import IndexStatus
from retrieval.weaviate_counts import Counts
from retrieval.weaviate_rows import BUCKETS, NO_VECTORS, read_passage
from retrieval.weaviate_schema import Model, Shelf, open_shelf
from retrieval.weaviate_search import Searcher
from retrieval.weaviate_server import QUERY_SECONDS, Server
from retrieval.weaviate_versions import in_change, read_record, seen
from retrieval.weaviate_write import Writer

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
    from pathlib import Path

    from weaviate.collections.classes.filters import FilterReturn

    from retrieval.document import Document, Passage
    from retrieval.embed import Vector
    from retrieval.evidence import Hit
    from retrieval.weaviate_versions import Record

NAME = "Citewell"
"""What the collections' names begin with."""

STATUS_SECONDS = 5.0
"""How long a status may lag behind what another process writes; every search asks for one."""

_MOST_COLLECTIONS = 1000
_PAGE = 1000


def utc_now() -> datetime:
    """The time, with its zone."""
    return datetime.now(UTC)


def new_version() -> str:
    """A name that no version of any document has had."""
    return uuid.uuid4().hex


class WeaviateIndex:
    """The index port over one Weaviate server or cluster. Any number of processes may have it open.

    One process should ingest a given document at a time. Make one with `open`.
    """

    def __init__(
        self,
        shelf: Shelf,
        name: str,
        *,
        takes_vectors: bool,
        clock: Callable[[], datetime],
        timer: Callable[[], float],
        versions: Callable[[], str],
    ) -> None:
        self._shelf = shelf
        self._takes_vectors = takes_vectors
        self._timer = timer
        self._counts = Counts(shelf, timer)
        self._searcher = Searcher(shelf, self._counts, name)
        self._writer = Writer(shelf, clock=clock, timer=timer, new_version=versions)
        self._status: tuple[float, IndexStatus] | None = None

    @classmethod
    async def open(
        cls,
        url: str,
        *,
        embedder: tuple[str, int] | None,
        api_key: str | None = None,
        data: Path | None = None,
        re_embed: bool = False,
        name: str = NAME,
        patience: float = QUERY_SECONDS,
        clock: Callable[[], datetime] = utc_now,
        timer: Callable[[], float] = time.monotonic,
        versions: Callable[[], str] = new_version,
    ) -> WeaviateIndex:
        """Connect over HTTP and gRPC, make the collections that are missing, sweep what others left half done.

        `embedded` as the address runs a program of this machine, which keeps its objects in `data`.

        `embedder` is the name and dimensions of the model in use; None means words alone. IndexMismatch if vectors of
        another one are in, unless `re_embed` says to drop those. IndexUnavailable, saying which port is closed or what
        else to mend, if the server cannot be used.
        """
        server = await Server.connect(url, api_key, data=data, patience=patience)
        try:
            model = Model(*embedder) if embedder is not None else None
            shelf = await open_shelf(server, name, model, re_embed=re_embed, new_generation=versions)
            index = cls(shelf, name, takes_vectors=model is not None, clock=clock, timer=timer, versions=versions)
            await index._writer.sweep_leftovers()
        except BaseException:
            await server.close()
            raise
        return index

    @property
    def name(self) -> str:
        """`weaviate`."""
        return "weaviate"

    async def replace(self, document: Document, passages: Sequence[Passage]) -> None:
        """Put a document in, whole; passages that read as before keep their vectors."""
        await self._writing(self._writer.replace(document, passages))

    async def remove(self, document_ids: Collection[str]) -> None:
        """Take documents out with their passages and vectors, each in one step."""
        await self._writing(self._writer.remove(document_ids))

    async def catalogue(self, collection: str | None = None) -> Sequence[Document]:
        """Every document's record, by id."""
        return await self._shelf.server.ask(self._catalogue(collection), seconds=60)

    async def search(
        self,
        words: str,
        vector: Vector | None,
        *,
        k: int,
        collections: Collection[str] | None = None,
        context: bool = True,
    ) -> Sequence[Hit]:
        """The `k` best passages. IndexMismatch if `vector` is of another size than those held."""
        return await self._shelf.server.ask(self._searcher.search(words, vector, k, collections, context=context))

    async def passages(self, ids: Collection[str], *, collections: Collection[str] | None = None) -> Sequence[Hit]:
        """Passages by id, in the order given."""
        return await self._shelf.server.ask(self._searcher.passages(ids, collections))

    async def cosines(self, ids: Collection[str], vector: Vector) -> Mapping[str, float]:
        """The similarity of each passage that has a vector with this one."""
        return await self._shelf.server.ask(self._searcher.cosines(ids, vector))

    async def passages_of(self, document_id: str) -> Sequence[Passage]:
        """One document's passages, in their order."""
        return await self._shelf.server.ask(self._passages_of(document_id))

    async def document_frequencies(self, terms: Collection[str]) -> tuple[int, Mapping[str, int]]:
        """The number of passages, and in how many of them each term stands; up to a minute old."""
        return await self._shelf.server.ask(self._searcher.frequencies(terms))

    async def unembedded(self, limit: int) -> Sequence[Passage]:
        """Up to `limit` passages that wait for a vector, scattered over the documents."""
        return await self._shelf.server.ask(self._unembedded(limit))

    async def add_vectors(self, ids: Sequence[str], vectors: Vector) -> None:
        """Store one row an id. IndexMismatch if opened without an embedder."""
        if not self._takes_vectors:
            raise IndexMismatch("This index was opened without an embedding model, so it takes no vectors.")
        await self._writing(self._writer.add_vectors(ids, vectors))

    async def set_contexts(self, passages: Sequence[Passage]) -> None:
        """Give passages the context they come with."""
        await self._writing(self._writer.set_contexts(passages))

    async def status(self) -> IndexStatus:
        """What it holds; up to five seconds old."""
        if self._status is None or self._timer() >= self._status[0]:
            self._status = self._timer() + STATUS_SECONDS, await self._shelf.server.ask(self._read_status())
        return self._status[1]

    async def close(self) -> None:
        """Close the connections."""
        await self._shelf.server.close()

    async def _writing(self, change: Awaitable[None]) -> None:
        """What is known of the index is looked up anew after a change, also after one that failed half way."""
        try:
            await change
        finally:
            self._counts.forget()
            self._status = None

    async def _catalogue(self, collection: str | None) -> list[Document]:
        rows = self._shelf.documents.iterator(cache_size=1000)
        read = [read_record(row.properties) async for row in rows]
        documents = [record.document for record in read if record.document is not None]
        chosen = [one for one in documents if collection is None or one.collection == collection]
        return sorted(chosen, key=lambda document: document.id)

    async def _passages_of(self, document_id: str) -> list[Passage]:
        visible = seen(await in_change(self._shelf))
        own = Filter.by_property("document_id").equal(document_id)
        of_document = own if visible is None else visible & own
        found: list[Passage] = []
        while True:
            rows = await self._shelf.passages.query.fetch_objects(filters=of_document, limit=_PAGE, offset=len(found))
            found += [read_passage(row.properties) for row in rows.objects]
            if len(rows.objects) < _PAGE:
                return sorted(found, key=lambda passage: passage.ordinal)

    async def _unembedded(self, limit: int) -> list[Passage]:
        """Bucket after bucket, so that a part of the vectors is a fair sample of all documents."""
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

    async def _read_status(self) -> IndexStatus:
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
