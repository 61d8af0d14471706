"""Questions to the Weaviate index, each answered as of the moment it began."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from weaviate.classes.query import Filter, MetadataQuery

from retrieval.embedding_model import mismatch
from retrieval.errors import IndexUnavailable
from retrieval.evidence import Hit
from retrieval.fusion import DEPTH, fuse
from retrieval.rows import read_document
from retrieval.terms import STOP_WORDS, phrases, stem, words
from retrieval.weaviate_rows import TEXTS, read_passage
from retrieval.weaviate_schema import VECTOR, held_marks, marked_model
from retrieval.weaviate_tokens import query as token_query
from retrieval.weaviate_versions import in_change, seen, was_live

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import date
    from uuid import UUID

    from weaviate.collections.classes.filters import FilterReturn

    from retrieval.embed import Vector
    from retrieval.weaviate_counts import Counts
    from retrieval.weaviate_schema import Shelf
    from retrieval.weaviate_versions import Record

_DEEPEST = 10_000
_TOGETHER = 500
_NAMES = ["passage_id", "document_id", "version"]
_DOCUMENT = ["document_id", "collection", *TEXTS]


@dataclass(frozen=True, slots=True)
class _Asked:
    """One question: what to search for in turn, the vector beside it, and what of the index it sees."""

    text: str
    queries: Sequence[str]
    tokens: str
    vector: Vector | None
    collections: Collection[str] | None
    today: date | None
    before: Mapping[str, Record]

    @property
    def seen(self) -> FilterReturn | None:
        """The filter in each query."""
        return seen(self.before, self.collections)


@dataclass(frozen=True, slots=True)
class _Found:
    """A passage in one list. `score` is BM25 or the cosine."""

    uuid: UUID
    passage_id: str
    document_id: str
    version: str
    score: float


class Searcher:
    """Two queries side by side, one by words and one by meaning, fused as the local index fuses its own.

    The server's hybrid query gives one score by a constant of its own, and the rank in each list only as text meant for
    people; and it needs words and vectors in one collection, while ours come and go with their model.
    """

    def __init__(self, shelf: Shelf, counts: Counts, name: str) -> None:
        self._shelf = shelf
        self._counts = counts
        self._name = name

    async def search(
        self,
        text: str,
        vector: Vector | None,
        k: int,
        collections: Collection[str] | None,
        today: date | None = None,
        *,
        context: bool,
    ) -> list[Hit]:
        """The `k` best passages, best first; of several with the same raw text, the best alone."""
        if k < 1 or (collections is not None and not collections):
            return []
        self._check_size(vector)
        depth = max(DEPTH, 3 * k)
        before = await in_change(self._shelf)
        tokens = "tokens" if context else "text_tokens"
        queries = await self._queries(text, before, collections, today)
        asked = _Asked(text, queries, tokens, vector, collections, today, before)
        while True:
            hits, exhausted = await self._search(asked, min(depth, _DEEPEST), k)
            if exhausted or len(hits) == k or depth >= _DEEPEST:
                return hits
            depth *= 4

    async def passages(self, ids: Collection[str], collections: Collection[str] | None) -> list[Hit]:
        """Passages by id, in the order given."""
        wanted = list(dict.fromkeys(ids))
        if not wanted or (collections is not None and not collections):
            return []
        before = await in_change(self._shelf)
        # Twice as many as ids: a version that began meanwhile may come beside the live one.
        found = await self._shelf.passages.query.fetch_objects(
            filters=seen(before, collections, Filter.by_property("passage_id").contains_any(wanted)),
            limit=2 * len(wanted),
        )
        after = await in_change(self._shelf)
        rows: dict[str, Mapping[str, Any]] = {
            one.properties["passage_id"]: one.properties
            for one in found.objects
            if was_live(one.properties["document_id"], one.properties["version"], before, after)
        }
        there = [rows[id_] for id_ in wanted if id_ in rows]
        return [Hit(read_passage(row), read_document(row), 0.0, rank, rank) for rank, row in enumerate(there, start=1)]

    async def cosines(self, ids: Collection[str], vector: Vector) -> dict[str, float]:
        """The similarity of each passage that has a vector with this one."""
        wanted = list(dict.fromkeys(ids))
        if not wanted:
            return {}
        self._check_size(vector)
        before = await in_change(self._shelf)
        of_ids = seen(before, None, Filter.by_property("passage_id").contains_any(wanted))
        near = await self._nearest(vector, 2 * len(wanted), of_ids)
        after = await in_change(self._shelf)
        return {one.passage_id: one.score for one in near if was_live(one.document_id, one.version, before, after)}

    async def frequencies(
        self, terms: Collection[str], collections: Collection[str] | None = None, today: date | None = None
    ) -> tuple[int, Mapping[str, int]]:
        """The number of passages, and in how many of them each term stands."""
        return await self._counts.of(terms, await in_change(self._shelf), collections, today)

    async def _queries(
        self, text: str, before: Mapping[str, Record], collections: Collection[str] | None, today: date | None
    ) -> list[str]:
        """What to search for first, and what only to fill up the list with."""
        found = words(text)
        if not found:
            return []
        stems = {stem(word) for word in found if word not in STOP_WORDS} or {stem(word) for word in found}
        total, frequencies = await self._counts.of(stems, before, collections, today)
        if not total:
            return []
        return [token_query(some) for some in phrases(text, lambda one: frequencies.get(one, 0) / total) if some]

    async def _search(self, asked: _Asked, depth: int, k: int) -> tuple[list[Hit], bool]:
        """Up to `k` hits, fused from lists of up to `depth`, and whether those lists held all there is."""
        by_words, by_meaning, exhausted = await self._lists(asked, depth)
        found = by_words | by_meaning
        fused = fuse(asked.text, list(by_words), list(by_meaning))
        hits: dict[str, Hit] = {}
        step = 3 * k
        for start in range(0, len(fused), step):
            some = fused[start : start + step]
            rows = await self._rows([found[one.id].uuid for one in some])
            for one in some:
                row = rows.get(found[one.id].uuid)
                if row is None or len(hits) == k:
                    continue
                cosine = by_meaning[one.id].score if one.id in by_meaning else None
                hit = one.hit(read_passage(row), read_document(row), len(hits) + 1, cosine)
                hits.setdefault(" ".join(row["text"].split()), hit)
            if len(hits) == k:
                break
        return await self._with_cosines(list(hits.values()), asked.vector, found), exhausted

    async def _lists(self, asked: _Asked, depth: int) -> tuple[dict[str, _Found], dict[str, _Found], bool]:
        """Passages by words and by meaning, up to `depth` each, by their ids, and whether that is all there is.

        Where some belong to documents that do not hold, it reaches deeper, so that these crowd out none that do.
        """
        reach = depth
        while True:
            lists = await asyncio.gather(self._by_words(asked, reach), self._nearest(asked.vector, reach, asked.seen))
            exhausted = all(len(ranked) < reach for ranked in lists)
            after = await in_change(self._shelf)
            live = [
                [one for one in ranked if was_live(one.document_id, one.version, asked.before, after)]
                for ranked in lists
            ]
            lapsed = await self._lapsed((one for ranked in live for one in ranked), asked.today)
            held = [[one for one in ranked if one.document_id not in lapsed] for ranked in live]
            if not lapsed or exhausted or reach >= _DEEPEST or all(len(ranked) >= depth for ranked in held):
                by_words, by_meaning = ({one.passage_id: one for one in ranked[:depth]} for ranked in held)
                return by_words, by_meaning, exhausted and all(len(ranked) <= depth for ranked in held)
            reach = min(4 * reach, _DEEPEST)

    async def _lapsed(self, found: Iterable[_Found], today: date | None) -> set[str]:
        """The ids of the documents among these that do not hold on this day."""
        if today is None:
            return set()
        versions = {(one.document_id, one.version): one.uuid for one in found}
        uuids, lapsed = list(versions.values()), set[str]()
        for start in range(0, len(uuids), _TOGETHER):
            some = uuids[start : start + _TOGETHER]
            rows = await self._shelf.passages.query.fetch_objects(
                filters=Filter.by_id().contains_any(some), limit=len(some), return_properties=_DOCUMENT
            )
            documents = (read_document(one.properties) for one in rows.objects)
            lapsed |= {document.id for document in documents if not document.holds(today)}
        return lapsed

    async def _by_words(self, asked: _Asked, depth: int) -> list[_Found]:
        ranked: dict[UUID, _Found] = {}
        for text in asked.queries:
            if len(ranked) >= depth:
                break
            answer = await self._shelf.passages.query.bm25(
                query=text,
                query_properties=["title_tokens^1.5", asked.tokens],
                filters=asked.seen,
                limit=depth,
                return_metadata=MetadataQuery(score=True),
                return_properties=_NAMES,
            )
            for one in _in_order(_Found(o.uuid, **_names(o), score=o.metadata.score or 0.0) for o in answer.objects):
                ranked.setdefault(one.uuid, one)
        return list(ranked.values())[:depth]

    async def _nearest(self, vector: Vector | None, limit: int, filters: FilterReturn | None) -> list[_Found]:
        vectors, model = self._shelf.vectors, self._shelf.model
        if vector is None or vectors is None or model is None:
            return []
        try:
            answer = await self._shelf.server.ask(
                vectors.query.near_vector(
                    vector.tolist(),
                    target_vector=VECTOR,
                    filters=filters,
                    limit=limit,
                    return_metadata=MetadataQuery(distance=True),
                    return_properties=_NAMES,
                )
            )
        except IndexUnavailable:
            await self._check_model()
            raise
        return _in_order(
            _Found(one.uuid, **_names(one), score=1.0 - float(one.metadata.distance or 0.0)) for one in answer.objects
        )

    async def _with_cosines(self, hits: list[Hit], vector: Vector | None, found: Mapping[str, _Found]) -> list[Hit]:
        """With the cosine of those that only words found, where they have a vector."""
        lacking = [found[hit.passage.id].uuid for hit in hits if hit.cosine is None]
        if vector is None or not lacking:
            return hits
        near = await self._nearest(vector, len(lacking), Filter.by_id().contains_any(lacking))
        cosines = {one.passage_id: one.score for one in near}
        return [hit if hit.cosine is not None else replace(hit, cosine=cosines.get(hit.passage.id)) for hit in hits]

    async def _rows(self, uuids: Sequence[UUID]) -> dict[UUID, Mapping[str, Any]]:
        rows = await self._shelf.passages.query.fetch_objects(
            filters=Filter.by_id().contains_any(list(uuids)), limit=len(uuids)
        )
        return {one.uuid: one.properties for one in rows.objects}

    def _check_size(self, vector: Vector | None) -> None:
        model = self._shelf.model
        if vector is not None and model is not None:
            model.check_question(vector)

    async def _check_model(self) -> None:
        """IndexMismatch where another process has put another model's vectors in place of ours."""
        server, model = self._shelf.server, self._shelf.model
        there = await server.ask(server.client.collections.list_all())
        for mark in (await held_marks(server, self._name, there)).values():
            if model is not None and (other := marked_model(mark)) != model:
                raise mismatch(other, model)


def _in_order(found: Any) -> list[_Found]:
    """Best first, equal ones by id, so that the order never depends on chance."""
    return sorted(found, key=lambda one: (-one.score, one.passage_id, one.version))


def _names(one: Any) -> dict[str, str]:
    return {name: one.properties[name] for name in _NAMES}
