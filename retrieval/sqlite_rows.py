"""Rows of the SQLite index, to and from documents and passages."""

from __future__ import annotations

import json
from datetime import date
from typing import TYPE_CHECKING, Any

from retrieval.document import Document, Passage

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection


def json_list(values: Collection[object]) -> str:
    """Values for `IN (SELECT value FROM json_each(?))`."""
    return json.dumps(list(values))


def document_values(document: Document) -> dict[str, Any]:
    """By the names of the columns of `documents`."""
    return {
        "id": document.id,
        "title": document.title,
        "path": document.path,
        "collection": document.collection,
        "content_hash": document.content_hash,
        "url": document.url,
        "effective": document.effective.isoformat() if document.effective else None,
        "review_by": document.review_by.isoformat() if document.review_by else None,
        "superseded_by": document.superseded_by,
    }


def read_document(row: sqlite3.Row) -> Document:
    """From a row of the view `records`."""
    return Document(
        id=row["document_id"],
        title=row["title"],
        path=row["path"],
        collection=row["collection"],
        content_hash=row["content_hash"],
        url=row["url"],
        effective=date.fromisoformat(row["effective"]) if row["effective"] else None,
        review_by=date.fromisoformat(row["review_by"]) if row["review_by"] else None,
        superseded_by=row["superseded_by"],
    )


def passage_values(passage: Passage) -> dict[str, Any]:
    """By the names of the columns of `passages`."""
    return {
        "id": passage.id,
        "ordinal": passage.ordinal,
        "text": passage.text,
        "context": passage.context,
        "headings": json.dumps(passage.headings, ensure_ascii=False),
        "span_start": passage.span[0],
        "span_end": passage.span[1],
        "place": passage.place,
        "page": passage.page,
    }


def read_passage(row: sqlite3.Row) -> Passage:
    """From a row of the view `records`."""
    return Passage(
        id=row["id"],
        document_id=row["document_id"],
        ordinal=row["ordinal"],
        text=row["text"],
        context=row["context"],
        headings=tuple(json.loads(row["headings"])),
        span=(row["span_start"], row["span_end"]),
        place=row["place"],
        page=row["page"],
    )
