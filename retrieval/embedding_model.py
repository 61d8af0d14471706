"""The embedding model that an index holds vectors of, and what is said where others come."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from retrieval.errors import IndexMismatch

if TYPE_CHECKING:
    from retrieval.embed import Vector


class Model(NamedTuple):
    """An embedding model as the index remembers it."""

    name: str
    dimensions: int

    def check_rows(self, count: int, vectors: Vector) -> None:
        """IndexMismatch if these are not so many vectors of its size."""
        if vectors.shape != (count, self.dimensions):
            message = f"Vectors of shape {vectors.shape} for {count} passages and {self.dimensions} dimensions."
            raise IndexMismatch(message)

    def check_question(self, vector: Vector) -> None:
        """IndexMismatch if this is no vector of its size."""
        if vector.shape != (self.dimensions,):
            message = (
                f"The index holds vectors of {self.dimensions} dimensions, the question's has shape {vector.shape}."
            )
            raise IndexMismatch(message)


def mismatch(held: Model, model: Model) -> IndexMismatch:
    """What to say where vectors of another model are in."""
    return IndexMismatch(
        f"The index holds vectors of {held.name} ({held.dimensions} dimensions), but the embedding model in use is "
        f"{model.name} ({model.dimensions} dimensions). Ingest the documents again with --re-embed, "
        f"or choose {held.name} again."
    )


def takes_no_vectors() -> IndexMismatch:
    """What to say to vectors where no model is in use."""
    return IndexMismatch("This index was opened without an embedding model, so it takes no vectors.")
