"""The port to an embedding model, and the fake that tests use."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Sequence

Vector: TypeAlias = NDArray[np.float32]


class Embedder(Protocol):
    """Texts to unit vectors. An index remembers `name` and `dimensions` and refuses vectors of another model."""

    @property
    def name(self) -> str:
        """The model's name, as stored beside its vectors."""
        ...

    @property
    def dimensions(self) -> int:
        """The length of each vector."""
        ...

    async def embed_passages(self, texts: Sequence[str]) -> Vector:
        """One row of length 1 a text: shape (len(texts), dimensions), float32, in order."""
        ...

    async def embed_query(self, text: str) -> Vector:
        """The question's vector: shape (dimensions,), float32, length 1."""
        ...


@runtime_checkable
class DocumentEmbedder(Embedder, Protocol):
    """An embedder that reads a passage in the light of its neighbours, so a document's passages go in together."""

    def runs(self, texts: Sequence[str]) -> Sequence[range]:
        """Which passages of one document, given in order, are read together: stretches that cover it, in order."""
        ...

    async def embed_runs(self, runs: Sequence[Sequence[str]]) -> Sequence[Vector]:
        """One matrix a run, as `embed_passages` gives for its texts; a run is a whole stretch of `runs`."""
        ...


class HashEmbedder:
    """A fake embedder: words hashed into buckets, so texts that share words are near. No model, always the same."""

    def __init__(self, dimensions: int = 64) -> None:
        self._dimensions = dimensions

    @property
    def name(self) -> str:
        """Names the bucket count, so that two sizes never mix."""
        return f"hash-{self._dimensions}"

    @property
    def dimensions(self) -> int:
        """The number of buckets."""
        return self._dimensions

    async def embed_passages(self, texts: Sequence[str]) -> Vector:
        """One row a text."""
        return np.stack([self._embed(text) for text in texts]) if texts else np.zeros((0, self._dimensions), np.float32)

    async def embed_query(self, text: str) -> Vector:
        """The same as a passage of that text."""
        return self._embed(text)

    def _embed(self, text: str) -> Vector:
        vector = np.zeros(self._dimensions, np.float32)
        for word in re.findall(r"\w+", text.lower()):
            digest = hashlib.blake2b(word.encode(), digest_size=8).digest()
            vector[int.from_bytes(digest, "big") % self._dimensions] += 1.0
        norm = float(np.linalg.norm(vector))
        return vector / np.float32(norm) if norm else vector
