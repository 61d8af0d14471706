"""What the Weaviate index does beyond the port's contract."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from retrieval.embed import HashEmbedder
from retrieval.errors import IndexMismatch, IndexUnavailable
from retrieval.weaviate_versions import GRACE
from retrieval.weaviate_write import LEFT_BEHIND
from tests.doubles.weaviate import WeaviateDouble
from tests.retrieval.samples import document, embed_all, passages, put
from tests.retrieval.weaviate_place import Place

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator

    from retrieval.index import Index

EMBEDDER = HashEmbedder()


@dataclass
class Time:
    """A clock and a timer that go when they are told to."""

    seconds: float = 0.0

    def timer(self) -> float:
        return self.seconds

    def clock(self) -> datetime:
        return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=self.seconds)

    @property
    def given(self) -> dict[str, Any]:
        return {"timer": self.timer, "clock": self.clock}


@pytest.fixture
def double() -> Iterator[WeaviateDouble]:
    with WeaviateDouble() as running:
        yield running


@pytest.fixture
def place(double: WeaviateDouble) -> Place:
    return Place(double.url)


def stored(double: WeaviateDouble, place: Place, kind: str) -> list[dict[str, Any]]:
    """The objects of all collections of one kind."""
    return [
        one.properties
        for name, collection in double.store.collections.items()
        if name.startswith(f"{place.name}{kind}")
        for one in collection.objects.values()
    ]


async def texts(index: Index, question: str = "plan") -> set[str]:
    hits = await index.search(question, await EMBEDDER.embed_query(question), k=20)
    return {hit.passage.text for hit in hits}


# One step, seen whole or not at all

ALPHA = [f"alpha plan {number}" for number in range(3)]
BETA = [f"beta plan {'plan ' * number}" for number in range(5)]


def interrupting(
    double: WeaviateDouble, at: int, name: str | None, work: Callable[[], Coroutine[Any, Any, None]]
) -> list[str]:
    """Before the `at`th call of this name, do the whole of `work`; the calls' names, so far, are returned."""
    loop, seen = asyncio.get_running_loop(), list[str]()

    def on_call(called: str) -> None:
        if name is None or called == name:
            seen.append(called)
            if len(seen) == at:
                double.on_call = lambda _: None
                asyncio.run_coroutine_threadsafe(work(), loop).result(20)
                double.on_call = on_call

    double.on_call = on_call
    return seen


@pytest.mark.parametrize("at", range(1, 15))
async def test_a_reader_between_the_steps_of_a_replacement_sees_one_version(
    double: WeaviateDouble, place: Place, at: int
) -> None:
    writer, reader = await place.open(EMBEDDER), await place.open(EMBEDDER)
    await put(writer, document(), *ALPHA)
    await embed_all(writer, EMBEDDER)
    seen: list[set[str]] = []

    async def read() -> None:
        seen.append(await texts(reader))

    calls = interrupting(double, at, None, read)
    await put(writer, document(), *BETA)
    assert len(calls) >= at
    assert seen == [set(ALPHA)]
    assert await texts(reader) == set(BETA)
    await writer.close()
    await reader.close()


@pytest.mark.parametrize("first", ["alpha", None])
@pytest.mark.parametrize("at", range(1, 9))
async def test_a_search_that_a_whole_replacement_interrupts_sees_one_version(
    double: WeaviateDouble, place: Place, at: int, first: str | None
) -> None:
    writer, reader = await place.open(EMBEDDER), await place.open(EMBEDDER)
    await put(writer, document("other"), "gamma plan")
    if first:
        await put(writer, document(), *ALPHA)
    await embed_all(writer, EMBEDDER)

    async def write() -> None:
        await put(writer, document(), *BETA)

    interrupting(double, at, "Search", write)
    assert await texts(reader) - {"gamma plan"} in [set(ALPHA) if first else set(), set(BETA)]
    await writer.close()
    await reader.close()


