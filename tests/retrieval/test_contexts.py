"""Having passages placed: many at once, each stored as it comes, and again from where it stopped."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.contexts import REQUESTS_AT_ONCE, stretches, waiting, write
from retrieval.errors import ModelRefused
from retrieval.ram_index import RamIndex
from tests.retrieval.samples import document, passages, put

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from retrieval.contexts import Written
    from retrieval.document import Document, Passage


@dataclass
class Writer:
    """A model that says of each passage which one it is; `before` may do something to a request on its way."""

    before: Callable[[str], Awaitable[None]] | None = None
    says: Callable[[str], str | None] = lambda passage: f"This is about {passage}."
    name: str = "scripted"
    asked: list[str] = field(default_factory=list)
    more: list[bool] = field(default_factory=list)
    documents: set[str] = field(default_factory=set)
    on_the_way: set[str] = field(default_factory=set)
    most_on_the_way: int = 0

    async def sentence(self, document: str, passage: str, *, more: bool) -> str | None:
        self.asked.append(passage)
        self.more.append(more)
        self.documents.add(document)
        self.on_the_way.add(passage)
        self.most_on_the_way = max(self.most_on_the_way, len(self.on_the_way))
        try:
            if self.before:
                await self.before(passage)
            await asyncio.sleep(0)
            return self.says(passage)
        finally:
            self.on_the_way.remove(passage)


@pytest.fixture
async def index() -> RamIndex:
    index = RamIndex()
    await put(index, document("a"), *(f"a {n}" for n in range(12)))
    await put(index, document("b"), *(f"b {n}" for n in range(12)))
    return index


async def sentences(index: RamIndex) -> dict[str, str]:
    found = [one for id_ in ("a", "b") for one in await index.passages_of(id_)]
    return {one.text: one.sentence for one in found if one.sentence}


async def run(index: RamIndex, writer: Writer, *, stop: asyncio.Event | None = None, grace: float = 0.05) -> Written:
    return await write(index, writer, list(await index.catalogue()), stop=stop, grace=grace)


async def test_every_passage_gets_its_own_sentence_and_keeps_its_text(index: RamIndex) -> None:
    written = await run(index, Writer())
    assert (written.stored, written.without) == (24, 0)
    assert await sentences(index) == {text: f"This is about {text}." for text in await sentences(index)}
    assert len(await sentences(index)) == 24


async def test_a_second_run_asks_nothing(index: RamIndex) -> None:
    await run(index, Writer())
    again = Writer()
    assert (await run(index, again)).stored == 0
    assert again.asked == []


async def test_only_the_documents_that_are_named_are_placed(index: RamIndex) -> None:
    await write(index, Writer(), [document("b")])
    assert {text[0] for text in await sentences(index)} == {"b"}


async def test_of_a_document_the_first_passage_is_asked_about_alone_then_many_at_once(index: RamIndex) -> None:
    first_alone: list[bool] = []

    async def look(passage: str) -> None:
        await asyncio.sleep(0)
        if passage.endswith(" 0"):
            first_alone.append(not any(other[0] == passage[0] for other in writer.on_the_way - {passage}))

    writer = Writer(look)
    await run(index, writer)
    assert first_alone == [True, True]
    assert writer.most_on_the_way == REQUESTS_AT_ONCE


async def test_the_server_is_told_to_remember_only_what_is_sent_again(index: RamIndex) -> None:
    await put(index, document("c"), "alone")
    writer = Writer()
    await run(index, writer)
    assert dict(zip(writer.asked, writer.more, strict=True)) == {
        text: text != "alone" for text in [*await sentences(index), "alone"]
    }


async def test_each_sentence_is_stored_when_it_comes(index: RamIndex) -> None:
    held, eleven = asyncio.Event(), asyncio.Event()

    async def hold_the_last(passage: str) -> None:
        if passage == "a 11":
            await held.wait()

    def progress(written: Written) -> None:
        if written.stored == 11:
            eleven.set()

    running = asyncio.create_task(write(index, Writer(hold_the_last), [document("a")], on_progress=progress))
    async with asyncio.timeout(30):
        await eleven.wait()
    assert len(await sentences(index)) == 11
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    again = Writer()
    assert (await write(index, again, [document("a")])).stored == 1
    assert again.asked == ["a 11"]


async def test_a_model_that_fails_ends_the_run_and_what_is_stored_stays(index: RamIndex) -> None:
    async def fail_late(passage: str) -> None:
        if passage == "b 7":
            raise ModelRefused("the key is gone")

    with pytest.raises(ModelRefused, match="the key is gone"):
        await run(index, Writer(fail_late))
    stored = len(await sentences(index))
    assert 0 < stored < 24
    again = Writer()
    await run(index, again)
    assert len(again.asked) == 24 - stored


async def test_stop_lets_requests_in_hand_come_in_and_begins_no_other(index: RamIndex) -> None:
    stop = asyncio.Event()

    async def stop_at_five(passage: str) -> None:
        if passage == "a 5":
            stop.set()

    writer = Writer(stop_at_five)
    written = await run(index, writer, stop=stop, grace=30)
    assert written.stored == len(await sentences(index)) == len(writer.asked) < 24


async def test_stop_gives_up_a_request_that_does_not_come_in(index: RamIndex) -> None:
    stop = asyncio.Event()

    async def hang(passage: str) -> None:
        if passage == "a 0":
            stop.set()
            await asyncio.Event().wait()

    writer = Writer(hang)
    written = await run(index, writer, stop=stop)
    assert written.stored == len(await sentences(index)) < 24
    assert writer.on_the_way == set()


@pytest.mark.parametrize("unfit", [None, "", "Two\nlines.", "<b>Bold</b>.", "x" * 301])
async def test_an_unfit_sentence_is_not_stored_and_is_counted(index: RamIndex, unfit: str | None) -> None:
    written = await run(index, Writer(says=lambda passage: unfit if passage == "a 3" else "Fit."))
    assert (written.stored, written.without) == (23, 1)
    assert "a 3" not in await sentences(index)


async def test_a_passage_that_changes_meanwhile_does_not_get_the_sentence_of_another(index: RamIndex) -> None:
    async def change(passage: str) -> None:
        if passage == "a 0":
            await put(index, document("a"), "something else")

    await run(index, Writer(change))
    assert "something else" not in await sentences(index)


async def test_a_document_goes_in_with_its_title_and_headings() -> None:
    index = RamIndex()
    await put(index, document("a", title="Flu"), "Come on Tuesday.", "Bring a card.")
    (stretch,) = [one async for one in waiting(index, [document("a", title="Flu")])]
    assert stretch.text == "Flu\n\nPart > Section 0\n\nCome on Tuesday.\n\nPart > Section 1\n\nBring a card."


def spread(lengths: Sequence[int], longest: int) -> tuple[list[Passage], list[tuple[Passage, ...]]]:
    owner: Document = document()
    made = passages(owner, *("x" * length for length in lengths))
    return made, [stretch.waiting for stretch in stretches(owner.title, made, longest=longest)]


@given(st.lists(st.integers(1, 50), min_size=1, max_size=60), st.integers(10, 400))
def test_stretches_cover_a_document_in_order_and_none_is_much_too_long(lengths: list[int], longest: int) -> None:
    made, runs = spread(lengths, longest)
    assert [one for run in runs for one in run] == made
    assert all(sum(len(one.text) for one in run) <= longest + max(lengths) for run in runs)
    assert len(runs) <= -(-sum(lengths) // longest)


def test_a_document_within_the_limit_is_one_stretch() -> None:
    _, runs = spread([30, 30, 40], 100)
    assert len(runs) == 1


def test_a_long_document_goes_in_equal_parts() -> None:
    _, runs = spread([10] * 11, 100)
    assert [len(run) for run in runs] == [6, 5]
