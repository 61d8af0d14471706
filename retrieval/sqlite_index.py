"""The index in one SQLite file: BM25 by FTS5, vectors beside it searched exactly."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from retrieval.clock import utc_now
from retrieval.embedding_model import Model, takes_no_vectors
from retrieval.schema import prepare
from retrieval.sqlite_file import Lane, mended
from retrieval.sqlite_read import StatusReader, catalogue, passages_of, unembedded
from retrieval.sqlite_search import Searcher
from retrieval.sqlite_write import (
    add_vectors,
    check_model,
    drop_vectors,
    model_of,
    remove,
    replace,
    set_contexts,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from datetime import date, datetime
    from pathlib import Path

    from retrieval.document import Document, Passage
    from retrieval.embed import Vector
    from retrieval.evidence import Hit
    from retrieval.index import IndexStatus


class SqliteIndex:
    """The index port over one file. Any number of processes may have it open.

    Writes go through one thread and connection, reads through another, so a search runs beside an ingest and sees the
    file as it stood at one moment. Searches of one process run one after the other: each takes milliseconds, and they
    share one copy of the vectors.
    """

    def __init__(self, writer: Lane, reader: Lane, model: Model | None, clock: Callable[[], datetime]) -> None:
        self._writer = writer
        self._reader = reader
        self._model = model
        self._clock = clock
        self._searcher = Searcher(reader.connection, model)
        self._status = StatusReader(reader.connection)

    @classmethod
    async def open(
        cls,
        path: Path,
        *,
        embedder: tuple[str, int] | None,
        re_embed: bool = False,
        clock: Callable[[], datetime] = utc_now,
    ) -> SqliteIndex:
        """Open the file, making it and its folder where they are not there.

        `embedder` is the name and dimensions of the model in use; None means words alone. IndexMismatch if the file
        holds vectors of another one, unless `re_embed` says to drop those. IndexUnavailable if the file cannot be used.
        """
        model = Model(*embedder) if embedder is not None else None
        writer, reader = await asyncio.to_thread(_open_lanes, path, model, re_embed)
        return cls(writer, reader, model, clock)

    @property
    def name(self) -> str:
        """`sqlite`."""
        return "sqlite"

    async def replace(self, document: Document, passages: Sequence[Passage]) -> None:
        """Put a document in, whole, in one transaction; passages that read as before keep their vectors."""
        await self._writer.run(replace, self._writer.connection, document, passages, self._clock())

    async def remove(self, document_ids: Collection[str]) -> None:
        """Take documents out with their passages and vectors, all in one transaction."""
        await self._writer.run(remove, self._writer.connection, document_ids, self._clock())

    async def catalogue(self, collection: str | None = None) -> Sequence[Document]:
        """Every document's record, by id."""
        return await self._reader.run(catalogue, self._reader.connection, collection)

    async def expect(
        self,
        words: str,
        *,
        k: int,
        collections: Collection[str] | None = None,
        today: date | None = None,
        context: bool = True,
    ) -> None:
        """Makes the list by words, which the search then takes if nothing was written in between."""
        await self._reader.run(self._searcher.expect, words, k, collections, today, context=context)

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
        return await self._reader.run(self._searcher.search, words, vector, k, collections, today, context=context)

    async def passages(self, ids: Collection[str], *, collections: Collection[str] | None = None) -> Sequence[Hit]:
        """Passages by id, in the order given."""
        return await self._reader.run(self._searcher.passages, ids, collections)

    async def cosines(self, ids: Collection[str], vector: Vector) -> Mapping[str, float]:
        """The similarity of each passage that has a vector with this one."""
        return await self._reader.run(self._searcher.cosines, ids, vector)

    async def passages_of(self, document_id: str) -> Sequence[Passage]:
        """One document's passages, in their order."""
        return await self._reader.run(passages_of, self._reader.connection, document_id)

    async def document_frequencies(
        self, terms: Collection[str], *, collections: Collection[str] | None = None, today: date | None = None
    ) -> tuple[int, Mapping[str, int]]:
        """The number of passages, and in how many of them each term stands."""
        return await self._reader.run(self._searcher.frequencies, terms, collections, today)

    async def unembedded(self, limit: int) -> Sequence[Passage]:
        """Up to `limit` passages that wait for a vector, scattered over the documents."""
        return await self._reader.run(unembedded, self._reader.connection, limit)

    async def add_vectors(self, ids: Sequence[str], vectors: Vector) -> None:
        """Store one row an id, all in one transaction. IndexMismatch if opened without an embedder."""
        if self._model is None:
            raise takes_no_vectors()
        await self._writer.run(add_vectors, self._writer.connection, ids, vectors, self._model, self._clock())

    async def set_contexts(self, passages: Sequence[Passage]) -> None:
        """Give passages the context they come with, all in one transaction; what was found by the old one is not."""
        await self._writer.run(set_contexts, self._writer.connection, passages, self._clock())

    async def status(self) -> IndexStatus:
        """What it holds."""
        return await self._reader.run(self._status.status)

    async def close(self) -> None:
        """Finish what was begun, then let go of the file and the threads."""
        await self._writer.close()
        await asyncio.to_thread(self._searcher.close)
        await self._reader.close()


def _open_lanes(path: Path, model: Model | None, re_embed: bool) -> tuple[Lane, Lane]:
    """The writer's and the reader's, on a file brought to this version and checked against the model."""
    writer = Lane.open(path)
    try:
        with mended(path):
            prepare(writer.connection, path)
            if model is not None and re_embed and model_of(writer.connection) != model:
                drop_vectors(writer.connection)
            if model is not None:
                check_model(writer.connection, model)
        return writer, Lane.open(path)
    except BaseException:
        writer.connection.close()
        raise
