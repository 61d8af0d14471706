"""The vectors of the SQLite index in memory, searched exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from retrieval.embed import Vector

_BATCH = 512
"""Rows read together: more are no quicker, and what they were read into stays with the process."""


class VectorTable:
    """One row a vector. Brought up to date with the file by reading only what is new and dropping what has gone.

    For one thread. Memory: 4 bytes a number (41 MB for 27,000 passages of 384), up to twice that once it has grown.
    """

    def __init__(self) -> None:
        self._matrix: Vector = np.zeros((0, 0), np.float32)
        self._numbers: NDArray[np.int64] = np.zeros(0, np.int64)
        self._passages: NDArray[np.int64] = np.zeros(0, np.int64)
        self._documents: NDArray[np.int64] = np.zeros(0, np.int64)
        self._collections: NDArray[np.int64] = np.zeros(0, np.int64)
        self._collection_codes: dict[str, int] = {}
        self._rows: dict[int, int] = {}
        self._newest = 0
        self._dropped = 0

    def __len__(self) -> int:
        return len(self._rows)

    def refresh(self, connection: sqlite3.Connection) -> None:
        """Take in what other connections have written since; the caller holds a read transaction.

        Vectors of another length than the index's are damaged, and passed over.
        """
        (dropped,) = connection.execute("SELECT value FROM meta WHERE key = 'vectors_dropped'").fetchone()
        if dropped != self._dropped:
            self._forget_the_gone(connection)
            self._dropped = dropped
        rows = connection.execute(
            "SELECT v.number, v.passage, p.document, d.collection, v.vector FROM vectors v "
            "JOIN passages p ON p.number = v.passage JOIN documents d ON d.number = p.document "
            "WHERE v.number > ? ORDER BY v.number",
            (self._newest,),
        )
        dimensions = connection.execute("SELECT value FROM meta WHERE key = 'dimensions'").fetchone()
        if dimensions is not None and not len(self):
            (count,) = connection.execute("SELECT count(*) FROM vectors").fetchone()
            self._grow(count, dimensions[0])
        while batch := rows.fetchmany(_BATCH):
            if whole := [row for row in batch if len(row[-1]) == 4 * dimensions[0]]:
                self._append(whole)
            self._newest = batch[-1][0]

    def cosines(self, query: Vector, rows: Sequence[int] | None = None) -> Vector:
        """The similarity of every row, or of these, with a vector of length 1.

        `vecdot` and not `@`: the latter starts threads that keep a second core busy for longer than the whole search.
        """
        matrix = self._matrix[: len(self)] if rows is None else self._matrix[list(rows)]
        if not len(matrix):
            return np.zeros(0, np.float32)
        return np.asarray(np.vecdot(matrix, query.astype(np.float32, copy=False)), np.float32)

    def nearest(
        self, cosines: Vector, count: int, collections: Collection[str] | None, lapsed: Collection[int] = ()
    ) -> list[int]:
        """The numbers of the `count` most similar passages of these collections, best first.

        `lapsed` are the numbers of documents that are left out.
        """
        rows = np.arange(len(self))
        if collections is not None:
            codes = [self._collection_codes[name] for name in set(collections) if name in self._collection_codes]
            rows = rows[np.isin(self._collections[rows], codes)]
        if lapsed:
            rows = rows[~np.isin(self._documents[rows], list(lapsed))]
        scores = cosines[rows]
        if count < len(rows):
            best = np.argpartition(-scores, count)[:count]
            rows, scores = rows[best], scores[best]
        order = np.lexsort((self._passages[rows], -scores))
        return [int(number) for number in self._passages[rows[order]]]

    def row_of(self, passage: int) -> int | None:
        """Where a passage's vector stands, if it has one."""
        return self._rows.get(passage)

    def _append(self, batch: list[tuple[int, int, int, str, bytes]]) -> None:
        start, end = len(self), len(self) + len(batch)
        added = np.frombuffer(b"".join(vector for *_, vector in batch), "<f4").reshape(len(batch), -1)
        if end > len(self._numbers) or added.shape[1] != self._matrix.shape[1]:
            self._grow(max(end, 2 * start if start > _BATCH else end), added.shape[1])
        for number, passage, document, collection, _ in batch:
            row = len(self)
            self._numbers[row] = number
            self._passages[row] = passage
            self._documents[row] = document
            self._collections[row] = self._collection_codes.setdefault(collection, len(self._collection_codes))
            self._rows[passage] = row
        self._matrix[start:end] = added

    def _grow(self, capacity: int, dimensions: int) -> None:
        used = len(self)
        matrix = np.zeros((capacity, dimensions), np.float32)
        if used:
            matrix[:used] = self._matrix[:used]
        self._matrix = matrix
        spare = np.zeros(capacity - used, np.int64)
        self._numbers = np.concatenate([self._numbers[:used], spare])
        self._passages = np.concatenate([self._passages[:used], spare])
        self._documents = np.concatenate([self._documents[:used], spare])
        self._collections = np.concatenate([self._collections[:used], spare])

    def _forget_the_gone(self, connection: sqlite3.Connection) -> None:
        """Fills the rows of vectors that are no longer in the file with the last rows.

        The file's numbers are answered from the narrow index of passages, without reading a vector, and come as one
        text, which is read twice as fast as rows.
        """
        (numbers,) = connection.execute("SELECT group_concat(number) FROM vectors").fetchone()
        there = np.array(numbers.split(",") if numbers else [], np.int64)
        used = len(self)
        stay = np.isin(self._numbers[:used], there)
        gone = np.flatnonzero(~stay)
        for passage in self._passages[gone].tolist():
            del self._rows[passage]
        kept = len(self)
        holes, last = gone[gone < kept], kept + np.flatnonzero(stay[kept:])
        for column in (self._matrix, self._numbers, self._passages, self._documents, self._collections):
            column[holes] = column[last]
        self._rows.update(zip(self._passages[holes].tolist(), holes.tolist(), strict=True))
