"""Questions to the SQLite index, each answered from one moment of it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval.evidence import Hit
from retrieval.fts import match_expression
from retrieval.fusion import DEPTH, fuse
from retrieval.sqlite_counts import Counts, Seen
from retrieval.sqlite_file import reading
from retrieval.sqlite_rows import json_list, read_document, read_passage
from retrieval.sqlite_vectors import VectorTable
from retrieval.sqlite_write import check_model, model_of
from retrieval.terms import phrases

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Mapping
    from concurrent.futures import Future
    from datetime import date

    from retrieval.embed import Vector
    from retrieval.embedding_model import Model

_BY_WORDS = """
    SELECT rowid FROM passages_fts WHERE passages_fts MATCH :words
    ORDER BY bm25(passages_fts, 1.5, 1.0, 1.0), rowid LIMIT :depth
"""
_BY_WORDS_AMONG_SOME = """
    SELECT f.rowid FROM passages_fts f
    CROSS JOIN passages p INDEXED BY passages_places ON p.number = f.rowid
    CROSS JOIN documents d ON d.number = p.document
    WHERE passages_fts MATCH :words
    AND (:collections IS NULL OR d.collection IN (SELECT value FROM json_each(:collections)))
    AND d.number NOT IN (SELECT value FROM json_each(:lapsed))
    ORDER BY bm25(passages_fts, 1.5, 1.0, 1.0), f.rowid LIMIT :depth
