"""What is taken in: a document, and the passages it is split into."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import date

PUBLIC = "public"
"""The collection that documents go into unless another is named; the only one that guests are shown."""


@dataclass(frozen=True, slots=True)
class Document:
    """One source file as the index knows it.

    `id` is readable and stable for a file in a collection (`retrieval.ingest.document_id`), `path` the absolute path
    it came from, `content_hash` the sha256 of its bytes and of the reader's version: equal hashes mean nothing to do.
    """

    id: str
    title: str
    path: str
    collection: str
    content_hash: str
    url: str | None = None
    effective: date | None = None
    review_by: date | None = None
    superseded_by: str | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """One stretch of a document, small enough to be quoted and large enough to be understood.

    `text` is the raw text: the only thing ever quoted. `context` is a sentence that helps the machine find it
    (title and headings where no model wrote one); people never see it. `span` counts characters in the document's
    loaded text, end exclusive: `loaded_text[span[0]:span[1]] == text`. `place` says where it stands when a file has
    pages, slides or sheets ("page 3", "slide 2", "sheet Wards"), else it is empty.
    """

    id: str
    document_id: str
    ordinal: int
    text: str
    context: str
    headings: tuple[str, ...]
    span: tuple[int, int]
    place: str = ""
    page: int | None = None

    @property
    def search_text(self) -> str:
        """What embedders and rerankers read: the context sentence, then the raw text."""
        return f"{self.context}\n{self.text}" if self.context else self.text
