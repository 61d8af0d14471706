from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlite_utils import Database

from memory.errors import MemoryTooNew
from memory.file import MemoryFile
from memory.inbox import SqliteInbox
from memory.migrations import STEPS, migrate, unknown_steps
from memory.sqlite import SqliteMemory
from memory.turn import TurnKind
from tests.contract.test_inbox import an_entry
from tests.memory.histories import THREAD, a_source, a_turn

if TYPE_CHECKING:
    from collections.abc import Iterator

SCHEMAS = Path(__file__).parent / "schemas"
"""One dump of each released schema that differs, with some turns in it; made once and never changed."""


def a_file_of(schema: str, folder: Path) -> Path:
    path = folder / "memory.db"
    with closing(sqlite3.connect(path)) as db:
        db.executescript((SCHEMAS / schema).read_text(encoding="utf-8"))
    return path


def schema_of(db: Database) -> set[tuple[str, str]]:
    return {
        (name, " ".join(sql.split()))
        for name, sql in db.execute("SELECT name, sql FROM sqlite_master WHERE sql NOT NULL")
    }


@pytest.fixture
def new() -> Iterator[Database]:
    db = Database(memory=True, execute_plugins=False)
    yield db
    db.close()


async def test_from_the_oldest_schema_nothing_is_lost_and_everything_works(tmp_path: Path) -> None:
    file = MemoryFile(a_file_of("001.sql", tmp_path))
    memory, inbox = SqliteMemory(file), SqliteInbox(file)
    assert list(await memory.turns(THREAD)) == [
        a_turn("m1", sources=(a_source(1), a_source(2, url=None))),
        a_turn("m2", kind=TurnKind.UNGROUNDED, minutes=1, text="That is not in the documents I have."),
        a_turn("m3", kind=TurnKind.CRISIS, minutes=2),
    ]
    assert await inbox.accept(an_entry())
    assert await memory.forget(author="ada") == 3
    await file.close()


def test_from_the_oldest_schema_one_comes_to_the_same_as_a_new_file(tmp_path: Path, new: Database) -> None:
    old = Database(a_file_of("001.sql", tmp_path), execute_plugins=False)
    migrate(old)
    migrate(new)
    assert schema_of(old) == schema_of(new)
    old.close()


def test_migrating_again_changes_nothing(new: Database) -> None:
    migrate(new)
    before = list(new.iterdump())
    migrate(new)
    assert list(new.iterdump()) == before


def test_steps_are_numbered_without_a_gap() -> None:
    assert [step.__name__[:5] for step in STEPS] == [f"m{number:03}_" for number in range(1, len(STEPS) + 1)]


def test_a_step_that_fails_undoes_those_before_it(new: Database) -> None:
    def m003_breaks(db: Database) -> None:
        db.execute("CREATE TABLE half (done)")
        raise LookupError

    with pytest.raises(LookupError):
        migrate(new, (*STEPS, m003_breaks))
    assert new.table_names() == []


async def test_a_file_of_a_newer_version_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = a_file_of("001.sql", tmp_path)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("INSERT INTO _sqlite_migrations VALUES (9, 'citewell-memory', 'm999_later', '2030-01-01')")
    before = path.read_bytes()
    file = MemoryFile(path)
    with pytest.raises(MemoryTooNew, match=r"newer Citewell \(steps m999_later\).*install"):
        await file.open()
    await file.close()
    assert path.read_bytes() == before


def test_steps_of_others_in_the_same_file_are_none_of_ours(new: Database) -> None:
    migrate(new)
    new.execute("INSERT INTO _sqlite_migrations VALUES (99, 'another', 'm999_later', '2030-01-01')")
    assert list(unknown_steps(new)) == []