@pytest.mark.parametrize("at", range(2, 5))
async def test_a_search_that_begins_in_the_middle_of_a_replacement_and_ends_after_sees_the_old_version(
    double: WeaviateDouble, place: Place, at: int
) -> None:
    writer, reader = await place.open(EMBEDDER), await place.open(EMBEDDER)
    await put(writer, document(), *ALPHA)
    going: list[asyncio.Task[None]] = []
    halfway, finish = asyncio.Event(), asyncio.Event()

    async def pause() -> None:
        halfway.set()
        await finish.wait()

    calls = interrupting(double, 3, "BatchObjects", pause)  # the write that makes the new version live
    going.append(asyncio.ensure_future(writer.replace(document(), passages(document(), *BETA))))
    await halfway.wait()
    assert len(calls) == 3

    async def end() -> None:
        finish.set()
        await going[0]

    interrupting(double, at, "Search", end)
    assert await texts(reader) == set(ALPHA)
    finish.set()
    await going[0]
    assert await texts(reader) == set(BETA)
    await writer.close()
    await reader.close()


async def test_a_retired_version_is_deleted_once_no_search_can_be_reading_it(
    double: WeaviateDouble, place: Place
) -> None:
    time = Time()
    index = await place.open(EMBEDDER, **time.given)
    await put(index, document(), *ALPHA)
    await embed_all(index, EMBEDDER)
    await put(index, document(), *BETA)
    time.seconds += GRACE - 1
    await put(index, document("other"), "gamma")
    assert len(stored(double, place, "Passages")) == 9
    time.seconds += 1
    await put(index, document("other"), "gamma")
    assert {one["text"] for one in stored(double, place, "Passages")} == {*BETA, "gamma"}
    assert stored(double, place, "Vectors_") == []
    time.seconds += GRACE
    await index.remove([])
    assert [one["busy"] for one in stored(double, place, "Documents")] == [False, False]
    await index.close()


async def test_a_removed_document_leaves_nothing_behind(double: WeaviateDouble, place: Place) -> None:
    time = Time()
    index = await place.open(EMBEDDER, **time.given)
    await put(index, document(), *ALPHA)
    await embed_all(index, EMBEDDER)
    await index.remove(["flu"])
    assert await index.catalogue() == []
    time.seconds += GRACE
    await index.remove([])
    assert [stored(double, place, kind) for kind in ("Documents", "Passages", "Vectors_")] == [[], [], []]
    await index.close()


# What goes wrong half way


async def test_objects_that_are_refused_are_named_and_the_old_version_stays(
    double: WeaviateDouble, place: Place
) -> None:
    index = await place.open(EMBEDDER)
    await put(index, document(), *ALPHA)
    double.refuse_object = lambda _, values: "no space left on device" if values.get("ordinal") == 1 else None
    with pytest.raises(IndexUnavailable, match=r"refused 1 of 5 objects.*no space left on device") as error:
        await put(index, document(), *BETA)
    assert not any(text in str(error.value) for text in BETA)
    double.refuse_object = lambda *_: None
    assert await texts(index) == set(ALPHA)
    await put(index, document(), *BETA)
    assert await texts(index) == set(BETA)
    await index.close()


async def test_what_a_process_that_ended_left_behind_is_swept_at_the_next_start(
    double: WeaviateDouble, place: Place
) -> None:
    time = Time()
    index = await place.open(EMBEDDER, **time.given)
    await put(index, document(), *ALPHA)
    double.refuse_object = lambda _, values: "killed" if values.get("ordinal") == 2 else None
    with pytest.raises(IndexUnavailable):
        await put(index, document(), *BETA)
    with pytest.raises(IndexUnavailable):
        await put(index, document("never"), *BETA)
    await index.close()
    double.refuse_object = lambda *_: None
    for later, left in ((timedelta(0), 11), (2 * LEFT_BEHIND, 3)):
        time.seconds += later.total_seconds()
        again = await place.open(EMBEDDER, **time.given)
        assert len(stored(double, place, "Passages")) == left
        assert await texts(again) == set(ALPHA)
        assert [one.id for one in await again.catalogue()] == ["flu"]
        await again.close()


# The embedding model