"""
"""Looks up the document of each match, in a narrow index that holds no text. Left to itself, SQLite would match anew
for each passage of the collections, which takes a hundred times as long."""

_EXPECTED = 16
"""So many lists by words wait for their vectors, of as many questions at once; of more, the oldest is made again."""


@dataclass(frozen=True, slots=True)
class _Listed:
    """What a list by words was made for, and at which state of the file."""

    changes: int
    text: str
    depth: int
    seen: Seen
    context: bool


class Searcher:
    """Reads through one connection, for one thread; keeps vectors and word counts in memory between questions."""

    def __init__(self, connection: sqlite3.Connection, model: Model | None) -> None:
        self._connection = connection
        self._model = model
        self._vectors = VectorTable()
        self._beside = ThreadPoolExecutor(1, thread_name_prefix="citewell-vectors")
        self._vectors_at = -1
        self._counts = Counts(connection)
        self._lapsed: tuple[int, date, frozenset[int]] | None = None
        self._expected: dict[_Listed, list[int]] = {}

    def close(self) -> None:
        """Let go of the thread."""
        self._beside.shutdown()

    def expect(
        self, words: str, k: int, collections: Collection[str] | None, today: date | None, *, context: bool
    ) -> None:
        """Make the list by words of a search that follows."""
        with reading(self._connection):
            expected = _Listed(self._changes(), words, _depth(k), self._seen(collections, today), context)
            if len(self._expected) == _EXPECTED:
                del self._expected[next(iter(self._expected))]
            self._expected[expected] = self._by_words(words, expected.depth, expected.seen, context=context)

    def search(
        self,
        words: str,
        vector: Vector | None,
        k: int,
        collections: Collection[str] | None,
        today: date | None = None,
        *,
        context: bool = True,
    ) -> list[Hit]:
        """The `k` best passages, best first; of several with the same raw text, the best alone."""
        if k < 1:
            return []
        with reading(self._connection):
            depth, seen = _depth(k), self._seen(collections, today)
            while True:
                hits, exhausted = self._search(words, vector, depth, k, seen, context=context)
                if exhausted or len(hits) == k:
                    return hits
                depth *= 4

    def passages(self, ids: Collection[str], collections: Collection[str] | None) -> list[Hit]:
        """Passages by id, in the order given."""
        with reading(self._connection):
            rows = self._records(ids)
        seen = [
            rows[id_]
            for id_ in dict.fromkeys(ids)
            if id_ in rows and (collections is None or rows[id_]["collection"] in collections)
        ]
        return [Hit(read_passage(row), read_document(row), 0.0, rank, rank) for rank, row in enumerate(seen, start=1)]

    def cosines(self, ids: Collection[str], vector: Vector) -> dict[str, float]:
        """The similarity of each passage that has a vector with this one."""
        query = "SELECT id, number FROM passages WHERE id IN (SELECT value FROM json_each(?))"
        with reading(self._connection):
            self._refresh_vectors(vector)
            numbers = {row["id"]: row["number"] for row in self._connection.execute(query, (json_list(ids),))}
            rows = {id_: at for id_, number in numbers.items() if (at := self._vectors.row_of(number)) is not None}
            return dict(zip(rows, map(float, self._vectors.cosines(vector, list(rows.values()))), strict=True))

    def frequencies(
        self, terms: Collection[str], collections: Collection[str] | None = None, today: date | None = None
    ) -> tuple[int, Mapping[str, int]]:
        """The number of passages, and in how many of them each term stands."""
        with reading(self._connection):
            return self._counts.among(self._seen(collections, today), self._changes()).of_each(terms)

    def _search(
        self,
        words: str,
        vector: Vector | None,
        depth: int,
        k: int,
        seen: Seen,
        *,
        context: bool,
    ) -> tuple[list[Hit], bool]:
        """Up to `k` hits, fused from lists of up to `depth`, and whether those lists held all there is.

        Both lists are made at once: SQLite and numpy each let other threads run meanwhile.
        """
        likeness: Future[tuple[Vector, list[int]]] | None = None
        if vector is not None:
            self._refresh_vectors(vector)
            likeness = self._beside.submit(self._by_meaning, vector, depth, seen)
        by_words = self._expected.pop(_Listed(self._changes(), words, depth, seen, context), None)
        if by_words is None:
            by_words = self._by_words(words, depth, seen, context=context)
        cosines, by_meaning = likeness.result() if likeness is not None else (None, [])
        ids = self._ids({*by_words, *by_meaning})
        ranked = fuse(words, *([ids[number] for number in numbers] for numbers in (by_words, by_meaning)))
        hits: dict[str, Hit] = {}
        for start in range(0, len(ranked), k):
            some = ranked[start : start + k]
            rows = self._records([one.id for one in some])
            for fused in some:
                row = rows[fused.id]
                at = self._vectors.row_of(row["number"])
                cosine = float(cosines[at]) if cosines is not None and at is not None else None
                text = " ".join(row["text"].split())
                if text not in hits:
                    hits[text] = fused.hit(read_passage(row), read_document(row), len(hits) + 1, cosine)
                if len(hits) == k:
                    return list(hits.values()), True
        return list(hits.values()), len(by_words) < depth and len(by_meaning) < depth

    def _by_meaning(self, vector: Vector, depth: int, seen: Seen) -> tuple[Vector, list[int]]:
        """The likeness of every passage, and the numbers of the nearest."""
        cosines = self._vectors.cosines(vector)
        return cosines, self._vectors.nearest(cosines, depth, seen.collections, seen.lapsed)

    def _by_words(self, text: str, depth: int, seen: Seen, *, context: bool) -> list[int]:
        counts = self._counts.among(seen, self._changes())
        if not counts.total:
            return []
        query = _BY_WORDS if seen.everything else _BY_WORDS_AMONG_SOME
        columns = () if context else ("title", "text")
        found: dict[int, None] = {}
        for some in phrases(text, lambda stem: counts.of(stem) / counts.total):
            if some and len(found) < depth:
                limits = {"depth": depth, **seen.limits}
                rows = self._connection.execute(query, {"words": match_expression(some, columns), **limits})
                found |= dict.fromkeys(number for (number,) in rows)
        return list(found)[:depth]

    def _ids(self, numbers: Collection[int]) -> dict[int, str]:
        """The passages' ids by number."""
        query = "SELECT number, id FROM passages WHERE number IN (SELECT value FROM json_each(?))"
        return dict(tuple(row) for row in self._connection.execute(query, (json_list(numbers),)))

    def _seen(self, collections: Collection[str] | None, today: date | None) -> Seen:
        lapsed = frozenset[int]() if today is None else self._lapsed_on(today)
        return Seen(None if collections is None else frozenset(collections), lapsed)

    def _lapsed_on(self, today: date) -> frozenset[int]:
        """The numbers of the documents that do not hold on this day."""
        changes = self._changes()
        if self._lapsed is None or self._lapsed[:2] != (changes, today):
            query = (
                "SELECT id AS document_id, * FROM documents "
                "WHERE effective IS NOT NULL OR expires IS NOT NULL OR superseded_by IS NOT NULL"
            )
            rows = self._connection.execute(query)
            lapsed = frozenset(row["number"] for row in rows if not read_document(row).holds(today))
            self._lapsed = changes, today, lapsed
        return self._lapsed[2]

    def _records(self, ids: Collection[str]) -> dict[str, sqlite3.Row]:
        """The passages' rows by id."""
        query = "SELECT * FROM records WHERE id IN (SELECT value FROM json_each(?))"
        return {row["id"]: row for row in self._connection.execute(query, (json_list(ids),))}

    def _refresh_vectors(self, vector: Vector) -> None:
        if (changes := self._changes()) != self._vectors_at:
            if self._model is not None:
                check_model(self._connection, self._model)
            self._vectors.refresh(self._connection)
            self._vectors_at = changes
        held = model_of(self._connection)
        if held is not None:
            held.check_question(vector)

    def _changes(self) -> int:
        (changes,) = self._connection.execute("SELECT value FROM meta WHERE key = 'changes'").fetchone()
        return int(changes)


def _depth(k: int) -> int:
    return max(DEPTH, 3 * k)
