"""An embedder for scripts that ask the same questions many times."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.embed import Embedder, Vector


class Remembering:
    """Embeds each text once, as a question."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[str, Vector] = {}
        self.name, self.dimensions = embedder.name, embedder.dimensions

    async def embed_passages(self, texts: Sequence[str]) -> Vector:
        return np.stack([await self.embed_query(text) for text in texts])

    async def embed_query(self, text: str) -> Vector:
        if text not in self._known:
            self._known[text] = await self._embedder.embed_query(text)
        return self._known[text]
