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


class Neighbourly(HashEmbedder):
    """An embedder that reads passages in pairs, each in the light of the other, and remembers what it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[list[list[str]]] = []

    def runs(self, texts: Sequence[str]) -> Sequence[range]:
        return [range(at, min(at + 2, len(texts))) for at in range(0, len(texts), 2)]

    async def embed_runs(self, runs: Sequence[Sequence[str]]) -> Sequence[Vector]:
        self.calls.append([[text.partition("\n")[2] for text in run] for run in runs])
        return [await self.embed_passages([f"{text} among {len(run)}" for text in run]) for run in runs]


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


async def test_stop_gives_up_a_batch_that_does_not_end(index: RamIndex) -> None:
    stop, ended = asyncio.Event(), asyncio.Event()

    async def wait_for_ever_in_second(batch: int) -> None:
        if batch == 2:
            stop.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()

    assert await fill(index, Watched(wait_for_ever_in_second), batch=3, stop=stop, grace=0.01) == 3
    assert ended.is_set()
    assert await waiting(index) == 7


async def test_an_embedder_that_fails_is_reported_with_a_stop_too(index: RamIndex) -> None:
    async def fail(batch: int) -> None:
        raise RetrievalError("model gone")

    with pytest.raises(RetrievalError, match="model gone"):
        await fill(index, Watched(fail), stop=asyncio.Event())


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


# Embedders that read neighbours together


async def test_neighbours_go_together_in_order_and_never_across_documents() -> None:
    index, embedder = RamIndex(), Neighbourly()
    await put(index, "a", "a1", "a2", "a3")
    await put(index, "b", "b1", "b2")
    assert await fill(index, embedder) == 5
    assert [run for call in embedder.calls for run in call] == [["a1", "a2"], ["a3"], ["b1", "b2"]]
    assert await waiting(index) == 0
    vector = await HashEmbedder().embed_query("From “Leaflet”.\nb2 among 2")
    assert (await index.search("", vector, k=1))[0].passage.text == "b2"


async def test_a_batch_ends_with_the_stretch_that_fills_it(index: RamIndex) -> None:
    embedder = Neighbourly()
    await fill(index, embedder, batch=3)
    assert [sum(map(len, call)) for call in embedder.calls] == [4, 4, 2]


async def test_a_stretch_in_which_one_passage_is_new_is_embedded_whole_and_the_others_stay() -> None:
    index, embedder = RamIndex(), Neighbourly()
    await put(index, "a", "one", "two", "three", "four")
    await fill(index, embedder)
    embedder.calls.clear()
    await put(index, "a", "one", "two", "three", "another")
    await fill(index, embedder)
    assert embedder.calls == [[["three", "another"]]]


async def test_a_document_that_vanishes_meanwhile_is_passed_over() -> None:
    class Vanishing(RamIndex):
        async def passages_of(self, document_id: str) -> Sequence[Passage]:
            await self.remove([document_id])
            return await super().passages_of(document_id)

    index = Vanishing()
    await put(index, "a", "one", "two")
    assert await fill(index, Neighbourly()) == 0
