"""Objects of the Weaviate index, to and from documents and passages. What is None is left out of an object."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from retrieval.document import Passage
from retrieval.rows import document_values
from retrieval.weaviate_tokens import stored

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retrieval.document import Document

_NAMESPACE = uuid.UUID("5f3d5c0e-6a55-4c0b-9c53-6f5e0f6f0c1e")

WAITING = "-"
"""Stands for the model of a passage that has no vector yet."""

NO_VECTORS = "none"
"""Stands on no passage: the mark to look for where there are no vectors."""

BUCKETS = 1000
"""Passages are dealt into so many, evenly, whatever document they are of."""

TEXTS = ("title", "path", "content_hash", "url", "effective", "review_by", "expires", "superseded_by")


def document_properties(document: Document) -> dict[str, Any]:
    """By the names of properties; they stand on the document's record and on each of its passages."""
    return {name: value for name, value in document_values(document).items() if value is not None}


def passage_properties(passage: Passage, document: Document, version: str, mark: str) -> dict[str, Any]:
    """Everything of a passage, its document's record included, so that one read shows both of one version."""
    values = {
        "passage_id": passage.id,
        "version": version,
        "model": mark,
        "bucket": passage_uuid(passage.id, version).int % BUCKETS,
        "ordinal": passage.ordinal,
        "text": passage.text,
        "headings": list(passage.headings),
        "span_start": passage.span[0],
        "span_end": passage.span[1],
        "place": passage.place,
        "page": passage.page,
        "title_tokens": stored(document.title),
        "text_tokens": stored(passage.text),
    }
    return (
        document_properties(document)
        | context_properties(passage)
        | {name: value for name, value in values.items() if value is not None}
    )


def context_properties(passage: Passage) -> dict[str, Any]:
    """What changes with a passage's context."""
    return {"context": passage.context, "tokens": stored(f"{passage.context}\n{passage.text}")}


def read_passage(row: Mapping[str, Any]) -> Passage:
    """From an object's properties."""
    page = row.get("page")
    return Passage(
        id=row["passage_id"],
        document_id=row["document_id"],
        ordinal=int(row["ordinal"]),
        text=row["text"],
        context=row.get("context") or "",
        headings=tuple(row.get("headings") or ()),
        span=(int(row["span_start"]), int(row["span_end"])),
        place=row.get("place") or "",
        page=None if page is None else int(page),
    )


def document_uuid(document_id: str) -> uuid.UUID:
    """The id of a document's record: the same every time."""
    return uuid.uuid5(_NAMESPACE, document_id)


def passage_uuid(passage_id: str, version: str) -> uuid.UUID:
    """The id of a passage and of its vector: one a version, the same every time."""
    return uuid.uuid5(_NAMESPACE, f"{passage_id}\n{version}")
