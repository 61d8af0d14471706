"""The copy in memory against the file, after any changes."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.sqlite_vectors import VectorTable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from retrieval.embed import Vector

SCHEMA = """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value);
    INSERT INTO meta VALUES ('vectors_dropped', 0), ('dimensions', 8);
    CREATE TABLE documents (number INTEGER PRIMARY KEY AUTOINCREMENT, collection TEXT);
    INSERT INTO documents (collection) VALUES ('public'), ('staff');
    CREATE TABLE passages (number INTEGER PRIMARY KEY AUTOINCREMENT, document INTEGER);
    CREATE TABLE vectors (number INTEGER PRIMARY KEY AUTOINCREMENT, passage INTEGER UNIQUE, vector BLOB);
"""


class File:
    """The tables that hold vectors, in memory."""

    def __init__(self) -> None:
        self.connection = sqlite3.connect(":memory:", isolation_level=None)
        self.connection.executescript(SCHEMA)
        self.read: list[str] = []
        self.connection.set_trace_callback(self.read.append)
        self._draw = np.random.default_rng(0)

    def add(self, count: int) -> None:
        for number in range(count):
            query = "INSERT INTO passages (document) VALUES (?)"
            passage = self.connection.execute(query, (1 + number % 2,)).lastrowid
            blob = self._draw.standard_normal(8, dtype=np.float32).tobytes()
            self.connection.execute("INSERT INTO vectors (passage, vector) VALUES (?, ?)", (passage, blob))

    def drop(self, every: int) -> None:
        self.connection.execute("DELETE FROM vectors WHERE passage % ? = 0", (every,))
        self.connection.execute("UPDATE meta SET value = value + 1 WHERE key = 'vectors_dropped'")

    def nearest(self, query: Vector, collections: Iterable[str]) -> list[int]:
        rows = self.connection.execute(
            "SELECT v.passage, d.collection, v.vector FROM vectors v "
            "JOIN passages p ON p.number = v.passage JOIN documents d ON d.number = p.document"
        )
        scored = [(-float(np.frombuffer(blob, "<f4") @ query), p) for p, where, blob in rows if where in collections]
        return [passage for _, passage in sorted(scored)]


CHANGES = st.lists(
    st.one_of(st.tuples(st.just("add"), st.integers(0, 9)), st.tuples(st.just("drop"), st.integers(1, 4))), max_size=8
)


@settings(deadline=None)
@given(CHANGES, st.sampled_from([("public",), ("staff", "public"), ("unknown",), ()]))
def test_it_answers_as_the_file_does_after_any_changes(
    changes: list[tuple[str, int]], collections: tuple[str, ...]
) -> None:
    file, table = File(), VectorTable()
    query = np.linspace(-1, 1, 8, dtype=np.float32)
    for change, size in [*changes, ("add", 3)]:
        file.add(size) if change == "add" else file.drop(size)
        table.refresh(file.connection)
        expected = file.nearest(query, collections)
        assert table.nearest(table.cosines(query), 1000, collections) == expected
        assert table.nearest(table.cosines(query), 3, collections) == expected[:3]
    file.connection.close()


def test_it_reads_what_is_new_and_nothing_twice() -> None:
    file, table = File(), VectorTable()
    file.add(20)
    table.refresh(file.connection)
    file.add(3)
    file.read.clear()
    table.refresh(file.connection)
    assert any("v.number > 20 " in query for query in file.read)
    assert len(table) == 23
    file.connection.close()


def test_each_passage_keeps_its_cosine_when_others_go() -> None:
    file, table = File(), VectorTable()
    file.add(6)
    table.refresh(file.connection)
    query = np.linspace(-1, 1, 8, dtype=np.float32)

    def cosine(passage: int) -> float | None:
        row = table.row_of(passage)
        return None if row is None else float(table.cosines(query)[row])

    before = {passage: cosine(passage) for passage in range(1, 7)}
    file.drop(2)
    table.refresh(file.connection)
    after = {passage: cosine(passage) for passage in range(1, 7)}
    assert after == {passage: None if passage % 2 == 0 else before[passage] for passage in range(1, 7)}
    file.connection.close()
