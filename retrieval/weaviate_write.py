"""Changes to the Weaviate index, each seen whole or not at all."""

from __future__ import annotations

import asyncio
from collections import deque
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
from weaviate.classes.data import DataObject
from weaviate.classes.query import Filter

from retrieval.embedding_model import takes_no_vectors
from retrieval.errors import IndexUnavailable
from retrieval.rows import digest
from retrieval.weaviate_rows import WAITING, context_properties, passage_properties, passage_uuid, read_passage
from retrieval.weaviate_schema import VECTOR
from retrieval.weaviate_server import QUERY_SECONDS, WRITE_SECONDS
from retrieval.weaviate_versions import GRACE, NOTHING, Record, in_change, records, seen

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence
    from datetime import datetime
    from uuid import UUID

    from retrieval.document import Document, Passage
    from retrieval.embed import Vector
    from retrieval.weaviate_schema import Shelf
    from retrieval.weaviate_server import Objects

LEFT_BEHIND = timedelta(minutes=15)
"""A change this old is of a process that has ended: longer than a write may take and clocks may differ."""

_PAGE = 500
_MOST = 10_000


class Writer:
    """Writes one change at a time. `timer` counts seconds and never goes back; `new_version` gives names never used."""

    def __init__(
        self,
        shelf: Shelf,
        *,
        clock: Callable[[], datetime],
        timer: Callable[[], float],
        new_version: Callable[[], str],
    ) -> None:
        self._shelf = shelf
        self._clock = clock
        self._timer = timer
        self._new_version = new_version
        self._turn = asyncio.Lock()
        self._due: deque[tuple[float, str, str]] = deque()

    async def replace(self, document: Document, passages: Sequence[Passage]) -> None:
        """Put a document in, in place of any version of it. A passage that reads as before keeps its vector."""
        async with self._turn:
            await self._sweep_due()
            await self._shelf.server.ask(self._replace(document, passages), seconds=WRITE_SECONDS)

    async def remove(self, document_ids: Collection[str]) -> None:
        """Take documents out with their passages and vectors."""
        async with self._turn:
            await self._sweep_due()
            there = [one for one in (await records(self._shelf, document_ids)).values() if one.version != NOTHING]
            await self._keep(record.turned(NOTHING, None) for record in there)
            for record in there:
                self._retire(record.document_id, record.version)

    async def add_vectors(self, ids: Sequence[str], vectors: Vector) -> None:
        """Store one row a passage, in place of any it had."""
        model, mark = self._shelf.model, self._shelf.mark
        if model is None or mark is None:
            raise takes_no_vectors()
        model.check_rows(len(ids), vectors)
        async with self._turn:
            await self._sweep_due()
            # In time: a passage that is replaced meanwhile is deleted later than this may write it again.
            await self._shelf.server.ask(self._add_vectors(ids, vectors, mark), seconds=2 * QUERY_SECONDS)

    async def set_contexts(self, passages: Sequence[Passage]) -> None:
        """Give passages the context they come with, and drop the vectors that were made with others."""
        if not passages:
            return
        async with self._turn:
            await self._sweep_due()
            await self._shelf.server.ask(self._set_contexts(passages), seconds=2 * QUERY_SECONDS)

    async def sweep_leftovers(self) -> None:
        """Delete what processes left behind that ended in the middle, or before a retired version was due."""
        oldest = self._clock() - LEFT_BEHIND
        left = [one for one in (await in_change(self._shelf)).values() if one.changed is None or one.changed < oldest]
        if left and not await self._shelf.is_whole():
            return
        await self._sweep({record.document_id: {*record.pending, *record.retired} for record in left})

    async def _replace(self, document: Document, passages: Sequence[Passage]) -> None:
        record = (await records(self._shelf, [document.id]))[document.id]
        kept = await self._vectors_by_text(record)
        version = self._new_version()
        await self._keep([record.coming(version)])
        try:
            await self._put_passages(document, passages, version, kept)
            now = (await records(self._shelf, [document.id]))[document.id]
            await self._keep([now.turned(version, document)])
        except BaseException:
            self._retire(document.id, version)
            raise
        self._retire(document.id, now.version)

    async def _put_passages(
        self, document: Document, passages: Sequence[Passage], version: str, kept: dict[bytes, list[float]]
    ) -> None:
        mark = self._shelf.mark or WAITING
        rows, vectors = [], []
        for passage in passages:
            vector = kept.get(digest(passage.context, passage.text))
            values = passage_properties(passage, document, version, mark if vector else WAITING)
            id_ = passage_uuid(passage.id, version)
            rows.append(DataObject(properties=values, uuid=id_))
            if vector:
                vectors.append(_vector_object(values, vector))
        if self._shelf.vectors is not None:
            await self._put(self._shelf.vectors, vectors)
        await self._put(self._shelf.passages, rows)

    async def _add_vectors(self, ids: Sequence[str], vectors: Vector, mark: str) -> None:
        rows = {id_: vectors[at] for at, id_ in enumerate(ids)}
        wanted = Filter.by_property("passage_id").contains_any(list(rows))
        there = await self._shelf.passages.query.fetch_objects(
            filters=seen(await in_change(self._shelf), None, wanted), limit=len(rows)
        )
        if self._shelf.vectors is None or not there.objects:
            return
        await self._put(
            self._shelf.vectors,
            [_vector_object(one.properties, rows[one.properties["passage_id"]].tolist()) for one in there.objects],
        )
        marked = [DataObject(properties={**one.properties, "model": mark}, uuid=one.uuid) for one in there.objects]
        await self._put(self._shelf.passages, marked)

    async def _set_contexts(self, passages: Sequence[Passage]) -> None:
        given = {passage.id: passage for passage in passages}
        wanted = Filter.by_property("passage_id").contains_any(list(given))
        there = await self._shelf.passages.query.fetch_objects(
            filters=seen(await in_change(self._shelf), None, wanted), limit=len(given)
        )
        placed: dict[UUID, DataObject[Any, Any]] = {}
        for one in there.objects:
            held, passage = read_passage(one.properties), given[one.properties["passage_id"]]
            if (held.text, held.about) == (passage.text, passage.about) and held.context != passage.context:
                changed = {**one.properties, **context_properties(passage), "model": WAITING}
                placed[one.uuid] = DataObject(properties=changed, uuid=one.uuid)
        if not placed:
            return
        # First the mark that a vector is wanted: were the vector deleted before it and this ended, it would stay away.
        await self._put(self._shelf.passages, list(placed.values()))
        if self._shelf.vectors is not None:
            stale = Filter.by_id().contains_any(list(placed))
            await self._shelf.server.ask(self._shelf.writing(self._shelf.vectors).data.delete_many(where=stale))

    async def _vectors_by_text(self, record: Record) -> dict[bytes, list[float]]:
        """The vectors of the live version's passages, by what those say."""
        mark, vectors = self._shelf.mark, self._shelf.vectors
        if mark is None or vectors is None or record.version == NOTHING:
            return {}
        of_version = Filter.by_property("version").equal(record.version)
        texts = await self._shelf.passages.query.fetch_objects(
            filters=of_version & Filter.by_property("model").equal(mark),
            limit=_MOST,
            return_properties=["text", "context"],
        )
        digests = {one.uuid: digest(one.properties["context"] or "", one.properties["text"]) for one in texts.objects}
        kept: dict[bytes, list[float]] = {}
        for start in range(0, len(digests), _PAGE):
            some = list(digests)[start : start + _PAGE]
            found = await vectors.query.fetch_objects(
                filters=Filter.by_id().contains_any(some),
                limit=len(some),
                include_vector=[VECTOR],
                return_properties=False,
            )
            kept |= {digests[one.uuid]: np.asarray(one.vector[VECTOR]).ravel().tolist() for one in found.objects}
        return kept

    async def _keep(self, changed: Iterable[Record]) -> None:
        await self._put(self._shelf.documents, [record.as_object(self._clock()) for record in changed])

    async def _put(self, objects: Objects, given: Sequence[DataObject[Any, Any]]) -> None:
        await self._check_replicas()
        await self._shelf.server.put(self._shelf.writing(objects), given)

    async def _check_replicas(self) -> None:
        """IndexUnavailable where a change would miss one, which would show half of it when it comes back."""
        if not await self._shelf.is_whole():
            message = (
                "A node of the Weaviate cluster does not answer, and a change has to reach all that hold the data. "
                "Searches go on; ingest again when it is back."
            )
            raise IndexUnavailable(message)

    def _retire(self, document_id: str, version: str) -> None:
        self._due.append((self._timer() + GRACE, document_id, version))

    async def _sweep_due(self) -> None:
        """Delete what no search can be reading any more."""
        doomed: dict[str, set[str]] = {}
        while self._due and self._due[0][0] <= self._timer():
            _, document_id, version = self._due.popleft()
            doomed.setdefault(document_id, set()).add(version)
        await self._sweep(doomed)

    async def _sweep(self, doomed: dict[str, set[str]]) -> None:
        if not doomed:
            return
        await self._check_replicas()
        versions = sorted(set().union(*doomed.values()) - {NOTHING})
        for start in range(0, len(versions), _PAGE):
            of_versions = Filter.by_property("version").contains_any(versions[start : start + _PAGE])
            for objects in filter(None, (self._shelf.passages, self._shelf.vectors)):
                deleting = self._shelf.writing(objects)
                while (await self._shelf.server.ask(deleting.data.delete_many(where=of_versions))).matches >= _MOST:
                    pass
        now = await records(self._shelf, doomed)
        left = [record.without(doomed[id_]) for id_, record in now.items()]
        await self._keep(record for record in left if record.busy or record.document)
        gone = [record.document_id for record in left if not (record.busy or record.document)]
        if gone:
            of_documents = Filter.by_property("document_id").contains_any(gone)
            where = Filter.by_property("live").equal(val=False) & of_documents
            await self._shelf.server.ask(self._shelf.writing(self._shelf.documents).data.delete_many(where=where))


def _vector_object(values: Any, vector: list[float]) -> DataObject[Any, Any]:
    """The vector of a passage, under the id of its object, with what a search filters by."""
    names = ("passage_id", "document_id", "version", "collection")
    return DataObject(
        properties={name: values[name] for name in names},
        uuid=passage_uuid(values["passage_id"], values["version"]),
        vector={VECTOR: vector},
    )
