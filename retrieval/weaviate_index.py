"""The index on a Weaviate server: BM25 over our own token form, our own vectors, whole versions of documents."""

from __future__ import annotations

import time
import uuid
from typing import TYPE_CHECKING

from retrieval.clock import utc_now
from retrieval.embedding_model import Model, takes_no_vectors
from retrieval.weaviate_counts import Counts
from retrieval.weaviate_read import Reader
from retrieval.weaviate_schema import Shelf, open_shelf
from retrieval.weaviate_search import Searcher
from retrieval.weaviate_server import QUERY_SECONDS, Server
from retrieval.weaviate_write import Writer

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
    from datetime import date, datetime
    from pathlib import Path

    from retrieval.document import Document, Passage
    from retrieval.embed import Vector
    from retrieval.evidence import Hit
    from retrieval.index import IndexStatus
    from retrieval.weaviate_embedded import Programs

NAME = "Citewell"
"""What the collections' names begin with."""

STATUS_SECONDS = 5.0
"""How long a status may lag behind what another process writes; every search asks for one."""


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
        self._reader = Reader(shelf, self._counts)
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
        programs: Programs | None = None,
        re_embed: bool = False,
        name: str = NAME,
        patience: float = QUERY_SECONDS,
        clock: Callable[[], datetime] = utc_now,
        timer: Callable[[], float] = time.monotonic,
        versions: Callable[[], str] = new_version,
    ) -> WeaviateIndex:
        """Connect over HTTP and gRPC, make the collections that are missing, sweep what others left half done.

        `embedded` as the address runs a program of this machine, one of `programs`, which keeps its objects in `data`.

        `embedder` is the name and dimensions of the model in use; None means words alone. IndexMismatch if vectors of
        another one are in, unless `re_embed` says to drop those. IndexUnavailable, saying which port is closed or what
        else to mend, if the server cannot be used.
        """
        server = await Server.connect(url, api_key, data=data, programs=programs, patience=patience)
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
        return await self._shelf.server.ask(self._reader.catalogue(collection), seconds=60)

    async def expect(
        self,
        words: str,
        *,
        k: int,
        collections: Collection[str] | None = None,
        today: date | None = None,
        context: bool = True,
    ) -> None:
        """Does nothing: the server is asked for both lists at once."""

    async def search(
        self,
        words: str,
        vector: Vector | None,
        *,
        k: int,
        collections: Collection[str] | None = None,
        today: date | None = None,
        context: bool = True,
    ) -> Sequence[Hit]:
        """The `k` best passages. IndexMismatch if `vector` is of another size than those held."""
        found = self._searcher.search(words, vector, k, collections, today, context=context)
        return await self._shelf.server.ask(found)

    async def passages(self, ids: Collection[str], *, collections: Collection[str] | None = None) -> Sequence[Hit]:
        """Passages by id, in the order given."""
        return await self._shelf.server.ask(self._searcher.passages(ids, collections))

    async def cosines(self, ids: Collection[str], vector: Vector) -> Mapping[str, float]:
        """The similarity of each passage that has a vector with this one."""
        return await self._shelf.server.ask(self._searcher.cosines(ids, vector))

    async def passages_of(self, document_id: str) -> Sequence[Passage]:
        """One document's passages, in their order."""
        return await self._shelf.server.ask(self._reader.passages_of(document_id))

    async def document_frequencies(
        self, terms: Collection[str], *, collections: Collection[str] | None = None, today: date | None = None
    ) -> tuple[int, Mapping[str, int]]:
        """The number of passages, and in how many of them each term stands; up to a minute old."""
        return await self._shelf.server.ask(self._searcher.frequencies(terms, collections, today))

    async def unembedded(self, limit: int) -> Sequence[Passage]:
        """Up to `limit` passages that wait for a vector, scattered over the documents."""
        return await self._shelf.server.ask(self._reader.unembedded(limit))

    async def add_vectors(self, ids: Sequence[str], vectors: Vector) -> None:
        """Store one row an id. IndexMismatch if opened without an embedder."""
        if not self._takes_vectors:
            raise takes_no_vectors()
        await self._writing(self._writer.add_vectors(ids, vectors))

    async def set_contexts(self, passages: Sequence[Passage]) -> None:
        """Give passages the context they come with."""
        await self._writing(self._writer.set_contexts(passages))

    async def status(self) -> IndexStatus:
        """What it holds; up to five seconds old."""
        if self._status is None or self._timer() >= self._status[0]:
            self._status = self._timer() + STATUS_SECONDS, await self._shelf.server.ask(self._reader.status())
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
