"""What every `Memory` does."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest

from memory.conversation import Conversation
from memory.file import MemoryFile
from memory.ram import RamMemory
from memory.sqlite import SqliteMemory
from memory.summary import Summary
from memory.turn import TurnKind
from tests.memory.histories import ELSEWHERE, NOON, SIBLING, THREAD, a_source, a_turn

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from memory.store import Memory


@pytest.fixture(params=["sqlite", "ram"])
async def memory(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Memory]:
    store: Memory = SqliteMemory(MemoryFile(tmp_path / "memory.db")) if request.param == "sqlite" else RamMemory()
    yield store
    await store.close()


async def messages(memory: Memory, limit: int = 50) -> list[str]:
    return [turn.message for turn in await memory.turns(THREAD, limit=limit)]


async def test_a_turn_comes_back_as_it_was(memory: Memory) -> None:
    turn = a_turn(sources=(a_source(2), a_source(1, url=None)))
    await memory.record(turn)
    assert list(await memory.turns(THREAD)) == [turn]


async def test_a_conversation_without_turns_is_empty(memory: Memory) -> None:
    assert list(await memory.turns(THREAD)) == []


async def test_turns_come_oldest_first_however_they_were_recorded(memory: Memory) -> None:
    for minutes in (5, 1, 3):
        await memory.record(a_turn(f"m{minutes}", minutes=minutes))
    assert await messages(memory) == ["m1", "m3", "m5"]


async def test_turns_of_one_moment_keep_the_order_of_recording(memory: Memory) -> None:
    for message in ("z", "a", "k"):
        await memory.record(a_turn(message))
    await memory.record(a_turn("z", text="anew"))
    assert await messages(memory) == ["z", "a", "k"]


@pytest.mark.parametrize(("limit", "expected"), [(2, ["m2", "m3"]), (9, ["m1", "m2", "m3"]), (0, []), (-1, [])])
async def test_the_limit_keeps_the_latest(memory: Memory, limit: int, expected: list[str]) -> None:
    for minutes in (1, 2, 3):
        await memory.record(a_turn(f"m{minutes}", minutes=minutes))
    assert await messages(memory, limit) == expected


async def test_conversations_do_not_mix(memory: Memory) -> None:
    for conversation in (THREAD, SIBLING, ELSEWHERE):
        await memory.record(a_turn(conversation=conversation))
    assert [turn.conversation for turn in await memory.turns(THREAD)] == [THREAD]


async def test_the_same_message_again_replaces_turn_and_sources(memory: Memory) -> None:
    await memory.record(a_turn(sources=(a_source(1), a_source(2))))
    again = a_turn(kind=TurnKind.UNGROUNDED, text="Not in the documents.", minutes=2, sources=(a_source(3),))
    await memory.record(again)
    assert list(await memory.turns(THREAD)) == [again]


async def test_a_crisis_turn_leaves_its_kind_and_no_word(memory: Memory) -> None:
    await memory.record(a_turn(kind=TurnKind.CRISIS))
    [turn] = await memory.turns(THREAD)
    assert (turn.kind, turn.question, turn.standalone, turn.text, turn.sources) == (TurnKind.CRISIS, "", "", "", ())


@pytest.mark.parametrize("kind", [kind for kind in TurnKind if kind is not TurnKind.FACT])
async def test_the_last_answer_is_a_grounded_one(memory: Memory, kind: TurnKind) -> None:
    await memory.record(a_turn("m1"))
    await memory.record(a_turn("m2", kind=kind, minutes=1))
    last = await memory.last_answer(THREAD.place, "ada")
    assert last is not None
    assert last.message == "m1"


async def test_the_last_answer_is_this_persons_newest_in_any_thread_of_the_place(memory: Memory) -> None:
    expected = a_turn("here", conversation=SIBLING, minutes=2, sources=(a_source(1), a_source(2)))
    for turn in (
        expected,
        a_turn("older", minutes=1),
        a_turn("another person", author="ben", minutes=3),
        a_turn("another place", conversation=ELSEWHERE, minutes=4),
    ):
        await memory.record(turn)
    assert await memory.last_answer(THREAD.place, "ada") == expected
    assert await memory.last_answer(THREAD.place, "cleo") is None


async def record_some(memory: Memory) -> None:
    await memory.record(a_turn("m1", author="ada", minutes=1))
    await memory.record(a_turn("m2", author="ben", minutes=2))
    await memory.record(a_turn("m3", author="ada", minutes=3, conversation=SIBLING))


async def left(memory: Memory) -> list[str]:
    return [turn.message for conversation in (THREAD, SIBLING) for turn in await memory.turns(conversation)]


async def test_a_conversation_can_be_forgotten(memory: Memory) -> None:
    await record_some(memory)
    assert await memory.forget(conversation=THREAD) == 2
    assert await left(memory) == ["m3"]


async def test_a_person_can_be_forgotten_everywhere(memory: Memory) -> None:
    await record_some(memory)
    assert await memory.forget(author="ada") == 2
    assert await left(memory) == ["m2"]
    assert await memory.last_answer(THREAD.place, "ada") is None


async def test_a_person_can_be_forgotten_in_one_conversation(memory: Memory) -> None:
    await record_some(memory)
    assert await memory.forget(conversation=THREAD, author="ada") == 1
    assert await left(memory) == ["m2", "m3"]


async def test_forgetting_says_none_where_nothing_matches(memory: Memory) -> None:
    await record_some(memory)
    assert await memory.forget(author="cleo") == 0
    assert await memory.forget(conversation=ELSEWHERE) == 0


async def test_forgetting_needs_to_know_whom(memory: Memory) -> None:
    await record_some(memory)
    with pytest.raises(ValueError, match="whose"):
        await memory.forget()
    assert len(await left(memory)) == 3


async def test_old_turns_can_be_forgotten_to_the_moment(memory: Memory) -> None:
    await record_some(memory)
    assert await memory.forget_before(NOON + timedelta(minutes=2)) == 1
    assert await left(memory) == ["m2", "m3"]


async def test_a_moment_without_its_time_zone_is_refused(memory: Memory) -> None:
    with pytest.raises(ValueError, match="time zone"):
        await memory.forget_before(datetime(2026, 3, 1))  # noqa: DTZ001 - the fault under test


async def test_a_forgotten_message_can_be_recorded_again(memory: Memory) -> None:
    await memory.record(a_turn(sources=(a_source(1),)))
    await memory.forget(conversation=THREAD)
    await memory.record(a_turn())
    assert list(await memory.turns(THREAD)) == [a_turn()]


async def test_a_hundred_turns_at_once_are_all_kept(memory: Memory) -> None:
    turns = [
        a_turn(f"m{number:03}", minutes=number, conversation=[THREAD, SIBLING][number % 2]) for number in range(100)
    ]
    await asyncio.gather(*(memory.record(turn) for turn in turns))
    assert list(await memory.turns(THREAD)) == turns[0::2]
    assert list(await memory.turns(SIBLING)) == turns[1::2]


async def test_times_come_back_in_utc_to_the_microsecond(memory: Memory) -> None:
    local = datetime(2026, 7, 1, 9, 30, 0, 123456, tzinfo=timezone(timedelta(hours=5, minutes=30)))
    await memory.record(replace(a_turn(), at=local))
    [turn] = await memory.turns(THREAD)
    assert turn.at == local
    assert turn.at.utcoffset() == timedelta(0)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Größe 👩‍⚕️ \u0639\u0631\u0628\u064a e\u0301", "Größe 👩‍⚕️ \u0639\u0631\u0628\u064a e\u0301"),
        ("before\0after", "before\0after"),
        ("lone \ud83d surrogate \udc00", "lone \ufffd surrogate \ufffd"),
        ("pair \ud83d\ude00", "pair 😀"),
        ("'; DROP TABLE turns; --", "'; DROP TABLE turns; --"),
    ],
)
async def test_any_text_is_kept_and_what_unicode_cannot_encode_is_replaced(
    memory: Memory, text: str, kept: str
) -> None:
    await memory.record(replace(a_turn(), question=text, standalone=text, text=text, sources=(a_source(quote=text),)))
    [turn] = await memory.turns(THREAD)
    assert {turn.question, turn.standalone, turn.text, turn.sources[0].quote} == {kept}


async def test_a_person_whose_id_cannot_be_encoded_is_found_and_forgotten(memory: Memory) -> None:
    await memory.record(a_turn(author="ada\ud800"))
    assert await memory.last_answer(THREAD.place, "ada\ud800") is not None
    assert await memory.forget(author="ada\ud800") == 1


async def test_closing_twice_does_nothing_more(memory: Memory) -> None:
    await memory.record(a_turn())
    await memory.close()
    await memory.close()


async def facts(memory: Memory, *messages: str) -> None:
    for minutes, message in enumerate(messages):
        await memory.record(a_turn(message, minutes=minutes))


FIRST = Summary("They asked when it is open.", ("trace-m1",))
GROWN = Summary("They asked when it is open, and for children.", ("trace-m1", "trace-m2"))


async def test_a_summary_comes_back_as_it_was_and_grows(memory: Memory) -> None:
    await facts(memory, "m1", "m2")
    assert await memory.summary(THREAD) is None
    assert await memory.keep_summary(THREAD, FIRST, instead_of=None)
    assert await memory.summary(THREAD) == FIRST
    assert await memory.keep_summary(THREAD, GROWN, instead_of=FIRST)
    assert await memory.summary(THREAD) == GROWN
    assert await memory.summary(SIBLING) is None


async def test_a_summary_outlives_more_turns_and_no_turn_of_its_own(memory: Memory) -> None:
    await facts(memory, "m1", "m2")
    await memory.keep_summary(THREAD, FIRST, instead_of=None)
    await memory.record(a_turn("m3", minutes=3))
    assert await memory.summary(THREAD) == FIRST
    await memory.record(a_turn("m1", text="anew"))
    assert await memory.summary(THREAD) is None


async def test_forgetting_a_turn_forgets_the_summary_of_its_conversation(memory: Memory) -> None:
    await facts(memory, "m1")
    await memory.record(a_turn("m2", author="cleo", minutes=20))
    await memory.record(a_turn("m1", conversation=SIBLING, author="ben", minutes=9))
    for conversation in (THREAD, SIBLING):
        assert await memory.keep_summary(conversation, FIRST, instead_of=None)
    await memory.forget(author="ada")
    assert (await memory.summary(THREAD), await memory.summary(SIBLING)) == (None, FIRST)
    assert [turn.message for turn in await memory.turns(THREAD)] == ["m2"]
    await memory.forget_before(NOON + timedelta(minutes=10))
    assert await memory.summary(SIBLING) is None


async def test_a_summary_that_was_overtaken_is_not_kept(memory: Memory) -> None:
    await facts(memory, "m1", "m2")
    assert not await memory.keep_summary(THREAD, GROWN, instead_of=FIRST), "there was none to grow"
    assert await memory.keep_summary(THREAD, FIRST, instead_of=None)
    assert not await memory.keep_summary(THREAD, GROWN, instead_of=None), "another one stands"
    await memory.forget(conversation=THREAD)
    assert not await memory.keep_summary(THREAD, FIRST, instead_of=None), "its turn was forgotten meanwhile"
    assert not await memory.keep_summary(THREAD, GROWN, instead_of=FIRST)
    assert await memory.summary(THREAD) is None


@pytest.mark.parametrize("kind", [kind for kind in TurnKind if not kind.clean])
async def test_a_summary_of_a_turn_that_is_not_clean_is_not_kept(memory: Memory, kind: TurnKind) -> None:
    await memory.record(a_turn("m1", kind=kind))
    assert not await memory.keep_summary(THREAD, FIRST, instead_of=None)


@pytest.mark.parametrize(("kind", "rated"), [(kind, kind.looked_up) for kind in TurnKind])
async def test_answers_and_declines_are_rated_where_they_stand(memory: Memory, kind: TurnKind, *, rated: bool) -> None:
    await memory.record(a_turn("m1", kind=kind))
    assert await memory.rate("trace-m1", place=THREAD.place, author="ben", good=False) is rated
    assert not await memory.rate("trace-m1", place=ELSEWHERE.place, author="ben", good=False)
    assert not await memory.rate("trace-m2", place=THREAD.place, author="ben", good=False)


async def test_a_person_is_forgotten_on_one_platform_of_one_tenant(memory: Memory) -> None:
    other_tenant = Conversation("slack", "T2", "C1", "1")
    other_platform = Conversation("console", "T1", "C1", "1")
    for conversation in (THREAD, other_tenant, other_platform):
        await memory.record(a_turn(conversation=conversation))
    assert await memory.forget(author="ada", platform="slack", tenant="T1") == 1
    assert await memory.forget(author="ada", platform="slack") == 1
    assert [turn.conversation for turn in await memory.turns(other_platform)] == [other_platform]
