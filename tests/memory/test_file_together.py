"""Writes that wait together are committed together, and none of them notices."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from memory.errors import MemoryUnavailable
from memory.file import MOST_TOGETHER, MemoryFile

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from sqlite_utils import Database

COUNT = 3 * MOST_TOGETHER


@pytest.fixture
async def file(tmp_path: Path) -> AsyncIterator[MemoryFile]:
    file = MemoryFile(tmp_path / "memory.db")
    await file.write(lambda db: db.execute("CREATE TABLE kept (n INTEGER PRIMARY KEY)"))
    yield file
    await file.close()


def keep(n: int) -> Callable[[Database], int]:
    def work(db: Database) -> int:
        db.execute("INSERT INTO kept (n) VALUES (?)", [n])
        return n

    return work


async def kept(file: MemoryFile) -> list[int]:
    return await file.read(lambda db: [n for (n,) in db.execute("SELECT n FROM kept ORDER BY n").fetchall()])


async def test_each_gets_its_own_result_and_all_stand_in_their_order(file: MemoryFile) -> None:
    order: list[int] = []

    def noting(n: int) -> Callable[[Database], int]:
        def work(db: Database) -> int:
            order.append(n)
            return keep(n)(db)

        return work

    assert await asyncio.gather(*(file.write(noting(n)) for n in range(COUNT))) == list(range(COUNT))
    assert await kept(file) == order == list(range(COUNT))


async def test_one_that_fails_fails_alone(file: MemoryFile) -> None:
    await file.write(keep(5))
    found = await asyncio.gather(*(file.write(keep(n)) for n in range(COUNT)), return_exceptions=True)
    assert [n for n, one in enumerate(found) if isinstance(one, sqlite3.IntegrityError)] == [5]
    assert await kept(file) == list(range(COUNT))


async def test_what_waits_at_the_same_time_is_committed_once(file: MemoryFile) -> None:
    """Seen from another connection: between the first and the last of them it never finds some."""
    loop = asyncio.get_running_loop()
    reached, go_on = asyncio.Event(), loop.create_future()
    seen: list[int] = []

    def first(db: Database) -> None:
        loop.call_soon_threadsafe(reached.set)
        asyncio.run_coroutine_threadsafe(asyncio.wait_for(go_on, 5), loop).result(5)
        keep(0)(db)

    def last(db: Database) -> None:
        with closing(sqlite3.connect(file.path)) as other:
            seen.extend(n for (n,) in other.execute("SELECT n FROM kept"))
        keep(9)(db)

    begun = asyncio.create_task(file.write(first))
    await reached.wait()
    between = [asyncio.create_task(file.write(keep(n))) for n in range(1, 9)]
    ended = asyncio.create_task(file.write(last))
    await asyncio.sleep(0)
    go_on.set_result(None)
    await asyncio.gather(begun, *between, ended)
    assert seen == [0]
    assert await kept(file) == list(range(10))


async def test_what_is_called_off_while_it_waits_is_not_written(file: MemoryFile) -> None:
    loop = asyncio.get_running_loop()
    reached, go_on = asyncio.Event(), loop.create_future()

    def waits(db: Database) -> None:
        loop.call_soon_threadsafe(reached.set)
        asyncio.run_coroutine_threadsafe(asyncio.wait_for(go_on, 5), loop).result(5)
        db.execute("INSERT INTO kept (n) VALUES (1)")

    first = asyncio.create_task(file.write(waits))
    await reached.wait()
    second = asyncio.create_task(file.write(keep(2)))
    third = asyncio.create_task(file.write(keep(3)))
    await asyncio.sleep(0)
    second.cancel()
    await asyncio.gather(second, return_exceptions=True)
    go_on.set_result(None)
    await asyncio.gather(first, third)
    assert await kept(file) == [1, 3]


async def test_after_it_was_closed_nothing_waits_for_ever(file: MemoryFile) -> None:
    await file.close()
    with pytest.raises(MemoryUnavailable, match="closed"):
        await file.write(keep(1))
