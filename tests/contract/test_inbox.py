"""What every `Inbox` does."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from memory.file import MemoryFile
from memory.inbox import InboxEntry, RamInbox, SqliteInbox

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from memory.inbox import Inbox

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def an_entry(key: str = "k1", *, minutes: float = 0, payload: str = "words") -> InboxEntry:
    return InboxEntry(key, "slack:T1:C1:100.1", payload, NOON + timedelta(minutes=minutes))


@pytest.fixture(params=["sqlite", "ram"])
async def inbox(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Inbox]:
    store: Inbox = SqliteInbox(MemoryFile(tmp_path / "memory.db")) if request.param == "sqlite" else RamInbox()
    yield store
    await store.close()


async def keys(inbox: Inbox) -> list[str]:
    found = [entry.key for entry in await inbox.pending()]
    assert await inbox.waiting() == len(found)
    return found


async def test_what_is_accepted_is_pending_as_it_was(inbox: Inbox) -> None:
    entry = an_entry(payload='{"text": "naïve 😀 \\u0000"}')
    assert await inbox.accept(entry)
    assert list(await inbox.pending()) == [entry]


async def test_a_key_is_accepted_once_in_whatever_state_it_is(inbox: Inbox) -> None:
    assert await inbox.accept(an_entry())
    assert not await inbox.accept(an_entry(payload="other words")), "waiting"
    await inbox.begin("k1")
    assert not await inbox.accept(an_entry()), "begun"
    await inbox.done("k1")
    assert not await inbox.accept(an_entry()), "done"
    assert await keys(inbox) == []


async def test_a_duplicate_changes_nothing(inbox: Inbox) -> None:
    await inbox.accept(an_entry())
    await inbox.accept(an_entry(payload="other words", minutes=5))
    assert list(await inbox.pending()) == [an_entry()]


async def test_of_twins_at_once_one_is_accepted(inbox: Inbox) -> None:
    accepted = await asyncio.gather(*(inbox.accept(an_entry()) for _ in range(20)))
    assert sorted(accepted) == [False] * 19 + [True]


async def test_pending_ones_come_oldest_first(inbox: Inbox) -> None:
    for key, minutes in (("b", 2), ("a", 1), ("d", 3), ("c", 3)):
        await inbox.accept(an_entry(key, minutes=minutes))
    assert await keys(inbox) == ["a", "b", "d", "c"]


async def test_done_ones_are_not_pending(inbox: Inbox) -> None:
    await inbox.accept(an_entry("a"))
    await inbox.accept(an_entry("b", minutes=1))
    await inbox.done("a")
    assert await keys(inbox) == ["b"]


async def test_attempts_are_counted_for_each_key(inbox: Inbox) -> None:
    await inbox.accept(an_entry("a"))
    await inbox.accept(an_entry("b"))
    assert [await inbox.begin(key) for key in ("a", "a", "b", "a")] == [1, 2, 1, 3]


async def test_nothing_begins_that_is_not_pending(inbox: Inbox) -> None:
    await inbox.accept(an_entry())
    await inbox.done("k1")
    assert [await inbox.begin(key) for key in ("k1", "never seen")] == [0, 0]


async def test_done_twice_or_for_an_unknown_key_is_no_error(inbox: Inbox) -> None:
    await inbox.accept(an_entry())
    for key in ("k1", "k1", "never seen"):
        await inbox.done(key)
    assert await inbox.accept(an_entry("never seen"))


async def test_old_done_keys_are_dropped_and_pending_ones_stay(inbox: Inbox) -> None:
    for key, minutes in (("old", 0), ("old and waiting", 0), ("new", 2)):
        await inbox.accept(an_entry(key, minutes=minutes))
    await inbox.done("old")
    await inbox.done("new")
    assert await inbox.forget_before(NOON + timedelta(minutes=1)) == 1
    assert await inbox.accept(an_entry("old")), "forgotten, so it counts as new"
    assert not await inbox.accept(an_entry("new"))
    assert not await inbox.accept(an_entry("old and waiting"))


async def test_a_hundred_at_once_are_all_kept(inbox: Inbox) -> None:
    entries = [an_entry(f"k{number}", minutes=number) for number in range(100)]
    assert all(await asyncio.gather(*(inbox.accept(entry) for entry in entries)))
    assert list(await inbox.pending()) == entries


async def test_closing_twice_does_nothing_more(inbox: Inbox) -> None:
    await inbox.accept(an_entry())
    await inbox.close()
    await inbox.close()


def test_an_entry_without_its_time_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="time zone"):
        InboxEntry("k", "c", "p", datetime(2026, 3, 1))  # noqa: DTZ001 - the fault under test


async def test_it_knows_a_key_from_its_acceptance_on(inbox: Inbox) -> None:
    assert not await inbox.knows("k1")
    await inbox.accept(an_entry())
    assert await inbox.knows("k1")
    await inbox.done("k1")
    assert await inbox.knows("k1")


async def test_an_attempt_that_is_given_back_does_not_count(inbox: Inbox) -> None:
    await inbox.accept(an_entry())
    assert [await inbox.begin("k1"), await inbox.begin("k1")] == [1, 2]
    await inbox.give_back("k1")
    assert await inbox.begin("k1") == 2
    for _ in range(9):
        await inbox.give_back("k1")
    assert await inbox.begin("k1") == 1
    await inbox.done("k1")
    await inbox.give_back("k1")
    await inbox.give_back("unknown")
    assert await inbox.begin("k1") == 0
