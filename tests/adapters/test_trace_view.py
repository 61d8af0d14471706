"""`citewell traces` at a terminal."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from adapters.cli import main
from adapters.tracing.lines import TraceFile
from memory.turn import TurnKind
from tests.adapters.tracing.records import a_record

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CITEWELL_HOME", str(tmp_path))
    file = TraceFile(tmp_path / "traces.jsonl")
    file.keep(a_record("aaa"))
    file.keep(a_record("bbb", minutes=1, kind=TurnKind.UNGROUNDED, declined="weak evidence", confidence=None))
    file.close()
    return tmp_path


def shown(*arguments: str) -> str:
    result = CliRunner().invoke(main, ["traces", *arguments])
    assert result.exit_code == 0, result.stderr
    return result.stdout


def test_turns_are_listed_oldest_first_with_how_they_ended(home: Path) -> None:
    first, second = shown().splitlines()
    assert "aaa" in first
    assert "ungrounded (weak evidence)" in second


def test_only_those_of_a_kind_and_so_many(home: Path) -> None:
    assert "aaa" not in shown("--kind", "ungrounded")
    assert shown("--limit", "1").count("\n") == 1


def test_one_turn_is_drawn_as_a_timeline(home: Path) -> None:
    lines = shown("aaa").splitlines()
    assert [line.split()[0] for line in lines[1:]] == ["retrieval", "answer", "verify", "spent:"]
    assert lines[2].index("█") > lines[1].index("█")


def test_json_is_one_object_a_line_and_one_document_for_one_turn(home: Path) -> None:
    assert [json.loads(line)["trace_id"] for line in shown("--json").splitlines()] == ["aaa", "bbb"]
    assert json.loads(shown("aaa", "--json"))["stages"][0]["stage"] == "retrieval"


def test_a_turn_that_is_not_there_says_why_that_may_be(home: Path) -> None:
    result = CliRunner().invoke(main, ["traces", "ccc"])
    assert result.exit_code == 1
    assert "guest" in result.stderr
