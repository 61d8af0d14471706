from __future__ import annotations

import asyncio
import signal
import sys
from typing import TYPE_CHECKING

import pytest

from memory.file import MemoryFile
from memory.inbox import SqliteInbox
from tests.contract.test_inbox import an_entry

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

ACCEPT_AND_HANG = """
import asyncio, sys
from pathlib import Path
from memory.file import MemoryFile
from memory.inbox import SqliteInbox
from tests.contract.test_inbox import an_entry

async def main():
    inbox = SqliteInbox(MemoryFile(Path(sys.argv[1])))
    for number in range(5):
        assert await inbox.accept(an_entry(f"k{number}", minutes=number))
    await inbox.begin("k0")
    await inbox.done("k1")
    print("accepted", flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
async def inbox(path: Path) -> AsyncIterator[SqliteInbox]:
    opened = SqliteInbox(MemoryFile(path))
    yield opened
    await opened.close()


async def test_what_was_accepted_is_pending_after_a_kill(path: Path, inbox: SqliteInbox) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", ACCEPT_AND_HANG, str(path), stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    assert await process.stdout.readline() == b"accepted\n"
    process.kill()
    assert await process.wait() == -signal.SIGKILL
    assert [entry.key for entry in await inbox.pending()] == ["k0", "k2", "k3", "k4"]
    assert await inbox.begin("k0") == 2, "the attempt that was killed counts"
    assert not await inbox.accept(an_entry("k1")), "answered before the kill"


async def test_of_twins_in_two_processes_one_is_accepted(path: Path, inbox: SqliteInbox) -> None:
    other = SqliteInbox(MemoryFile(path))
    accepted = await asyncio.gather(*(one.accept(an_entry()) for one in (inbox, other) * 10))
    assert sum(accepted) == 1
    await other.close()


async def test_the_words_of_a_done_message_lie_nowhere_on_the_disk(path: Path, inbox: SqliteInbox) -> None:
    for number in range(20):
        await inbox.accept(an_entry(f"k{number}", payload="secret-words " * 500))
    for number in range(20):
        await inbox.done(f"k{number}")
    left = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert b"secret-words" not in left
    assert b"slack:T1:C1:100.1" not in left
