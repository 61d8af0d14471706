"""The port to the index: what holds the passages and finds them again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import date, datetime

    from retrieval.document import Document, Passage
    from retrieval.embed import Vector
    from retrieval.evidence import Hit


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """What the index holds now. `embedded` counts the passages whose vectors are in; `passages` is all of them."""

    documents: int
    passages: int
    embedded: int
    model: str | None
    dimensions: int | None
    collections: Mapping[str, int] = field(default_factory=dict)
    updated_at: datetime | None = None


class Index(Protocol):
    """Passages by words and by meaning. Readers see a document's old version or its new one, never half of one."""

    @property
    def name(self) -> str:
        """The backend, as traces name it ("sqlite", "ram", ...)."""
        ...

    async def replace(self, document: Document, passages: Sequence[Passage]) -> None:
        """Put a document in, whole, in place of any version with the same id. Vectors come later."""
        ...

    async def remove(self, document_ids: Collection[str]) -> None:
        """Take documents out with their passages and vectors. Unknown ids are no error."""
        ...

    async def catalogue(self, collection: str | None = None) -> Sequence[Document]:
        """Every document's record, of one collection or of all, by id."""
        ...

    async def expect(
        self,
        words: str,
        *,
        k: int,
        collections: Collection[str] | None = None,
        today: date | None = None,
        context: bool = True,
    ) -> None:
        """A search like this follows, whose vector is still being made: what needs only the words may be done now.

        It changes nothing about what is found. An index that has nothing to do meanwhile does nothing.
        """
        ...

    async def search(
        self,
        words: str,
        vector: Vector | None,
        *,
        k: int,
        collections: Collection[str] | None = None,
        today: date | None = None,
        context: bool = True,
    ) -> Sequence[Hit]:
        """The `k` best passages, best first, fused by rank where both lists ran.

        `words` is a person's text and is never read as query syntax; empty means vectors alone. `vector` None means
        words alone. `collections` limits the search inside the query; None means all, an empty one finds nothing.
        `today` leaves out the documents that do not hold on that day, before anything is ranked, fused or found to be
        said twice; None leaves out none. Without `context`, words are looked for in titles and raw texts alone.
        """
        ...

    async def passages(self, ids: Collection[str], *, collections: Collection[str] | None = None) -> Sequence[Hit]:
        """Passages by id, in the order given, the unknown and the unseen left out; score and rank say nothing."""
        ...

    async def cosines(self, ids: Collection[str], vector: Vector) -> Mapping[str, float]:
        """The similarity of each of these passages with a vector of length 1; those without a vector are left out."""
        ...

    async def passages_of(self, document_id: str) -> Sequence[Passage]:
        """One document's passages, in their order; none of an unknown one."""
        ...

    async def document_frequencies(
        self, terms: Collection[str], *, collections: Collection[str] | None = None, today: date | None = None
    ) -> tuple[int, Mapping[str, int]]:
        """The number of passages, and for each of `terms` (`retrieval.terms`) in how many of them it stands.

        Those that a search with these `collections` and `today` cannot see do not count, so that nobody learns from an
        answer or its absence which words they hold.
        """
        ...

    async def unembedded(self, limit: int) -> Sequence[Passage]:
        """Up to `limit` passages that wait for a vector.

        A large index scatters them over its documents, so that a part of the vectors is a fair sample of all.
        """
        ...

    async def add_vectors(self, ids: Sequence[str], vectors: Vector) -> None:
        """Store one row an id. Ids that have gone meanwhile are passed over."""
        ...

    async def set_contexts(self, passages: Sequence[Passage]) -> None:
        """Give passages the context they come with. Where it is another than before, the passage waits for a vector.

        Passages that have gone meanwhile, or whose text, title or headings have changed, are passed over.
        """
        ...

    async def status(self) -> IndexStatus:
        """What it holds."""
        ...

    async def close(self) -> None:
        """Let go of files and threads. Calling it again does nothing."""
        ...
