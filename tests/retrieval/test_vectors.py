"""Filling vectors in: whole, in small steps, and again from where it stopped."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from retrieval.document import Document, Passage
from retrieval.embed import HashEmbedder
from retrieval.errors import RetrievalError
from retrieval.ram_index import RamIndex
from retrieval.vectors import fill

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from retrieval.embed import Vector


class Watched(HashEmbedder):
    """The fake embedder, with something that happens before each batch."""

    def __init__(self, before: Callable[[int], Awaitable[None]]) -> None:
        super().__init__()
        self._before = before
        self.batches: list[int] = []

    async def embed_passages(self, texts: Sequence[str]) -> Vector:
        self.batches.append(len(texts))
        await self._before(len(self.batches))
        return await super().embed_passages(texts)


def passages(document: str, *texts: str) -> list[Passage]:
    return [
        Passage(f"{document}#{n}", document, n, text, "From “Leaflet”.", (), (0, len(text)))
        for n, text in enumerate(texts, start=1)
    ]


async def put(index: RamIndex, document: str, *texts: str) -> None:
    record = Document(document, "Leaflet", f"/{document}.md", "public", "hash")
    await index.replace(record, passages(document, *texts))


@pytest.fixture
async def index() -> RamIndex:
    index = RamIndex()
    await put(index, "a", *(f"passage number {n}" for n in range(10)))
    return index


async def nothing(batch: int) -> None:
    """Let the embedder work undisturbed."""


async def waiting(index: RamIndex) -> int:
    return len(await index.unembedded(1000))


async def test_every_passage_gets_the_vector_of_its_context_and_text(index: RamIndex) -> None:
    assert await fill(index, HashEmbedder(), batch=4) == 10
    assert await waiting(index) == 0
    vector = await HashEmbedder().embed_query("From “Leaflet”.\npassage number 7")
    best = (await index.search("", vector, k=1))[0]
    assert best.passage.text == "passage number 7"
    assert best.cosine == pytest.approx(1.0)


async def test_batches_are_no_larger_than_asked(index: RamIndex) -> None:
    embedder = Watched(nothing)
    await fill(index, embedder, batch=4)
    assert embedder.batches == [4, 4, 2]


async def test_what_is_filled_already_is_not_embedded_again(index: RamIndex) -> None:
    await fill(index, HashEmbedder())
    embedder = Watched(nothing)
    assert await fill(index, embedder) == 0
    assert embedder.batches == []


async def test_progress_starts_at_what_is_there_and_ends_at_all(index: RamIndex) -> None:
    seen: list[tuple[int, int]] = []
    await fill(index, HashEmbedder(), batch=4, on_progress=lambda done, total: seen.append((done, total)))
    assert seen == [(0, 10), (4, 10), (8, 10), (10, 10)]


async def test_an_embedder_that_fails_loses_one_batch_and_is_reported(index: RamIndex) -> None:
    async def fail_third(batch: int) -> None:
        if batch == 3:
            raise RetrievalError("model gone")

    with pytest.raises(RetrievalError, match="model gone"):
        await fill(index, Watched(fail_third), batch=3)
    assert await waiting(index) == 4
    assert await fill(index, HashEmbedder()) == 4


async def test_a_cancelled_fill_keeps_what_was_stored(index: RamIndex) -> None:
    second = asyncio.Event()

    async def hang_in_second(batch: int) -> None:
        if batch == 2:
            second.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(fill(index, Watched(hang_in_second), batch=3))
    await second.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await waiting(index) == 7


async def test_stop_ends_after_the_batch_in_hand(index: RamIndex) -> None:
    stop = asyncio.Event()

    async def stop_in_second(batch: int) -> None:
        if batch == 2:
            stop.set()

    assert await fill(index, Watched(stop_in_second), batch=3, stop=stop) == 6
    assert await waiting(index) == 4


async def test_documents_that_arrive_meanwhile_are_filled_too(index: RamIndex) -> None:
    async def arrive(batch: int) -> None:
        if batch == 2:
            await put(index, "b", "a late passage")

    assert await fill(index, Watched(arrive), batch=5) == 11
    assert await waiting(index) == 0


async def test_a_passage_changed_meanwhile_never_keeps_the_vector_of_its_old_text(index: RamIndex) -> None:
    async def change(batch: int) -> None:
        if batch == 1:
            await put(index, "a", "something else entirely")

    await fill(index, Watched(change), batch=4)
    vector = await HashEmbedder().embed_query("From “Leaflet”.\nsomething else entirely")
    best = (await index.search("", vector, k=1))[0]
    assert best.cosine == pytest.approx(1.0)


async def test_passages_that_vanish_meanwhile_are_passed_over(index: RamIndex) -> None:
    async def vanish(batch: int) -> None:
        await index.remove(["a"])

    assert await fill(index, Watched(vanish), batch=4) == 0
