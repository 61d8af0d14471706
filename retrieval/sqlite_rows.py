"""Rows of the SQLite index, to and from documents and passages."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from retrieval import rows
from retrieval.document import Passage

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection

    from retrieval.document import Document


def json_list(values: Collection[object]) -> str:
    """Values for `IN (SELECT value FROM json_each(?))`."""
    return json.dumps(list(values))


def read_document(row: sqlite3.Row) -> Document:
    """From a row of the view `records`."""
    return rows.read_document(dict(row))


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
