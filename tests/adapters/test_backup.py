"""Backups: whole while the bot writes, checked before they are put back, and nothing lost on the way."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from adapters.cli import main
from adapters.home_settings import HOME_FILE

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CITEWELL_HOME", str(home))
    return home


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def fill(file: Path, *rows: str) -> None:
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("CREATE TABLE IF NOT EXISTS notes (text)")
        database.executemany("INSERT INTO notes VALUES (?)", [(row,) for row in rows])


def rows(file: Path) -> list[str]:
    with closing(sqlite3.connect(file)) as database:
        return [text for (text,) in database.execute("SELECT text FROM notes")]


def test_what_was_written_is_in_the_backup_while_another_holds_the_file_open(home: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(home / "memory.db")) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("CREATE TABLE notes (text)")
        writer.execute("INSERT INTO notes VALUES ('kept')")
        writer.commit()
        writer.execute("INSERT INTO notes VALUES ('not committed')")
        assert run("backup", "copy").exit_code == 0
    assert rows(tmp_path / "copy" / "memory.db") == ["kept"]


def test_a_backup_is_its_owners_alone(home: Path, tmp_path: Path) -> None:
    fill(home / "memory.db", "a")
    run("backup", "copy")
    assert (tmp_path / "copy").stat().st_mode & 0o077 == 0
    assert (tmp_path / "copy" / "memory.db").stat().st_mode & 0o077 == 0


def test_what_is_restored_is_what_was_backed_up_and_what_stood_there_is_kept(home: Path) -> None:
    fill(home / "memory.db", "before")
    (home / "citewell.toml").write_text('country = "IE"\n', encoding="utf-8")
    run("backup", "copy")
    fill(home / "memory.db", "after")
    (home / "citewell.toml").unlink()
    assert run("restore", "copy", "--yes").exit_code == 0
    assert rows(home / "memory.db") == ["before"]
    assert rows(home / "memory.db.before") == ["before", "after"]
    assert (home / "citewell.toml").exists()


def test_a_damaged_backup_changes_nothing(home: Path, tmp_path: Path) -> None:
    fill(home / "memory.db", "now")
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / "memory.db").write_bytes(b"no database, for sure" * 100)
    result = run("restore", "copy", "--yes")
    assert result.exit_code == 1
    assert "damaged" in result.stderr
    assert rows(home / "memory.db") == ["now"]


def test_nothing_is_put_below_a_bot_that_runs(home: Path) -> None:
    fill(home / "memory.db", "now")
    run("backup", "copy")
    with closing(sqlite3.connect(home / "memory.db", isolation_level=None)) as running:
        running.execute("SELECT * FROM notes").fetchall()
        result = run("restore", "copy", "--yes")
    assert result.exit_code == 1
    assert "stop the bot" in result.stderr


@pytest.mark.parametrize("made", [True, False])
def test_a_folder_in_use_and_an_empty_home_are_refused(home: Path, tmp_path: Path, made: bool) -> None:
    if made:
        fill(home / "memory.db", "a")
        (tmp_path / "copy").mkdir()
        (tmp_path / "copy" / "other").touch()
    assert run("backup", "copy").exit_code == 1


def test_documents_and_settings_are_replaced_and_not_mixed_with_what_stood_there(home: Path) -> None:
    fill(home / "memory.db", "a")
    documents = home / ".documents" / "kept"
    documents.mkdir(parents=True)
    (documents / "old.md").write_text("old", encoding="utf-8")
    run("backup", "copy")
    for round_ in ("first", "second"):
        (documents / "new.md").write_text(round_, encoding="utf-8")
        (home / HOME_FILE).write_text("passages = 4\n", encoding="utf-8")
        assert run("restore", "copy", "--yes").exit_code == 0
        assert [one.name for one in documents.iterdir()] == ["old.md"]
        assert not (home / HOME_FILE).exists(), "there was none when it was backed up"
        assert (home / ".documents.before" / "kept" / "new.md").read_text(encoding="utf-8") == round_
        assert (home / f"{HOME_FILE}.before").exists()
