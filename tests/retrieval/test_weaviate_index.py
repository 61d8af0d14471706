"""What the Weaviate index does beyond the port's contract."""

from __future__ import annotations

import asyncio
import itertools
import socket
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from retrieval.embed import HashEmbedder
from retrieval.errors import IndexMismatch, IndexUnavailable
from retrieval.weaviate_rows import document_uuid, passage_uuid
from retrieval.weaviate_versions import GRACE
from retrieval.weaviate_write import LEFT_BEHIND
from tests.doubles.weaviate import WeaviateDouble
from tests.doubles.weaviate.orders import Orders, Refusal
from tests.retrieval.samples import document, embed_all, passages, put
from tests.retrieval.weaviate_place import Place

if TYPE_CHECKING:
    from collections.abc import Iterator

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
def place(weaviate: WeaviateDouble) -> Place:
    return Place(weaviate.url)


def stored(weaviate: WeaviateDouble, place: Place, kind: str) -> list[dict[str, Any]]:
    """The objects of all collections of one kind."""
    return [one for objects in weaviate.objects(f"{place.name}{kind}").values() for one in objects]


async def texts(index: Index, question: str = "plan") -> set[str]:
    hits = await index.search(question, await EMBEDDER.embed_query(question), k=20)
    return {hit.passage.text for hit in hits}


# Collections of earlier versions


async def test_collections_made_before_documents_could_expire_go_on_and_heed_the_dates_they_have(
    weaviate: WeaviateDouble, place: Place
) -> None:
    today = date(2026, 11, 30)
    index = await place.open(EMBEDDER)
    await put(index, document("d1"), "alpha plan")
    await put(index, replace(document("d2"), superseded_by="new"), "beta plan")
    await index.close()
    weaviate.forget_property(f"{place.name}Documents", "expires")
    weaviate.forget_property(f"{place.name}Passages", "expires")
    index = await place.open(EMBEDDER)
    assert [hit.document.id for hit in await index.search("plan", None, k=5, today=today)] == ["d1"]
    await put(index, replace(document("d1"), expires=date(2026, 11, 29)), "alpha plan")
    assert await index.search("plan", None, k=5, today=today) == []
    await index.close()


# One step, seen whole or not at all

ALPHA = [f"alpha plan {number}" for number in range(3)]
BETA = [f"beta plan {'plan ' * number}" for number in range(5)]


@pytest.mark.parametrize("at", range(1, 15))
async def test_a_reader_between_the_steps_of_a_replacement_sees_one_version(
    weaviate: WeaviateDouble, place: Place, at: int
) -> None:
    writer, reader = await place.open(EMBEDDER), await place.open(EMBEDDER)
    await put(writer, document(), *ALPHA)
    await embed_all(writer, EMBEDDER)
    seen: list[set[str]] = []

    async def read() -> None:
        seen.append(await texts(reader))

    async with weaviate.interrupted(at, None, read):
        await put(writer, document(), *BETA)
    assert seen == [set(ALPHA)]
    assert await texts(reader) == set(BETA)
    await writer.close()
    await reader.close()


@pytest.mark.parametrize("first", ["at rest", "just put in", "not there"])
@pytest.mark.parametrize("at", range(1, 6))
async def test_a_search_that_a_whole_replacement_interrupts_sees_one_version(
    weaviate: WeaviateDouble, place: Place, at: int, first: str
) -> None:
    time = Time()
    writer, reader = await place.open(EMBEDDER, **time.given), await place.open(EMBEDDER)
    await put(writer, document("other"), "gamma plan")
    if first != "not there":
        await put(writer, document(), *ALPHA)
    await embed_all(writer, EMBEDDER)
    if first == "at rest":
        time.seconds += GRACE
        await writer.remove([])
        assert {one["busy"] for one in stored(weaviate, place, "Documents")} == {False}
    written = asyncio.Event()

    async def write() -> None:
        await put(writer, document(), *BETA)
        written.set()

    async with weaviate.interrupted(at, "Search", write):
        found = await texts(reader)
    assert written.is_set()
    assert found - {"gamma plan"} in [set() if first == "not there" else set(ALPHA), set(BETA)]
    await writer.close()
    await reader.close()


