"""Summaries: when they are made, what of, and what becomes of those that come too late."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from bot.errors import Transient
from bot.summary import Summaries
from memory.errors import MemoryUnavailable
from memory.ram import RamMemory
from memory.replay import Exchange, replay, room_for_summary
from memory.summary import Summary
from memory.turn import TurnKind
from tests.memory.histories import SIBLING, THREAD, a_turn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory.conversation import Conversation
    from memory.turn import Turn

BUDGET = 100
"""Tokens: 250 characters, so that three turns of a hundred are too many."""
LONG = "On Tuesdays, and by the door. " * 3


@dataclass
class Writer:
    """Writes what it is told to, once `gate` is open, and keeps what it was given."""

    written: str | Exception = "They asked about the clinic."
    name: str = "scripted"
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    asked: list[tuple[str, tuple[Exchange, ...]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.gate.set()

    async def summary(self, earlier: str, exchanges: Sequence[Exchange]) -> str:
        self.asked.append((earlier, tuple(exchanges)))
        await self.gate.wait()
        if isinstance(self.written, Exception):
            raise self.written
        return self.written


async def recorded(memory: RamMemory, *numbers: int, kind: TurnKind = TurnKind.FACT) -> None:
    for number in numbers:
        await memory.record(a_turn(f"m{number}", minutes=number, kind=kind, text=LONG))


async def grown(writer: Writer | None, memory: RamMemory, conversation: Conversation = THREAD) -> Summary | None:
    summaries = Summaries(writer, budget_tokens=BUDGET)
    summaries.grow(memory, conversation)
    await summaries.settle()
    return await memory.summary(conversation)


def exchange(turn: Turn) -> Exchange:
    return Exchange(turn.standalone, turn.text)


async def test_what_fits_is_not_summarised() -> None:
    memory, writer = RamMemory(), Writer()
    await recorded(memory, 1)
    assert await grown(writer, memory) is None
    assert writer.asked == []


async def test_what_is_too_old_is_summarised_and_the_latest_stays_whole() -> None:
    memory, writer = RamMemory(), Writer()
    await recorded(memory, 1, 2, 3)
    summary = await grown(writer, memory)
    assert summary == Summary("They asked about the clinic.", ("trace-m1", "trace-m2"))
    turns = await memory.turns(THREAD)
    assert writer.asked == [("", tuple(map(exchange, turns[:2])))]
    assert replay(turns, budget_tokens=BUDGET, summary=summary) == (summary, exchange(turns[2]))


async def test_it_grows_from_what_stood_there_and_is_given_each_turn_once() -> None:
    memory, writer = RamMemory(), Writer()
    await recorded(memory, 1, 2, 3)
    await grown(writer, memory)
    await grown(writer, memory)
    await recorded(memory, 4)
    writer.written = "They asked about the clinic and the ward."
    summary = await grown(writer, memory)
    assert summary == Summary(writer.written, ("trace-m1", "trace-m2", "trace-m3"))
    _, second = writer.asked
    assert second == ("They asked about the clinic.", (exchange((await memory.turns(THREAD))[2]),))


@pytest.mark.parametrize("kind", [kind for kind in TurnKind if not kind.clean])
async def test_turns_that_are_not_clean_are_in_no_summary(kind: TurnKind) -> None:
    memory, writer = RamMemory(), Writer()
    await recorded(memory, 1, 2, 3, kind=kind)
    assert await grown(writer, memory) is None
    await recorded(memory, 4, 5, 6)
    await grown(writer, memory)
    clean = {exchange(turn) for turn in await memory.turns(THREAD) if turn.kind.clean}
    assert {one for _, exchanges in writer.asked for one in exchanges} <= clean


async def test_a_turn_that_is_forgotten_while_it_is_written_is_in_none_that_is_kept() -> None:
    memory, writer = RamMemory(), Writer(gate=asyncio.Event())
    writer.gate.clear()
    await recorded(memory, 1, 2, 3)
    summaries = Summaries(writer, budget_tokens=BUDGET)
    summaries.grow(memory, THREAD)
    await asyncio.sleep(0)
    while not writer.asked:  # noqa: ASYNC110 - the writer tells what it was given, not when
        await asyncio.sleep(0)
    await memory.forget(conversation=THREAD)
    writer.gate.set()
    await summaries.settle()
    assert await memory.summary(THREAD) is None


async def test_one_is_written_at_a_time_for_a_conversation_and_conversations_do_not_wait() -> None:
    memory, writer = RamMemory(), Writer()
    writer.gate.clear()
    await recorded(memory, 1, 2, 3)
    for number in range(3):
        await memory.record(a_turn(f"m{number}", conversation=SIBLING, minutes=number, text=LONG))
    summaries = Summaries(writer, budget_tokens=BUDGET)
    for conversation in (THREAD, THREAD, SIBLING):
        summaries.grow(memory, conversation)
    while len(writer.asked) < 2:  # noqa: ASYNC110 - the writer tells what it was given, not when
        await asyncio.sleep(0)
    writer.gate.set()
    await summaries.settle()
    assert len(writer.asked) == 2


@pytest.mark.parametrize("fault", [Transient("busy"), MemoryUnavailable("locked"), LookupError("secret")])
async def test_a_failure_costs_the_summary_alone(fault: Exception, caplog: pytest.LogCaptureFixture) -> None:
    memory = RamMemory()
    await recorded(memory, 1, 2, 3)
    assert await grown(Writer(fault), memory) is None
    assert len(caplog.records) == 1
    assert "secret" not in caplog.text


async def test_without_a_writer_nothing_is_summarised() -> None:
    memory = RamMemory()
    await recorded(memory, 1, 2, 3)
    assert await grown(None, memory) is None


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("Short.", "Short."),
        ("It was 0.5 mg. " * 20, ("It was 0.5 mg. " * 4).strip()),
        ("no end at all " * 20, None),
        ("", None),
    ],
)
async def test_a_summary_is_cut_at_a_sentence_to_its_room(written: str, kept: str | None) -> None:
    memory = RamMemory()
    await recorded(memory, 1, 2, 3)
    summary = await grown(Writer(written), memory)
    assert (summary and summary.text) == kept
    assert len(kept or "") <= room_for_summary(BUDGET)
