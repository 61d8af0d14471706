"""Changes to the SQLite index, each in one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.embedding_model import Model, mismatch
from retrieval.fts import searchable
from retrieval.rows import digest, document_values
from retrieval.sqlite_file import writing
from retrieval.sqlite_rows import passage_values, read_passage

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from retrieval.document import Document, Passage
    from retrieval.embed import Vector


def replace(connection: sqlite3.Connection, document: Document, passages: Sequence[Passage], now: datetime) -> None:
    """Put a document in, in place of any version of it. A passage that reads as before keeps its vector."""
    with writing(connection):
        kept = _vectors_by_text(connection, document.id)
        _delete(connection, [document.id])
        owner = connection.execute(
            "INSERT INTO documents "
            "(id, title, path, collection, content_hash, url, effective, review_by, expires, superseded_by) VALUES "
            "(:document_id, :title, :path, :collection, :content_hash, :url, :effective, :review_by, :expires, "
            ":superseded_by)",
            document_values(document),
        ).lastrowid
        title = searchable(document.title)
        for passage in passages:
            number = connection.execute(
                "INSERT INTO passages "
                "(document, id, ordinal, text, context, headings, span_start, span_end, place, page) VALUES "
                "(:document, :id, :ordinal, :text, :context, :headings, :span_start, :span_end, :place, :page)",
                {"document": owner, **passage_values(passage)},
            ).lastrowid
            connection.execute(
                "INSERT INTO passages_fts (rowid, title, context, text) VALUES (?, ?, ?, ?)",
                (number, title, searchable(passage.context), searchable(passage.text)),
            )
            if vector := kept.get(digest(passage.context, passage.text)):
                connection.execute("INSERT INTO vectors (passage, vector) VALUES (?, ?)", (number, vector))
        _note_change(connection, now)


def remove(connection: sqlite3.Connection, document_ids: Collection[str], now: datetime) -> None:
    """Take documents out with their passages and vectors."""
    with writing(connection):
        if _delete(connection, document_ids):
            _note_change(connection, now)


def set_contexts(connection: sqlite3.Connection, passages: Sequence[Passage], now: datetime) -> None:
    """Store the passages' contexts, and drop the vectors that were made with others."""
    with writing(connection):
        for passage in passages:
            row = connection.execute(
                "SELECT * FROM records WHERE id = ? AND text = ?", (passage.id, passage.text)
            ).fetchone()
            held = read_passage(row) if row else None
            if held is None or held.about != passage.about or held.context == passage.context:
                continue
            connection.execute("UPDATE passages SET context = ? WHERE id = ?", (passage.context, passage.id))
            connection.execute(
                "UPDATE passages_fts SET context = ? WHERE rowid = ?", (searchable(passage.context), row["number"])
            )
            if connection.execute("DELETE FROM vectors WHERE passage = ?", (row["number"],)).rowcount:
                _count_up(connection, "vectors_dropped")
        _note_change(connection, now)


def add_vectors(
    connection: sqlite3.Connection, ids: Sequence[str], vectors: Vector, model: Model, now: datetime
) -> None:
    """Store one row a passage, in place of any it had; the first ones of all set the index's model."""
    model.check_rows(len(ids), vectors)
    with writing(connection):
        check_model(connection, model)
        remember_model(connection, model)
        for id_, row in zip(ids, vectors, strict=True):
            found = connection.execute("SELECT number FROM passages WHERE id = ?", (id_,)).fetchone()
            if found is None:
                continue
            if connection.execute("DELETE FROM vectors WHERE passage = ?", found).rowcount:
                _count_up(connection, "vectors_dropped")
            connection.execute(
                "INSERT INTO vectors (passage, vector) VALUES (?, ?)", (*found, row.astype("<f4").tobytes())
            )
        _note_change(connection, now)


def drop_vectors(connection: sqlite3.Connection) -> None:
    """Forget every vector, so that another model can fill them in."""
    with writing(connection):
        connection.execute("DELETE FROM vectors")
        connection.execute("DELETE FROM meta WHERE key IN ('model', 'dimensions')")
        _count_up(connection, "vectors_dropped")
        _count_up(connection, "changes")


def model_of(connection: sqlite3.Connection) -> Model | None:
    """The model whose vectors the index holds; None before the first."""
    if connection.execute("SELECT 1 FROM vectors LIMIT 1").fetchone() is None:
        return None
    meta = dict(connection.execute("SELECT key, value FROM meta WHERE key IN ('model', 'dimensions')"))
    return Model(str(meta["model"]), int(meta["dimensions"]))


def check_model(connection: sqlite3.Connection, model: Model) -> None:
    """IndexMismatch if the index holds vectors of another model or size."""
    held = model_of(connection)
    if held is not None and held != model:
        raise mismatch(held, model)


def remember_model(connection: sqlite3.Connection, model: Model) -> None:
    """Store the model's name and size beside its vectors."""
    connection.executemany(
        "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        [("model", model.name), ("dimensions", model.dimensions)],
    )


def _vectors_by_text(connection: sqlite3.Connection, document_id: str) -> dict[bytes, bytes]:
    rows = connection.execute(
        "SELECT p.context, p.text, v.vector FROM documents d JOIN passages p ON p.document = d.number "
        "JOIN vectors v ON v.passage = p.number WHERE d.id = ?",
        (document_id,),
    )
    return {digest(context, text): vector for context, text, vector in rows}


def _delete(connection: sqlite3.Connection, document_ids: Collection[str]) -> int:
    deleted = 0
    for id_ in document_ids:
        connection.execute(
            "DELETE FROM passages_fts WHERE rowid IN "
            "(SELECT p.number FROM passages p JOIN documents d ON d.number = p.document WHERE d.id = ?)",
            (id_,),
        )
        deleted += connection.execute("DELETE FROM documents WHERE id = ?", (id_,)).rowcount
    if deleted:
        _count_up(connection, "vectors_dropped")
    return deleted


def _note_change(connection: sqlite3.Connection, now: datetime) -> None:
    _count_up(connection, "changes")
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('updated_at', ?)", (now.isoformat(),))


def _count_up(connection: sqlite3.Connection, counter: str) -> None:
    connection.execute("UPDATE meta SET value = value + 1 WHERE key = ?", (counter,))