@pytest.mark.parametrize("at", range(2, 5))
async def test_a_search_that_begins_in_the_middle_of_a_replacement_and_ends_after_sees_the_old_version(
    weaviate: WeaviateDouble, place: Place, at: int
) -> None:
    writer, reader = await place.open(EMBEDDER), await place.open(EMBEDDER)
    await put(writer, document(), *ALPHA)
    halfway, finish = asyncio.Event(), asyncio.Event()

    async def pause() -> None:
        halfway.set()
        await finish.wait()

    async with weaviate.interrupted(3, "BatchObjects", pause):  # the write that makes the new version live
        writing = asyncio.create_task(writer.replace(document(), passages(document(), *BETA)))
        await halfway.wait()

        async def end() -> None:
            finish.set()
            await writing

        async with weaviate.interrupted(at, "Search", end):
            found = await texts(reader)
        assert found == set(ALPHA)
        finish.set()
        await writing
    assert await texts(reader) == set(BETA)
    await writer.close()
    await reader.close()


async def test_a_retired_version_is_deleted_once_no_search_can_be_reading_it(
    weaviate: WeaviateDouble, place: Place
) -> None:
    time = Time()
    index = await place.open(EMBEDDER, **time.given)
    await put(index, document(), *ALPHA)
    await embed_all(index, EMBEDDER)
    await put(index, document(), *BETA)
    time.seconds += GRACE - 1
    await put(index, document("other"), "gamma")
    assert len(stored(weaviate, place, "Passages")) == 9
    time.seconds += 1
    await put(index, document("other"), "gamma")
    assert {one["text"] for one in stored(weaviate, place, "Passages")} == {*BETA, "gamma"}
    assert stored(weaviate, place, "Vectors_") == []
    time.seconds += GRACE
    await index.remove([])
    assert [one["busy"] for one in stored(weaviate, place, "Documents")] == [False, False]
    await index.close()


async def test_a_removed_document_leaves_nothing_behind(weaviate: WeaviateDouble, place: Place) -> None:
    time = Time()
    index = await place.open(EMBEDDER, **time.given)
    await put(index, document(), *ALPHA)
    await embed_all(index, EMBEDDER)
    await index.remove(["flu"])
    assert await index.catalogue() == []
    time.seconds += GRACE
    await index.remove([])
    assert [stored(weaviate, place, kind) for kind in ("Documents", "Passages", "Vectors_")] == [[], [], []]
    await index.close()


# What goes wrong half way


async def test_objects_that_are_refused_are_named_without_the_servers_words_and_the_old_version_stays(
    weaviate: WeaviateDouble, place: Place
) -> None:
    versions = iter(["generation", "first", "second", "third"])
    index = await place.open(EMBEDDER, versions=lambda: next(versions))
    await put(index, document(), *ALPHA)
    weaviate.order(Orders(refusal=Refusal("ordinal", 1, f"invalid text property: {BETA[1]!r}")))
    told = f"refused 1 of 5 objects of {place.name}Passages: {passage_uuid('flu#1', 'second')}"
    with pytest.raises(IndexUnavailable, match=told) as error:
        await put(index, document(), *BETA)
    assert BETA[1] not in str(error.value)
    weaviate.order(Orders())
    assert await texts(index) == set(ALPHA)
    await put(index, document(), *BETA)
    assert await texts(index) == set(BETA)
    await index.close()


async def test_a_batch_that_is_refused_whole_is_told_without_the_servers_words(
    weaviate: WeaviateDouble, place: Place
) -> None:
    index = await place.open(EMBEDDER)
    weaviate.order(Orders(refusal=Refusal("document_id", "flu", f"invalid text property: {ALPHA[0]!r}")))
    told = f"refused 1 of 1 objects of {place.name}Documents: {document_uuid('flu')}"
    with pytest.raises(IndexUnavailable, match=told) as error:
        await put(index, document(), *ALPHA)
    assert ALPHA[0] not in str(error.value)
    await index.close()


