"""What is taken in: a document, and the passages it is split into."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import date

PUBLIC = "public"
"""The collection that documents go into unless another is named; the only one that guests are shown."""


class Standing(StrEnum):
    """Whether what a document says holds on a day, or why it does not."""

    CURRENT = "current"
    UPCOMING = "upcoming"
    EXPIRED = "expired"
    SUPERSEDED = "superseded"


@dataclass(frozen=True, slots=True)
class Document:
    """One source file as the index knows it.

    `id` is readable and stable for a file in a collection (`retrieval.ingest.document_id`), `path` the absolute path
    it came from, `content_hash` the sha256 of its bytes and of the reader's version: equal hashes mean nothing to do.
    `effective` is the first day on which it holds, `expires` the last one, `superseded_by` the name of the document
    that holds in its place, in one of the forms of `retrieval.document_names`.
    """

    id: str
    title: str
    path: str
    collection: str
    content_hash: str
    url: str | None = None
    effective: date | None = None
    review_by: date | None = None
    expires: date | None = None
    superseded_by: str | None = None

    @property
    def dated(self) -> bool:
        """Whether there may be a day on which it does not hold."""
        return any(one is not None for one in (self.effective, self.expires, self.superseded_by))

    def standing(self, today: date) -> Standing:
        """Whether it holds on this day. What has a successor holds on none."""
        if self.superseded_by is not None:
            return Standing.SUPERSEDED
        if self.expires is not None and self.expires < today:
            return Standing.EXPIRED
        if self.effective is not None and self.effective > today:
            return Standing.UPCOMING
        return Standing.CURRENT

    def holds(self, today: date) -> bool:
        """Whether an answer may stand on it on this day."""
        return self.standing(today) is Standing.CURRENT

    def review_missed(self, today: date) -> date | None:
        """The day until which it was to be reviewed, where that has passed: it holds on, and is marked."""
        return self.review_by if self.review_by is not None and self.review_by < today else None


@dataclass(frozen=True, slots=True)
class Passage:
    """One stretch of a document, small enough to be quoted and large enough to be understood.

    `text` is the raw text: the only thing ever quoted. `context` helps the machine find it, and people never see it:
    its first line names title and headings, and where a model wrote a sentence, that is its second line. `span` counts
    characters in the document's loaded text, end exclusive: `loaded_text[span[0]:span[1]] == text`. `place` says where
    it stands when a file has pages, slides or sheets ("page 3", "slide 2", "sheet Wards"), else it is empty.
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
    def about(self) -> str:
        """Title and headings, taken from the document itself."""
        return self.context.partition("\n")[0]

    @property
    def sentence(self) -> str:
        """What a model wrote to place it in its document, empty where none did. It serves to find, and nothing else."""
        return self.context.partition("\n")[2]

    @property
    def search_text(self) -> str:
        """What is embedded: the model's sentence, or else title and headings, then the raw text."""
        context = self.sentence or self.about
        return f"{context}\n{self.text}" if context else self.text

    def with_sentence(self, sentence: str) -> Passage:
        """The same passage, placed by this sentence, which is one line."""
        return replace(self, context=f"{self.about}\n{sentence}")
