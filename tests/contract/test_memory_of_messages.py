"""What every `Memory` does with the turns of one message, and with the reasons that people give."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memory.file import MemoryFile
from memory.ram import RamMemory
from memory.reports import Reports
from memory.sqlite import SqliteMemory
from memory.summary import Summary
from memory.turn import AGAIN, Fault, TurnKind
from tests.memory.histories import ELSEWHERE, NOON, SIBLING, THREAD, a_source, a_turn

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from memory.store import Memory


@pytest.fixture
def file(tmp_path: Path) -> MemoryFile:
    return MemoryFile(tmp_path / "memory.db")


@pytest.fixture(params=["sqlite", "ram"])
async def memory(request: pytest.FixtureRequest, file: MemoryFile) -> AsyncIterator[Memory]:
    store: Memory = SqliteMemory(file) if request.param == "sqlite" else RamMemory()
    yield store
    await store.close()


async def test_an_answer_is_found_by_its_trace_where_it_stands_and_nowhere_else(memory: Memory) -> None:
    turn = a_turn("m1", sources=(a_source(1),))
    await memory.record(turn)
    await memory.record(a_turn("m2", minutes=1))
    assert await memory.answer_of("trace-m1", place=THREAD.place) == turn
    assert await memory.answer_of("trace-m1", place=ELSEWHERE.place) is None
    assert await memory.answer_of("trace-m3", place=THREAD.place) is None


async def test_a_message_is_forgotten_with_every_time_it_was_asked_and_nothing_else(memory: Memory) -> None:
    for message in ("m1", f"m1{AGAIN}7", f"m1{AGAIN}8", "m10", "m2"):
        await memory.record(a_turn(message))
    await memory.record(a_turn("m1", conversation=SIBLING))
    assert await memory.forget(conversation=THREAD, author="ada", message="m1") == 3
    assert {turn.message for turn in await memory.turns(THREAD)} == {"m10", "m2"}
    assert [turn.message for turn in await memory.turns(SIBLING)] == ["m1"]


async def test_another_persons_message_is_not_forgotten(memory: Memory) -> None:
    await memory.record(a_turn("m1", author="ben"))
    assert await memory.forget(conversation=THREAD, author="ada", message="m1") == 0
    assert len(await memory.turns(THREAD)) == 1


async def test_a_message_takes_the_summary_of_its_conversation_with_it(memory: Memory) -> None:
    await memory.record(a_turn("m1"))
    assert await memory.keep_summary(THREAD, Summary("said", ("trace-m1",)), instead_of=None)
    await memory.forget(conversation=THREAD, message="m1")
    assert await memory.summary(THREAD) is None


@pytest.mark.parametrize("kind", list(TurnKind))
async def test_a_reason_is_noted_where_a_mark_is(memory: Memory, kind: TurnKind) -> None:
    await memory.record(a_turn("m1", kind=kind))
    given = {"author": "ben", "good": False, "fault": Fault.WRONG, "comment": "It is open on Mondays."}
    assert await memory.rate("trace-m1", place=THREAD.place, **given) is kind.looked_up  # type: ignore[arg-type]  # typed one by one
    assert not await memory.rate("trace-m1", place=ELSEWHERE.place, **given)  # type: ignore[arg-type]  # the same


async def reasons(file: MemoryFile) -> list[tuple[tuple[Fault, ...], tuple[str, ...]]]:
    return [(one.faults, one.comments) for one in await Reports(file).marked_down()]


async def rate(memory: Memory, author: str = "ben", *, good: bool = False, comment: str = "secret words") -> None:
    noted = await memory.rate(
        "trace-m1", place=THREAD.place, author=author, good=good, fault=None if good else Fault.WRONG, comment=comment
    )
    assert noted


async def test_reasons_come_back_and_another_mark_takes_their_place(file: MemoryFile) -> None:
    memory = SqliteMemory(file)
    await memory.record(a_turn("m1"))
    await rate(memory)
    await rate(memory, "cleo", comment="")
    assert await reasons(file) == [((Fault.WRONG, Fault.WRONG), ("secret words",))]
    await rate(memory, good=True, comment="")
    assert await reasons(file) == [((Fault.WRONG,), ())]
    await memory.close()


@pytest.mark.parametrize("how", ["their own", "the asker", "the message", "age", "replaced"])
async def test_a_reason_is_gone_from_the_disk_with_whatever_takes_it_along(file: MemoryFile, how: str) -> None:
    memory = SqliteMemory(file)
    turn = a_turn("m1")
    await memory.record(turn)
    await rate(memory)
    match how:
        case "their own":
            await memory.forget(author="ben")
        case "the asker":
            await memory.forget(author="ada")
        case "the message":
            await memory.forget(conversation=THREAD, message="m1")
        case "age":
            await memory.forget_before(NOON.replace(year=NOON.year + 1))
        case _:
            await memory.record(replace(turn, text="anew"))
            await file.scrub()
    assert await reasons(file) == []
    await memory.close()
    kept = b"".join(one.read_bytes() for one in file.path.parent.iterdir())
    assert b"secret words" not in kept


async def test_forgetting_ones_own_message_leaves_ones_marks_on_others_alone(file: MemoryFile) -> None:
    memory = SqliteMemory(file)
    await memory.record(a_turn("m1"))
    await memory.record(a_turn("m2", author="ben", minutes=1))
    await rate(memory, "ben")
    await memory.forget(conversation=THREAD, author="ben", message="m2")
    assert await reasons(file) == [((Fault.WRONG,), ("secret words",))]
    await memory.close()
