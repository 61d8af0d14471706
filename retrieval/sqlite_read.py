"""What the SQLite index holds, read without searching."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from retrieval.index import IndexStatus
from retrieval.sqlite_file import reading
from retrieval.sqlite_rows import read_document, read_passage

if TYPE_CHECKING:
    import sqlite3

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


def status(connection: sqlite3.Connection) -> IndexStatus:
    """Counts of one moment, and the model whose vectors are in."""
    with reading(connection):
        documents, passages, embedded = connection.execute(
            "SELECT (SELECT count(*) FROM documents), (SELECT count(*) FROM passages), "
            "(SELECT count(*) FROM whole_vectors)"
        ).fetchone()
        meta = dict(connection.execute("SELECT key, value FROM meta"))
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
