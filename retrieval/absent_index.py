"""What stands in for an index that cannot be opened, so that whatever needs none still works."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import date

    from retrieval.document import Document, Passage
    from retrieval.embed import Vector
    from retrieval.errors import RetrievalError
    from retrieval.evidence import Hit
    from retrieval.index import IndexStatus


class AbsentIndex:
    """Raises the error that the opening ended with, whatever it is asked; a question then ends as an error, told so."""

    def __init__(self, error: RetrievalError) -> None:
        self._error = error

    @property
    def name(self) -> str:
        """As traces name it."""
        return "absent"

    async def replace(self, document: Document, passages: Sequence[Passage]) -> None:
        """Raises."""
        self._fail(document, passages)

    async def remove(self, document_ids: Collection[str]) -> None:
        """Raises."""
        self._fail(document_ids)

    async def catalogue(self, collection: str | None = None) -> Sequence[Document]:
        """Raises."""
        self._fail(collection)

    async def expect(
        self,
        words: str,
        *,
        k: int,
        collections: Collection[str] | None = None,
        today: date | None = None,
        context: bool = True,
    ) -> None:
        """Does nothing: the search says what is wrong."""

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
        """Raises."""
        self._fail(words, vector, k, collections, today, context)

    async def passages(self, ids: Collection[str], *, collections: Collection[str] | None = None) -> Sequence[Hit]:
        """Raises."""
        self._fail(ids, collections)

    async def cosines(self, ids: Collection[str], vector: Vector) -> Mapping[str, float]:
        """Raises."""
        self._fail(ids, vector)

    async def passages_of(self, document_id: str) -> Sequence[Passage]:
        """Raises."""
        self._fail(document_id)

    async def document_frequencies(
        self, terms: Collection[str], *, collections: Collection[str] | None = None, today: date | None = None
    ) -> tuple[int, Mapping[str, int]]:
        """Raises."""
        self._fail(terms, collections, today)

    async def unembedded(self, limit: int) -> Sequence[Passage]:
        """Raises."""
        self._fail(limit)

    async def add_vectors(self, ids: Sequence[str], vectors: Vector) -> None:
        """Raises."""
        self._fail(ids, vectors)

    async def set_contexts(self, passages: Sequence[Passage]) -> None:
        """Raises."""
        self._fail(passages)

    async def status(self) -> IndexStatus:
        """Raises."""
        self._fail()

    async def close(self) -> None:
        """There is nothing to let go of."""

    def _fail(self, *_: object) -> NoReturn:
        raise self._error
