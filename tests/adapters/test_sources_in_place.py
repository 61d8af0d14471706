"""Sources by answer and by message, and a passage with what stands around it."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from adapters.sources import NEIGHBOURS, Sources
from bot.access import by_person
from bot.messages import Author
from bot.turn import Memories
from memory.ram import RamMemory
from memory.turn import AGAIN
from retrieval.ram_index import RamIndex
from tests.memory.histories import ELSEWHERE, THREAD, a_source, a_turn
from tests.retrieval.samples import document, put

TODAY = date(2026, 11, 30)
ADA, GUEST = Author("ada"), Author("guest", guest=True)


@pytest.fixture
async def memories() -> Memories:
    return Memories(RamMemory(), RamMemory())


async def shelf(memories: Memories, collection: str = "public") -> Sources:
    index = RamIndex()
    texts = [a_source(1).quote if at == 1 else f"text {at}" for at in range(8)]
    await put(index, replace(document(), collection=collection), *texts)
    return Sources(memories, index, by_person, lambda: TODAY)


async def test_an_answer_is_found_by_its_trace_whoever_asked(memories: Memories) -> None:
    sources = await shelf(memories)
    await memories.durable.record(a_turn("m1", sources=(a_source(1),)))
    await memories.guests.record(a_turn("m2", sources=(a_source(1),)))
    for trace in ("trace-m1", "trace-m2"):
        found = await sources.of_answer(trace, THREAD, Author("ben"))
        assert found is not None
        assert [one.id for one in found] == ["flu#1"]
    assert await sources.of_answer("trace-m1", ELSEWHERE, ADA) is None
    assert await sources.of_answer("trace-m9", THREAD, ADA) is None


async def test_a_message_is_answered_by_its_own_last_answer_else_by_its_threads(memories: Memories) -> None:
    sources = await shelf(memories)
    assert await sources.of_message("m1", THREAD, ADA) is None
    first, second = replace(a_source(1), n=1), replace(a_source(1), n=2)
    await memories.durable.record(a_turn("m1", sources=(first,)))
    await memories.durable.record(a_turn("m2", minutes=2, sources=(second,)))
    assert [one.n for one in await sources.of_message("m1", THREAD, ADA) or ()] == [1]
    assert [one.n for one in await sources.of_message("m3", THREAD, ADA) or ()] == [2]
    await memories.durable.record(a_turn(f"m1{AGAIN}7", minutes=1, sources=(replace(first, n=3),)))
    assert [one.n for one in await sources.of_message("m1", THREAD, ADA) or ()] == [3]


async def test_a_passage_comes_with_its_neighbours_in_the_documents_order(memories: Memories) -> None:
    sources = await shelf(memories)
    middle = await sources.in_place("flu#4", THREAD, ADA)
    assert middle is not None
    assert [one.id for one in middle.before] == [f"flu#{at}" for at in range(4 - NEIGHBOURS, 4)]
    assert [one.id for one in middle.after] == [f"flu#{at}" for at in range(5, 5 + NEIGHBOURS)]
    first = await sources.in_place("flu#0", THREAD, ADA)
    last = await sources.in_place("flu#7", THREAD, ADA)
    assert first is not None
    assert last is not None
    assert (first.before, last.after) == ((), ())


async def test_neighbours_are_shown_to_whom_the_passage_is_shown_and_to_nobody_else(memories: Memories) -> None:
    sources = await shelf(memories, "staff")
    assert await sources.in_place("flu#4", THREAD, ADA) is not None
    assert await sources.in_place("flu#4", THREAD, GUEST) is None
    assert await sources.in_place("flu#99", THREAD, ADA) is None