async def test_what_a_process_that_ended_left_behind_is_swept_at_the_next_start(
    weaviate: WeaviateDouble, place: Place
) -> None:
    time = Time()
    index = await place.open(EMBEDDER, **time.given)
    await put(index, document(), *ALPHA)
    weaviate.order(Orders(refusal=Refusal("ordinal", 2, "killed")))
    with pytest.raises(IndexUnavailable):
        await put(index, document(), *BETA)
    with pytest.raises(IndexUnavailable):
        await put(index, document("never"), *BETA)
    await index.close()
    weaviate.order(Orders())
    for later, left in ((timedelta(0), 11), (2 * LEFT_BEHIND, 3)):
        time.seconds += later.total_seconds()
        again = await place.open(EMBEDDER, **time.given)
        assert len(stored(weaviate, place, "Passages")) == left
        assert await texts(again) == set(ALPHA)
        assert [one.id for one in await again.catalogue()] == ["flu"]
        await again.close()


async def test_while_a_replica_is_away_nothing_is_written_and_searches_go_on(
    weaviate: WeaviateDouble, place: Place
) -> None:
    time = Time()
    weaviate.order(Orders(replicas=3, nodes=3))
    index = await place.open(EMBEDDER, **time.given)
    await put(index, document(), *ALPHA)
    weaviate.order(Orders(replicas=3, nodes=2))
    before = weaviate.objects(place.name)
    with pytest.raises(IndexUnavailable, match="A node of the Weaviate cluster does not answer"):
        await put(index, document(), *BETA)
    with pytest.raises(IndexUnavailable, match="A node"):
        await index.remove(["flu"])
    time.seconds += 2 * LEFT_BEHIND.total_seconds()
    beside = await place.open(EMBEDDER, **time.given)
    for one in (index, beside):
        assert await texts(one) == set(ALPHA)
        await one.close()
    assert weaviate.objects(place.name) == before


async def test_what_words_find_has_the_same_order_after_each_ingest_on_three_nodes(weaviate: WeaviateDouble) -> None:
    lines = [f"{'plan ' * (number % 3)}{'ward ' * (number % 4)}{'bed ' * number}{number}" for number in range(12)]
    orders = []
    for nodes, start in [(1, 0), (3, 100), (3, 200)]:
        weaviate.order(Orders(replicas=nodes, nodes=nodes))
        versions = itertools.count(start)
        index = await Place(weaviate.url).open(None, versions=lambda count=versions: f"version-{next(count)}")
        for number, line in enumerate(lines):
            await put(index, document(f"file-{number}"), line)
        orders.append([hit.passage.text for hit in await index.search("plan ward", None, k=20)])
        await index.close()
    assert orders[1:] == orders[:1] * 2


# The embedding model


async def test_another_model_is_refused_and_re_embedding_keeps_the_text(weaviate: WeaviateDouble, place: Place) -> None:
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


async def test_without_a_model_vectors_that_were_dropped_are_not_counted(place: Place) -> None:
    index = await place.open(EMBEDDER)
    await put(index, document(), *ALPHA)
    await embed_all(index, EMBEDDER)
    await index.close()
    await (await place.open(HashEmbedder(32), re_embed=True)).close()
    by_words = await place.open(None)
    assert (await by_words.status()).embedded == 0
    assert len(await by_words.unembedded(9)) == 3
    await by_words.close()


async def test_two_processes_that_begin_with_a_model_at_once_share_its_vectors(place: Place) -> None:
    one, other = await asyncio.gather(place.open(EMBEDDER), place.open(EMBEDDER))
    await put(one, document(), *ALPHA)
    await embed_all(one, EMBEDDER)
    assert (await other.status()).embedded == 3
    assert await other.unembedded(9) == []
    for index in (one, other):
        await index.close()


