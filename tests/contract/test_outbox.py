"""Every outbox keeps the same promises."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from adapters.teams.boxes import Sturdy
from memory.errors import MemoryUnavailable
from memory.file import MemoryFile
from memory.outbox import RamOutbox, SentPart, SqliteOutbox

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from memory.outbox import Outbox

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture(params=["ram", "sqlite", "sturdy", "sturdy without a disk"])
async def box(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Outbox]:
    file = MemoryFile(tmp_path / "memory.db")
    if request.param == "sturdy without a disk":
        (tmp_path / "memory.db").mkdir()
    match request.param:
        case "ram":
            yield RamOutbox()
        case "sqlite":
            yield SqliteOutbox(file)
        case _:
            yield Sturdy(SqliteOutbox(file), RamOutbox())
    await file.close()


async def test_an_address_is_the_last_one_kept(box: Outbox) -> None:
    assert await box.address("c") is None
    for address in ("one", "two", "two", "one"):
        await box.keep_address("c", address, NOW)
        assert await box.address("c") == address
    assert await box.address("d") is None


async def test_a_part_is_begun_and_then_stands(box: Outbox) -> None:
    await box.begin("p:m", 0, of=2, trace="t", at=NOW)
    assert list(await box.parts("p:m")) == [SentPart(0, 2, "")]
    await box.stands("p:m", 0, "a1")
    await box.begin("p:m", 1, of=2, trace="t", at=NOW)
    assert list(await box.parts("p:m")) == [SentPart(0, 2, "a1"), SentPart(1, 2, "")]
    assert list(await box.parts("p:other")) == []


async def test_what_failed_was_never_begun(box: Outbox) -> None:
    await box.begin("p:m", 0, of=1, trace="t", at=NOW)
    await box.failed("p:m", 0)
    assert list(await box.parts("p:m")) == []


async def test_begun_again_it_is_not_known_to_stand(box: Outbox) -> None:
    await box.begin("p:m", 0, of=1, trace="t", at=NOW)
    await box.stands("p:m", 0, "a1")
    await box.begin("p:m", 0, of=3, trace="u", at=NOW)
    assert list(await box.parts("p:m")) == [SentPart(0, 3, "")]


async def test_a_trace_is_found_in_its_own_place_only(box: Outbox) -> None:
    await box.begin("teams:t:c:m", 0, of=1, trace="t", at=NOW)
    await box.stands("teams:t:c:m", 0, "a1")
    assert await box.trace("teams:t:c", "a1") == "t"
    assert await box.trace("teams:t:d", "a1") is None
    assert await box.trace("teams:t", "a2") is None
    assert await box.trace("teams:t:%", "a1") is None


async def test_a_sign_of_work_is_no_answer(box: Outbox) -> None:
    await box.begin("p:m", -1, of=0, trace="", at=NOW)
    await box.stands("p:m", -1, "a1")
    assert await box.trace("p", "a1") is None


async def test_the_answers_to_a_message_are_those_to_asking_it_again_too(box: Outbox) -> None:
    sent = {("p:m", 0): "a1", ("p:m", -1): "a2", ("p:m+again", 1): "a3", ("p:m2", 0): "a4", ("p:m+again", 2): ""}
    for (key, part), id_ in sent.items():
        await box.begin(key, part, of=1, trace="t", at=NOW)
        if id_:
            await box.stands(key, part, id_)
    assert list(await box.answers("p:m")) == ["a1", "a3"]


async def test_nothing_that_was_never_begun_stands(box: Outbox) -> None:
    await box.stands("p:m", 0, "a1")
    await box.failed("p:m", 0)
    assert list(await box.parts("p:m")) == []


async def test_what_is_old_goes(tmp_path: Path) -> None:
    for box in (RamOutbox(), SqliteOutbox(MemoryFile(tmp_path / "memory.db"))):
        await box.begin("p:old", 0, of=1, trace="t", at=NOW - timedelta(days=2))
        await box.begin("p:new", 0, of=1, trace="t", at=NOW)
        await box.keep_address("old", "x", NOW - timedelta(days=2))
        await box.keep_address("new", "x", NOW)
        assert await box.forget_before(NOW - timedelta(days=1)) == 2
        assert list(await box.parts("p:old")) == []
        assert len(await box.parts("p:new")) == 1
        assert (await box.address("old"), await box.address("new")) == (None, "x")


async def test_it_outlives_the_process(tmp_path: Path) -> None:
    for _ in range(2):
        file = MemoryFile(tmp_path / "memory.db")
        box = SqliteOutbox(file)
        if not await box.parts("p:m"):
            await box.begin("p:m", 0, of=1, trace="t", at=NOW)
            await box.keep_address("c", "x", NOW)
        await file.close()
    again = SqliteOutbox(MemoryFile(tmp_path / "memory.db"))
    assert list(await again.parts("p:m")) == [SentPart(0, 1, "")]
    assert await again.address("c") == "x"


async def test_without_a_disk_the_plain_one_says_so(tmp_path: Path) -> None:
    (tmp_path / "memory.db").mkdir()
    box = SqliteOutbox(MemoryFile(tmp_path / "memory.db"))
    with pytest.raises(MemoryUnavailable):
        await box.begin("p:m", 0, of=1, trace="t", at=NOW)


async def test_ram_has_bounds() -> None:
    box = RamOutbox(most=3)
    for n in range(10):
        await box.begin(f"p:{n}", 0, of=1, trace="t", at=NOW)
        await box.keep_address(f"c{n}", "x", NOW)
    assert [n for n in range(10) if await box.parts(f"p:{n}")] == [7, 8, 9]
    assert [n for n in range(10) if await box.address(f"c{n}")] == [7, 8, 9]
