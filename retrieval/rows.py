"""What every index stores of a document in the same words, and when a passage reads as before."""

from __future__ import annotations

import hashlib
from datetime import date
from typing import TYPE_CHECKING, Any

from retrieval.document import Document

if TYPE_CHECKING:
    from collections.abc import Mapping


def document_values(document: Document) -> dict[str, Any]:
    """By the names they are stored under."""
    return {
        "document_id": document.id,
        "title": document.title,
        "path": document.path,
        "collection": document.collection,
        "content_hash": document.content_hash,
        "url": document.url,
        "effective": document.effective.isoformat() if document.effective else None,
        "review_by": document.review_by.isoformat() if document.review_by else None,
        "expires": document.expires.isoformat() if document.expires else None,
        "superseded_by": document.superseded_by,
    }


def read_document(row: Mapping[str, Any]) -> Document:
    """From what `document_values` gave, other values beside it passed over; what was None may be missing."""
    effective, review_by, expires = (_date(row.get(name)) for name in ("effective", "review_by", "expires"))
    return Document(
        id=row["document_id"],
        title=row["title"],
        path=row["path"],
        collection=row["collection"],
        content_hash=row["content_hash"],
        url=row.get("url"),
        effective=effective,
        review_by=review_by,
        expires=expires,
        superseded_by=row.get("superseded_by"),
    )


def _date(stored: str | None) -> date | None:
    return date.fromisoformat(stored) if stored else None


def digest(context: str, text: str) -> bytes:
    """Of what a passage's vector was made from: where it is the same, the vector is kept."""
    return hashlib.sha256(f"{context}\n{text}".encode()).digest()
