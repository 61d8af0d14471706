"""The tables of the SQLite index, as numbered migrations that are only ever added to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlite_utils import Database, Migrations

from retrieval.errors import IndexUnavailable
from retrieval.sqlite_file import mended, writing

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

MIGRATIONS = Migrations("citewell-index")


@MIGRATIONS(name="0001_documents_and_passages")
def _documents_and_passages(db: Database) -> None:
    """Numbers of passages and vectors are never given twice, so a cache can tell new rows from known ones."""
    for statement in (
        "CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID",
        "INSERT INTO meta VALUES ('changes', 0), ('vectors_dropped', 0)",
        """CREATE TABLE documents (
            number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, title TEXT NOT NULL, path TEXT NOT NULL,
            collection TEXT NOT NULL, content_hash TEXT NOT NULL, url TEXT, effective TEXT, review_by TEXT,
            superseded_by TEXT)""",
        "CREATE INDEX documents_collection ON documents (collection)",
        """CREATE TABLE passages (
            number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
            document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE, ordinal INTEGER NOT NULL,
            text TEXT NOT NULL, context TEXT NOT NULL, headings TEXT NOT NULL, span_start INTEGER NOT NULL,
            span_end INTEGER NOT NULL, place TEXT NOT NULL, page INTEGER)""",
        "CREATE INDEX passages_document ON passages (document)",
        "CREATE INDEX passages_places ON passages (number, document)",
        """CREATE TABLE vectors (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            passage INTEGER NOT NULL UNIQUE REFERENCES passages ON DELETE CASCADE, vector BLOB NOT NULL)""",
        """CREATE VIEW records AS SELECT
            p.number, p.id, p.ordinal, p.text, p.context, p.headings, p.span_start, p.span_end, p.place, p.page,
            d.id AS document_id, d.title, d.path, d.collection, d.content_hash, d.url, d.effective, d.review_by,
            d.superseded_by
            FROM passages p JOIN documents d ON d.number = p.document""",
        "CREATE VIRTUAL TABLE passages_fts USING fts5 (title, context, text, tokenize = 'porter unicode61')",
        "CREATE VIRTUAL TABLE vocabulary USING fts5vocab (passages_fts, row)",
    ):
        db.execute(statement)


@MIGRATIONS(name="0002_whole_vectors")
def _whole_vectors(db: Database) -> None:
    """Vectors that damage has cut short count as not there, so that they are filled in anew.

    The index answers how many are whole without reading a vector.
    """
    for statement in (
        "CREATE INDEX vectors_lengths ON vectors (length(vector), passage)",
        """CREATE VIEW whole_vectors AS SELECT number, passage, vector FROM vectors
            WHERE length(vector) = 4 * (SELECT value FROM meta WHERE key = 'dimensions')""",
    ):
        db.execute(statement)


@MIGRATIONS(name="0003_expires")
def _expires(db: Database) -> None:
    """The last day on which a document holds. Of documents taken in before, it is known once they are taken in anew."""
    for statement in (
        "ALTER TABLE documents ADD COLUMN expires TEXT",
        "DROP VIEW records",
        """CREATE VIEW records AS SELECT
            p.number, p.id, p.ordinal, p.text, p.context, p.headings, p.span_start, p.span_end, p.place, p.page,
            d.id AS document_id, d.title, d.path, d.collection, d.content_hash, d.url, d.effective, d.review_by,
            d.expires, d.superseded_by
            FROM passages p JOIN documents d ON d.number = p.document""",
    ):
        db.execute(statement)


@MIGRATIONS(name="0004_instances")
def _instances(db: Database) -> None:
    """Where each stem stands, passage by passage; it is read out of the full-text index and takes no room."""
    db.execute("CREATE VIRTUAL TABLE instances USING fts5vocab (passages_fts, instance)")


def prepare(connection: sqlite3.Connection, path: Path) -> None:
    """Bring the file to this version's tables. IndexUnavailable if a newer version made it."""
    with mended(path), writing(connection):
        db = Database(connection)
        known = {migration.name for migration in MIGRATIONS.pending(Database(memory=True))}
        if unknown := {migration.name for migration in MIGRATIONS.applied(db)} - known:
            message = (
                f"The index {path} was made by a newer version of Citewell (it has {max(unknown)}). "
                "Upgrade Citewell, or point CITEWELL_HOME at another folder and ingest the documents again."
            )
            raise IndexUnavailable(message)
        MIGRATIONS.apply(db)
