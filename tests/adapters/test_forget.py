"""`citewell forget`, and what is left on the disk after it."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from adapters.cli import main

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

SECRET = b"zebrafinch"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home in which two conversations were had."""
    monkeypatch.chdir(tmp_path)
    home = tmp_path / "home"
    (tmp_path / "flu.md").write_text("# Flu clinic\n\nThe flu clinic is open on Tuesdays from 9 am to 12 noon.\n")
    assert citewell(home, "ingest", "flu.md").exit_code == 0
    for conversation, question in (
        ("k", "Is the flu clinic open for a zebrafinch?"),
        ("k", "zebrafinch?"),
        ("l", "Hi"),
    ):
        assert citewell(home, "ask", question, "--conversation", conversation).exit_code == 0
    return home


def citewell(home: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, env={"CITEWELL_HOME": str(home), "CITEWELL_EMBEDDER": "none"})


def forgotten(home: Path, *arguments: str) -> Any:
    result = citewell(home, "forget", *arguments, "--yes", "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def on_disk(home: Path) -> bytes:
    return b"".join(file.read_bytes() for file in home.glob("memory.db*"))


@pytest.mark.parametrize(
    ("arguments", "turns"),
    [
        (["--conversation", "k"], 2),
        (["--conversation", "console:local:terminal:k"], 2),
        (["--person", "local"], 3),
        (["--person", "local", "--conversation", "k"], 2),
        (["--person", "local", "--platform", "console", "--tenant", "local"], 3),
        (["--before", "2999-01-01"], 3),
        (["--all"], 3),
    ],
)
def test_what_is_named_goes_from_the_disk(home: Path, arguments: list[str], turns: int) -> None:
    assert SECRET in on_disk(home)
    assert forgotten(home, *arguments) == {"turns": turns, "waiting": 0}
    assert SECRET not in on_disk(home)
    assert forgotten(home, *arguments) == {"turns": 0, "waiting": 0}


@pytest.mark.parametrize(
    "arguments",
    [
        ["--conversation", "l"],
        ["--conversation", "slack:local:terminal:k"],
        ["--person", "ada"],
        ["--person", "local", "--platform", "slack"],
        ["--before", "2020-01-01"],
    ],
)
def test_what_is_not_named_stays(home: Path, arguments: list[str]) -> None:
    forgotten(home, *arguments)
    assert SECRET in on_disk(home)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--platform", "slack"],
        ["--conversation", "k", "--tenant", "T1"],
        ["--conversation", "k", "--all"],
        ["--before", "2026-01-01", "--person", "ada"],
        ["--before", "yesterday"],
        ["--person", ""],
        ["--conversation", ""],
    ],
)
def test_what_is_unclear_deletes_nothing(home: Path, arguments: list[str]) -> None:
    assert citewell(home, "forget", *arguments, "--yes").exit_code == 2
    assert SECRET in on_disk(home)


def test_it_asks_first_and_where_nobody_can_answer_it_deletes_nothing(home: Path) -> None:
    result = citewell(home, "forget", "--all")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--yes" in result.stderr
    assert SECRET in on_disk(home)


def test_it_says_so_in_words(home: Path) -> None:
    result = citewell(home, "forget", "--all", "--yes")
    assert result.stdout == "Deleted: 3 turns, and 0 messages that waited for an answer.\n"


def test_what_a_reader_holds_back_is_said_and_goes_when_it_is_asked_again(home: Path) -> None:
    with closing(sqlite3.connect(home / "memory.db", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM turns").fetchall()
        result = citewell(home, "forget", "--all", "--yes")
        assert (result.exit_code, "run this again" in result.stderr) == (0, True)
        reader.execute("COMMIT")
        assert citewell(home, "forget", "--all", "--yes").stderr == ""
        assert SECRET not in on_disk(home)


def test_a_home_without_a_memory_is_named(tmp_path: Path) -> None:
    result = citewell(tmp_path / "elsewhere", "forget", "--all", "--yes")
    assert result.exit_code == 0
    assert f"Nothing is remembered in {tmp_path / 'elsewhere'}" in result.stderr
