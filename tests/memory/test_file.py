from __future__ import annotations

import asyncio
import sqlite3
import stat
import threading
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from memory.errors import MemoryDamaged, MemoryUnavailable
from memory.file import MemoryFile

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from sqlite_utils import Database

INSERT = "INSERT INTO inbox (key, conversation, payload, accepted_at) VALUES (?, '', '', '')"
COUNT = "SELECT count(*) FROM inbox"


@pytest.fixture
async def file(tmp_path: Path) -> AsyncIterator[MemoryFile]:
    opened = MemoryFile(tmp_path / "home" / "memory.db", busy_seconds=0.05)
    yield opened
    await opened.close()


def insert(key: object) -> Callable[[Database], object]:
    return lambda db: db.execute(INSERT, [str(key)])


def count(db: Database) -> int:
    return sum(number for (number,) in db.execute(COUNT).fetchall())


async def test_nothing_is_made_before_the_first_use(file: MemoryFile) -> None:
    await file.close()
    assert not file.path.parent.exists()


async def test_the_file_is_its_owners_alone(file: MemoryFile) -> None:
    await file.write(insert("k"))
    modes = {stat.S_IMODE(made.stat().st_mode) for made in file.path.parent.iterdir()}
    assert modes == {0o600}


async def test_the_connection_is_set_up_to_last_and_to_forget(file: MemoryFile) -> None:
    names = ("journal_mode", "synchronous", "secure_delete", "foreign_keys", "busy_timeout")
    values = await file.write(lambda db: [db.execute(f"PRAGMA {name}").fetchone()[0] for name in names])
    assert values == ["wal", 2, 1, 1, 50]


async def test_emptying_the_log_leaves_the_connection_as_patient_as_it_was(tmp_path: Path) -> None:
    file = MemoryFile(tmp_path / "memory.db", busy_seconds=7)
    await file.write(insert("k"), scrub=True)
    assert await file.write(lambda db: db.execute("PRAGMA busy_timeout").fetchone()[0]) == 7000
    await file.close()


async def test_work_runs_off_the_event_loop_and_all_writes_on_one_thread(file: MemoryFile) -> None:
    writers = await asyncio.gather(*(file.write(lambda _: threading.get_ident()) for _ in range(20)))
    reader = await file.read(lambda _: threading.get_ident())
    assert len(set(writers)) == 1
    assert len({*writers, reader, threading.get_ident()}) == 3


async def test_a_read_does_not_wait_for_a_long_write(file: MemoryFile) -> None:
    await file.open()
    finish = threading.Event()
    writing = asyncio.create_task(file.write(lambda db: (db.execute(INSERT, ["k"]), finish.wait())))
    try:
        assert await file.read(count) == 0
    finally:
        finish.set()
    await writing
    assert await file.read(count) == 1


async def test_a_write_that_raises_changes_nothing(file: MemoryFile) -> None:
    def work(db: Database) -> None:
        db.execute(INSERT, ["k"])
        raise LookupError

    with pytest.raises(LookupError):
        await file.write(work)
    assert await file.read(count) == 0


async def test_reading_cannot_change_the_file(file: MemoryFile) -> None:
    with pytest.raises(MemoryUnavailable, match="readonly"):
        await file.read(insert("k"))


async def test_a_write_goes_through_when_its_caller_was_cancelled(file: MemoryFile) -> None:
    await file.open()
    began, finish = threading.Event(), threading.Event()

    def work(db: Database) -> None:
        began.set()
        finish.wait()
        db.execute(INSERT, ["k"])

    caller = asyncio.create_task(file.write(work))
    await asyncio.to_thread(began.wait)
    caller.cancel()
    finish.set()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert await file.write(count) == 1


async def test_two_that_open_a_new_file_at_once_both_succeed(tmp_path: Path) -> None:
    files = [MemoryFile(tmp_path / "memory.db") for _ in range(6)]
    await asyncio.gather(*(file.write(insert(n)) for n, file in enumerate(files)))
    assert await files[0].read(count) == 6
    await asyncio.gather(*(file.close() for file in files))


async def test_closing_finishes_what_was_asked_for(file: MemoryFile) -> None:
    writes = [asyncio.create_task(file.write(insert(n))) for n in range(20)]
    await asyncio.sleep(0)
    await file.close()
    await asyncio.gather(*writes)
    with closing(sqlite3.connect(file.path)) as db:
        assert db.execute(COUNT).fetchone() == (20,)


async def test_a_closed_file_says_so(file: MemoryFile) -> None:
    await file.close()
    with pytest.raises(MemoryUnavailable, match="closed"):
        await file.read(count)


async def test_a_file_that_is_no_database_is_left_as_it_is(file: MemoryFile) -> None:
    file.path.parent.mkdir()
    file.path.write_bytes(b"Dear diary, " * 500)
    with pytest.raises(MemoryDamaged, match=r"memory\.db is damaged.*backup"):
        await file.open()
    assert file.path.read_bytes() == b"Dear diary, " * 500


@pytest.mark.parametrize("where", [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])
async def test_damage_inside_the_file_is_named_when_it_is_met(file: MemoryFile, where: float) -> None:
    await file.write(lambda db: [db.execute(INSERT, [f"{n}" * 3000]) for n in range(200)])
    await file.close()
    content = bytearray(file.path.read_bytes())
    start = int(len(content) * where)
    content[start:] = b"\xa5" * (len(content) - start)
    file.path.write_bytes(content)
    damaged = MemoryFile(file.path)
    with pytest.raises(MemoryDamaged, match=r"memory\.db is damaged or no database \([^0-9]{1,60}\): put a backup"):
        await damaged.read(lambda db: db.execute("SELECT * FROM inbox").fetchall())
    await damaged.close()


async def test_a_file_that_another_program_holds_is_named(file: MemoryFile) -> None:
    await file.open()
    with closing(sqlite3.connect(file.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(MemoryUnavailable, match="no other program"):
            await file.write(insert("k"))
    await file.write(insert("k"))


async def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file where the folder should be")
    file = MemoryFile(tmp_path / "home" / "memory.db")
    with pytest.raises(MemoryUnavailable, match="folder"):
        await file.open()
    await file.close()


async def test_our_own_mistakes_are_not_blamed_on_the_file(file: MemoryFile) -> None:
    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        await file.read(lambda db: db.execute("SELECT * FROM nowhere").fetchall())