async def test_vectors_of_a_half_filled_index_are_a_sample_of_all_documents(place: Place) -> None:
    numbers = map(str, itertools.count())
    index = await place.open(EMBEDDER, versions=lambda: next(numbers))
    for number in range(12):
        await put(index, document(f"d{number:02}"), *(f"plan {number} {part}" for part in range(20)))
    waiting = await index.unembedded(24)
    assert len({passage.document_id for passage in waiting}) >= 8
    await index.close()


# The server


async def test_two_processes_may_open_a_new_index_at_once(weaviate: WeaviateDouble, place: Place) -> None:
    both = await asyncio.gather(place.open(EMBEDDER), place.open(EMBEDDER))
    for index in both:
        await index.close()
    assert len(weaviate.objects(place.name)) == 3


@contextmanager
def closed_port() -> Iterator[int]:
    """One that nobody else gets meanwhile, and that nothing listens on."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        yield unused.getsockname()[1]


async def test_it_says_which_port_is_closed(weaviate: WeaviateDouble) -> None:
    http, grpc = weaviate.http_port, weaviate.grpc_port
    with closed_port() as closed, closed_port() as closed_too:
        for open_http, open_grpc, told in (
            (http, closed, r"gRPC at .* is closed"),
            (closed, grpc, r"HTTP at .* is closed; gRPC at .* is open"),
            (closed, closed_too, r"HTTP at .* is closed; gRPC at .* is closed too"),
        ):
            where = Place(f"http://127.0.0.1:{open_http}?grpc=127.0.0.1:{open_grpc}")
            with pytest.raises(IndexUnavailable, match=told):
                await where.open(None, patience=4.0)


async def test_a_wrong_key_is_told_as_such(weaviate: WeaviateDouble) -> None:
    weaviate.order(Orders(key="right"))
    for key in ("wrong", None):
        with pytest.raises(IndexUnavailable, match="WEAVIATE_API_KEY"):
            await Place(weaviate.url, key).open(None)
    await (await Place(weaviate.url, "right").open(None)).close()


async def test_a_proxy_of_the_environment_is_not_asked(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    with closed_port() as closed:
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{closed}")
        await (await place.open(None)).close()


async def test_a_server_that_is_too_old_is_told_as_such(weaviate: WeaviateDouble, place: Place) -> None:
    weaviate.order(Orders(version="1.32.4"))
    with pytest.raises(IndexUnavailable, match=r"1\.32\.4 is too old"):
        await place.open(None)


async def test_a_server_that_is_starting_is_waited_for(weaviate: WeaviateDouble, place: Place) -> None:
    weaviate.order(Orders(ready=False))
    with pytest.raises(IndexUnavailable, match="is not ready after 1 s"):
        await place.open(None, patience=1.0)
    opening = asyncio.create_task(place.open(None))
    await asyncio.sleep(0)
    weaviate.order(Orders())
    await (await opening).close()


async def test_a_server_that_is_killed_fails_a_search_within_its_time() -> None:
    with WeaviateDouble() as alone:
        index = await Place(alone.url).open(EMBEDDER, patience=2.0)
        await put(index, document(), *ALPHA)
        alone.kill()
        with pytest.raises(IndexUnavailable, match="did not answer within 2 s"):
            await index.search("plan", None, k=3)
        await index.close()


async def test_a_server_that_hangs_fails_a_search_within_its_time(weaviate: WeaviateDouble, place: Place) -> None:
    index = await place.open(EMBEDDER, patience=1.0)
    await put(index, document(), *ALPHA)
    searched = asyncio.Event()
    async with weaviate.interrupted(1, "Search", searched.wait):
        with pytest.raises(IndexUnavailable, match="did not answer within 1 s"):
            await index.search("plan", None, k=3)
        searched.set()
    assert await index.search("plan", None, k=3)
    await index.close()