async def test_another_model_is_refused_and_re_embedding_keeps_the_text(double: WeaviateDouble, place: Place) -> None:
    index = await place.open(EMBEDDER)
    await put(index, document(), *ALPHA)
    await (await place.open(HashEmbedder(32))).close()  # no vectors yet: any model will do
    await embed_all(index, EMBEDDER)
    await index.close()
    with pytest.raises(IndexMismatch, match=r"hash-64.*hash-32.*--re-embed"):
        await place.open(HashEmbedder(32))
    other = HashEmbedder(32)
    index = await place.open(other, re_embed=True)
    status = await index.status()
    assert (status.passages, status.embedded, status.model) == (3, 0, None)
    await embed_all(index, other)
    status = await index.status()
    assert (status.embedded, status.model, status.dimensions) == (3, "hash-32", 32)
    (best, *_) = await index.search("", await other.embed_query(ALPHA[0]), k=1)
    assert best.passage.text == ALPHA[0]
    await index.close()


async def test_a_search_after_another_process_changed_the_model_says_so(place: Place) -> None:
    index = await place.open(EMBEDDER)
    await put(index, document(), *ALPHA)
    await embed_all(index, EMBEDDER)
    other = HashEmbedder(32)
    changed = await place.open(other, re_embed=True)
    await embed_all(changed, other)
    with pytest.raises(IndexMismatch, match="hash-32"):
        await index.search("plan", await EMBEDDER.embed_query("plan"), k=3)
    await changed.close()
    await index.close()


async def test_without_a_model_words_search_and_vectors_stay(place: Place) -> None:
    index = await place.open(EMBEDDER)
    await put(index, document(), *ALPHA)
    await embed_all(index, EMBEDDER)
    await index.close()
    by_words = await place.open(None)
    assert {hit.passage.text for hit in await by_words.search("alpha", None, k=5)} == set(ALPHA)
    assert (await by_words.status()).embedded == 3
    with pytest.raises(IndexMismatch, match="without an embedding model"):
        await by_words.add_vectors(["flu#0"], await EMBEDDER.embed_passages(ALPHA[:1]))
    await by_words.close()


async def test_vectors_of_a_half_filled_index_are_a_sample_of_all_documents(place: Place) -> None:
    index = await place.open(EMBEDDER)
    for number in range(12):
        await put(index, document(f"d{number:02}"), *(f"plan {number} {part}" for part in range(20)))
    waiting = await index.unembedded(24)
    assert len({passage.document_id for passage in waiting}) >= 8
    await index.close()


# The server


async def test_two_processes_may_open_a_new_index_at_once(double: WeaviateDouble, place: Place) -> None:
    both = await asyncio.gather(place.open(EMBEDDER), place.open(EMBEDDER))
    for index in both:
        await index.close()
    assert len(double.store.collections) == 3


async def test_it_says_which_port_is_closed(place: Place) -> None:
    with WeaviateDouble(grpc_open=False) as http_only, pytest.raises(IndexUnavailable, match=r"gRPC at .* is closed"):
        await Place(http_only.url).open(None, patience=4.0)
    with WeaviateDouble() as whole:
        stopped = WeaviateDouble()
        with stopped:
            closed = stopped.http_port
        grpc_only = f"http://127.0.0.1:{closed}?grpc=127.0.0.1:{whole.grpc_port}"
        with pytest.raises(IndexUnavailable, match=r"HTTP at .* is closed; gRPC at .* is open"):
            await Place(grpc_only).open(None)
    with pytest.raises(IndexUnavailable, match=r"HTTP at .* is closed; gRPC at .* is closed too"):
        await Place(grpc_only).open(None)


async def test_a_wrong_key_is_told_as_such() -> None:
    with WeaviateDouble(key="right") as guarded:
        for key in ("wrong", None):
            with pytest.raises(IndexUnavailable, match="WEAVIATE_API_KEY"):
                await Place(guarded.url, key).open(None)
        await (await Place(guarded.url, "right").open(None)).close()


async def test_a_server_that_is_too_old_is_told_as_such() -> None:
    with WeaviateDouble(version="1.32.4") as old, pytest.raises(IndexUnavailable, match=r"1\.32\.4 is too old"):
        await Place(old.url).open(None)


async def test_a_server_that_goes_away_fails_a_search_within_its_time(double: WeaviateDouble, place: Place) -> None:
    index = await place.open(EMBEDDER, patience=2.0)
    await put(index, document(), *ALPHA)
    double.stop()
    with pytest.raises(IndexUnavailable, match="did not answer within 2 s"):
        await index.search("plan", None, k=3)
    await index.close()
