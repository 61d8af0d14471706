"""Parts of a search that watch, fail or never end."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from retrieval.embed import HashEmbedder
from retrieval.ram_index import RamIndex
from retrieval.scope import EVERYTHING, Scope

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

    from retrieval.embed import Vector
    from retrieval.evidence import Hit


async def fail(error: Exception | None) -> NoReturn:
    """Raise the error, or never end."""
    if error is None:
        await asyncio.Event().wait()
    raise error or AssertionError


class Spied(RamIndex):
    """Remembers the words, the vector and the number of hits that it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[str, Vector | None, int]] = []

    async def search(self, words: str, vector: Vector | None, *, k: int, **options: Any) -> Sequence[Hit]:
        self.asked.append((words, vector, k))
        return await super().search(words, vector, k=k, **options)


class Failing(RamIndex):
    """An index that serves so many searches, then raises what it is given, or hangs."""

    def __init__(self, error: Exception | None, *, after: int = 0) -> None:
        super().__init__()
        self._error = error
        self._left = after

    async def search(self, words: str, vector: Vector | None, *, k: int, **options: Any) -> Sequence[Hit]:
        if not self._left:
            await fail(self._error)
        self._left -= 1
        return await super().search(words, vector, k=k, **options)


class Stuck(HashEmbedder):
    """An embedder that is still loading."""

    async def embed_query(self, text: str) -> Vector:
        await fail(None)


class Raising:
    """A reranker, a writer and a rewriter in one, that raises what it is given, or never ends."""

    name = "raising"

    def __init__(self, error: Exception | None) -> None:
        self._error = error

    async def scores(self, question: str, hits: Sequence[Hit], scope: Scope = EVERYTHING) -> Sequence[float]:
        await fail(self._error)

    async def passage(self, question: str) -> str | None:
        await fail(self._error)

    async def rewrite(self, question: str, titles: Sequence[str]) -> str | None:
        await fail(self._error)
