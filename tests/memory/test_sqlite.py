from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from memory.file import MemoryFile
from memory.sqlite import SqliteMemory
from memory.summary import Summary
from memory.turn import TurnKind
from tests.memory.histories import SIBLING, THREAD, a_source, a_turn

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
async def memory(path: Path) -> AsyncIterator[SqliteMemory]:
    store = SqliteMemory(MemoryFile(path))
    yield store
    await store.close()


def bytes_on_disk(path: Path) -> bytes:
    """All that lies in the file and its companions (write-ahead log, shared memory) while it is open."""
    return b"".join(file.read_bytes() for file in sorted(path.parent.iterdir()))


def rows(path: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as db:
        return db.execute(query).fetchall()


async def test_turns_outlive_the_process(path: Path, memory: SqliteMemory) -> None:
    await memory.record(a_turn(sources=(a_source(),)))
    await memory.close()
    reopened = SqliteMemory(MemoryFile(path))
    assert list(await reopened.turns(THREAD)) == [a_turn(sources=(a_source(),))]
    await reopened.close()


async def test_a_forgotten_word_lies_nowhere_on_the_disk(path: Path, memory: SqliteMemory) -> None:
    for number in range(60):
        secret = a_turn(
            f"m{number}", author="secret-author", text="secret-text " * 400, sources=(a_source(quote="secret-quote"),)
        )
        await memory.record(secret)
    await memory.record(a_turn("kept", conversation=SIBLING, author="ben", text="a kept word"))
    assert bytes_on_disk(path).count(b"secret-") > 60
    assert await memory.forget(author="secret-author") == 60
    assert b"secret-" not in bytes_on_disk(path)
    assert b"a kept word" in bytes_on_disk(path)


async def test_a_word_too_old_lies_nowhere_on_the_disk(path: Path, memory: SqliteMemory) -> None:
    await memory.record(a_turn(text="secret-text"))
    await memory.forget_before(a_turn(minutes=1).at)
    assert b"secret-" not in bytes_on_disk(path)


async def test_what_a_reader_elsewhere_holds_back_is_wiped_after_the_next_write(
    path: Path, memory: SqliteMemory
) -> None:
    await memory.record(a_turn(text="secret-text"))
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM turns").fetchall()
        assert await memory.forget(conversation=THREAD) == 1
        assert b"secret-" in bytes_on_disk(path), "the reader still sees it"
        reader.execute("COMMIT")
    await memory.record(a_turn("later"))
    assert b"secret-" not in bytes_on_disk(path)


async def test_forgetting_takes_sources_and_empty_conversations_along(path: Path, memory: SqliteMemory) -> None:
    await memory.record(a_turn(sources=(a_source(1), a_source(2))))
    await memory.record(a_turn(conversation=SIBLING, author="ben", sources=(a_source(3),)))
    await memory.forget(author="ada")
    assert rows(path, "SELECT n FROM sources") == [(3,)]
    assert rows(path, "SELECT key FROM conversations") == [(SIBLING.key,)]


async def test_a_conversation_spans_the_turns_that_are_left(path: Path, memory: SqliteMemory) -> None:
    for minutes, author in ((0, "ada"), (1, "ben"), (2, "ben"), (3, "ada")):
        await memory.record(a_turn(f"m{minutes}", author=author, minutes=minutes))
    span = "SELECT started_at, last_at FROM conversations"
    [before] = rows(path, span)
    await memory.forget(author="ada")
    [after] = rows(path, span)
    assert before == ("2026-03-01T12:00:00.000000+00:00", "2026-03-01T12:03:00.000000+00:00")
    assert after == ("2026-03-01T12:01:00.000000+00:00", "2026-03-01T12:02:00.000000+00:00")


async def test_a_turn_that_became_a_crisis_keeps_no_word_or_source(path: Path, memory: SqliteMemory) -> None:
    await memory.record(a_turn(sources=(a_source(),)))
    await memory.record(a_turn(kind=TurnKind.CRISIS))
    assert rows(path, "SELECT question || standalone || text FROM turns") == [("",)]
    assert rows(path, "SELECT * FROM sources") == []


async def test_a_turn_is_recorded_whole_or_not_at_all(path: Path, memory: SqliteMemory) -> None:
    await memory.record(a_turn(sources=(a_source(),)))
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TRIGGER refuse BEFORE INSERT ON sources BEGIN SELECT raise(ABORT, 'refused'); END")
    with pytest.raises(sqlite3.IntegrityError, match="refused"):
        await memory.record(a_turn(text="new", minutes=1, sources=(a_source(2),)))
    assert list(await memory.turns(THREAD)) == [a_turn(sources=(a_source(),))]


async def test_the_log_can_be_emptied_once_no_reader_holds_it_back(path: Path) -> None:
    file = MemoryFile(path)
    memory = SqliteMemory(file)
    assert await file.scrub(), "nothing was deleted yet"
    await memory.record(a_turn(text="secret-text"))
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM turns").fetchall()
        await memory.forget(conversation=THREAD)
        assert not await file.scrub()
        reader.execute("COMMIT")
    assert await file.scrub()
    assert b"secret-" not in bytes_on_disk(path)
    await memory.close()


async def test_a_forgotten_summary_and_rating_lie_nowhere_on_the_disk(path: Path, memory: SqliteMemory) -> None:
    await memory.record(a_turn("m1"))
    await memory.keep_summary(THREAD, Summary("secret-summary " * 50, ("trace-m1",)), instead_of=None)
    await memory.rate("trace-m1", place=THREAD.place, author="secret-rater", good=False)
    assert b"secret-summary" in bytes_on_disk(path)
    assert b"secret-rater" in bytes_on_disk(path)
    await memory.forget(conversation=THREAD)
    assert b"secret-" not in bytes_on_disk(path)
