"""Turns in a file: whose, how big, and through its renaming."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING

import pytest

from adapters.tracing.lines import Tail, TraceFile, read_traces
from adapters.tracing.rotated import KEPT
from tests.adapters.tracing.records import a_record

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "traces.jsonl"


def written(path: Path, *names: str, most_bytes: int = 5_000_000, guest: bool = False) -> None:
    for name in names:
        file = TraceFile(path, most_bytes=most_bytes)
        file.keep(a_record(name, guest=guest))
        file.close()


def test_turns_are_read_back_in_their_order(path: Path) -> None:
    written(path, "a", "b")
    assert [record.trace_id for record in read_traces(path)] == ["a", "b"]


def test_a_guests_turn_is_never_written(path: Path) -> None:
    written(path, "a", guest=True)
    assert not path.exists()


def test_only_its_owner_can_read_it(path: Path) -> None:
    written(path, "a")
    assert path.stat().st_mode & 0o077 == 0


def test_a_full_file_is_renamed_and_only_a_few_are_kept(path: Path) -> None:
    size = len(json.dumps(a_record("x").as_json())) + 10
    written(path, *"abcdef", most_bytes=size)
    assert [record.trace_id for record in read_traces(path)] == list("cdef")
    assert len(list(path.parent.iterdir())) == 1 + KEPT


def test_lines_that_are_none_of_ours_are_passed_over(path: Path) -> None:
    written(path, "a")
    with path.open("a", encoding="utf-8") as file:
        file.write('{"half": \n[]\n"text"\n')
    written(path, "b")
    assert [record.trace_id for record in read_traces(path)] == ["a", "b"]


def test_a_disk_that_takes_nothing_is_named_once_and_stops_nothing(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path.mkdir()
    file = TraceFile(path)
    with caplog.at_level(logging.WARNING):
        for name in ("a", "b"):
            file.keep(a_record(name))
            file.close()
    assert len(caplog.records) == 1


def test_a_tail_gives_what_is_new_through_a_renaming(path: Path) -> None:
    written(path, "old")
    with Tail(path) as tail:
        assert tail.new() == []
        written(path, "a")
        assert [record.trace_id for record in tail.new()] == ["a"]
        written(path, "b", most_bytes=10)
        assert [record.trace_id for record in tail.new()] == ["b"]


def test_a_tail_waits_for_a_file_that_is_not_there_yet(path: Path) -> None:
    with Tail(path) as tail:
        assert tail.new() == []
        written(path, "a")
        assert [record.trace_id for record in tail.new()] == ["a"]


def test_nobodys_words_are_written_even_where_they_may_be_kept(path: Path) -> None:
    file = TraceFile(path)
    file.keep(a_record(words={"question": "When is it open?"}))
    file.close()
    assert "When is it open" not in path.read_text(encoding="utf-8")
