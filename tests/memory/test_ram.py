from __future__ import annotations

from dataclasses import replace

from memory.inbox import RamInbox
from memory.ram import RamMemory
from tests.contract.test_inbox import an_entry
from tests.memory.histories import THREAD, a_turn

FIRST, SECOND, THIRD = (replace(THREAD, thread=str(number)) for number in range(3))


async def test_the_least_recently_used_conversation_goes_first() -> None:
    memory = RamMemory(conversations=2)
    await memory.record(a_turn(conversation=FIRST))
    await memory.record(a_turn(conversation=SECOND))
    await memory.turns(FIRST)
    await memory.record(a_turn(conversation=THIRD))
    assert [len(await memory.turns(conversation)) for conversation in (FIRST, SECOND, THIRD)] == [1, 0, 1]


async def test_a_conversation_keeps_its_latest_turns() -> None:
    memory = RamMemory(turns_each=2)
    for minutes in (3, 1, 2):
        await memory.record(a_turn(f"m{minutes}", minutes=minutes))
    assert [turn.message for turn in await memory.turns(THREAD)] == ["m2", "m3"]


async def test_a_forgotten_conversation_makes_room() -> None:
    memory = RamMemory(conversations=2)
    await memory.record(a_turn(conversation=FIRST))
    await memory.record(a_turn(conversation=SECOND))
    await memory.forget(conversation=SECOND)
    await memory.record(a_turn(conversation=THIRD))
    assert len(await memory.turns(FIRST)) == 1


async def test_the_inbox_keeps_the_latest_done_keys_only() -> None:
    inbox = RamInbox(keys=2)
    for key in ("a", "b", "c"):
        await inbox.accept(an_entry(key))
        await inbox.done(key)
    assert [await inbox.accept(an_entry(key)) for key in ("b", "c", "a")] == [False, False, True]


async def test_the_inbox_never_drops_a_waiting_message_for_room() -> None:
    inbox = RamInbox(keys=1)
    for key in ("a", "b", "c"):
        await inbox.accept(an_entry(key))
    assert len(await inbox.pending()) == 3
