"""What the SQLite index holds, read without searching."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from retrieval.index import IndexStatus
from retrieval.sqlite_file import reading
from retrieval.sqlite_rows import read_document, read_passage

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping

    from retrieval.document import Document, Passage


def catalogue(connection: sqlite3.Connection, collection: str | None) -> list[Document]:
    """Every document's record, of one collection or of all, by id."""
    found = connection.execute(
        "SELECT id AS document_id, * FROM documents WHERE ?1 IS NULL OR collection = ?1 ORDER BY id", (collection,)
    )
    return [read_document(row) for row in found]


def unembedded(connection: sqlite3.Connection, limit: int) -> list[Passage]:
    """Up to `limit` passages that wait for a vector, scattered over the documents (Knuth's multiplicative hash)."""
    found = connection.execute(
        "SELECT * FROM records WHERE number IN (SELECT number FROM "
        "(SELECT number FROM passages EXCEPT SELECT passage FROM whole_vectors) "
        "ORDER BY number * 2654435761 % 4294967296 LIMIT ?)",
        (limit,),
    )
    return [read_passage(row) for row in found]


def passages_of(connection: sqlite3.Connection, document_id: str) -> list[Passage]:
    """One document's passages, in their order."""
    found = connection.execute("SELECT * FROM records WHERE document_id = ? ORDER BY ordinal", (document_id,))
    return [read_passage(row) for row in found]


class StatusReader:
    """Counts anew only once something has changed: each search asks, and 200,000 passages take 17 ms to count."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._known: tuple[int, IndexStatus] | None = None

    def status(self) -> IndexStatus:
        """Counts of one moment, and the model whose vectors are in."""
        with reading(self._connection):
            meta = dict(self._connection.execute("SELECT key, value FROM meta"))
            if self._known is None or self._known[0] != meta["changes"]:
                self._known = meta["changes"], _counted(self._connection, meta)
        return self._known[1]


def _counted(connection: sqlite3.Connection, meta: Mapping[str, Any]) -> IndexStatus:
    documents, passages, embedded = connection.execute(
        "SELECT (SELECT count(*) FROM documents), (SELECT count(*) FROM passages), (SELECT count(*) FROM whole_vectors)"
    ).fetchone()
    collections = dict(connection.execute("SELECT collection, count(*) FROM documents GROUP BY collection"))
    return IndexStatus(
        documents=documents,
        passages=passages,
        embedded=embedded,
        model=meta["model"] if embedded else None,
        dimensions=meta["dimensions"] if embedded else None,
        collections=collections,
        updated_at=datetime.fromisoformat(meta["updated_at"]) if "updated_at" in meta else None,
    )
