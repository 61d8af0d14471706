"""`citewell gaps` and `citewell feedback`, over a memory in which some things were asked."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from adapters.cli import main
from memory.file import MemoryFile
from memory.sqlite import SqliteMemory
from memory.turn import Fault, TurnKind
from tests.memory.histories import NOON, THREAD, a_source, a_turn

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result


async def fill(home: Path) -> None:
    file = MemoryFile(home / "memory.db")
    memory = SqliteMemory(file)
    asked = [
        ("m1", TurnKind.UNGROUNDED),
        ("m2", TurnKind.REFUSAL),
        ("m3", TurnKind.CRISIS),
        ("m4", TurnKind.ERROR),
        ("m5", TurnKind.FACT),
    ]
    for day, (message, kind) in enumerate(asked):
        sources = (a_source(1),) if kind is TurnKind.FACT else ()
        await memory.record(a_turn(message, kind=kind, minutes=day * 24 * 60, sources=sources))
    for message in ("m1", "m5"):
        await memory.rate(f"trace-{message}", place=THREAD.place, author="ben", good=False)
    await memory.rate("trace-m5", place=THREAD.place, author="ada", good=True)
    await file.close()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    asyncio.run(fill(tmp_path / "home"))
    return tmp_path / "home"


def citewell(home: Path, *arguments: str) -> Result:
    result = CliRunner().invoke(main, arguments, env={"CITEWELL_HOME": str(home), "CITEWELL_EMBEDDER": "none"})
    assert result.exit_code == 0, result.output
    return result


def shown(home: Path, *arguments: str) -> Any:
    return json.loads(citewell(home, *arguments, "--json").stdout)


def day(days: int) -> str:
    return (NOON + timedelta(days=days)).date().isoformat()


def test_gaps_are_what_was_declined_and_nothing_else(home: Path) -> None:
    gap = {"question": "standalone m1", "times": 1, "first": day(0), "last": day(0)}
    assert shown(home, "gaps") == {"questions": 1, "of": 1, "gaps": [gap]}
    assert shown(home, "gaps", "--since", day(1)) == {"questions": 0, "of": 0, "gaps": []}


def test_gaps_tell_nobody_who_asked_or_where(home: Path) -> None:
    for output in (citewell(home, "gaps").stdout, citewell(home, "gaps", "--json").stdout):
        assert "standalone m1" in output
        assert not [word for word in ("ada", "trace", "slack", "T1", "C1", "100.1", "12:00") if word in output]


def test_gaps_are_listed_with_how_often_and_when(home: Path) -> None:
    assert citewell(home, "gaps").stdout == f"times  last asked  question\n   1 x  {day(0)}  standalone m1\n"


def test_so_many_gaps_are_shown_as_asked_for(home: Path) -> None:
    async def more() -> None:
        file = MemoryFile(home / "memory.db")
        for number, word in enumerate(("zebras", "parking", "dentists")):
            turn = a_turn(word, kind=TurnKind.UNGROUNDED, minutes=number)
            await SqliteMemory(file).record(turn)
        await file.close()

    asyncio.run(more())
    found = shown(home, "gaps", "--limit", "2")
    assert (found["of"] >= 2, len(found["gaps"])) == (True, 2)
    lines = citewell(home, "gaps", "--limit", "1").stdout.splitlines()
    assert lines[-1] == f"and {found['of'] - 1} more (--limit)"


def test_where_nothing_was_asked_there_are_no_gaps(tmp_path: Path) -> None:
    result = citewell(tmp_path / "elsewhere", "gaps")
    assert result.stdout == "Nothing was asked that the documents lack.\n"
    assert "CITEWELL_HOME" in result.stderr


def test_feedback_counts_and_shows_what_was_marked_down(home: Path) -> None:
    assert shown(home, "feedback") == {
        "good": 1,
        "bad": 2,
        "marked_down": [
            {"id": "trace-m1", "text": "standalone m1", "wrong": [], "asked": day(0)},
            {"id": "trace-m5", "text": "standalone m5", "wrong": ["flu"], "asked": day(4)},
        ],
        "added": None,
    }
    assert citewell(home, "feedback", "--since", day(1)).stdout == (
        f"Good: 1. Bad: 1.\n{day(4)}  standalone m5  (answered from flu)\n"
    )


def test_what_was_marked_down_becomes_cases_that_evaluate_asks(home: Path, tmp_path: Path) -> None:
    (tmp_path / "flu.md").write_text("# Flu clinic\n\nThe flu clinic is open on Tuesdays from 9 am to 12 noon.\n")
    citewell(home, "ingest", "flu.md")
    assert shown(home, "feedback", "--cases", "cases.jsonl")["added"] == 2
    assert shown(home, "feedback", "--cases", "cases.jsonl")["added"] == 0
    found = shown(home, "evaluate", "cases.jsonl")
    assert found["questions"] == {"answerable": 0, "unanswerable": 0, "unjudged": 2, "left_out": 0, "of": 2}
    assert [(one["id"], one["answerable"], one["right"]) for one in found["details"]] == [
        ("trace-m1", None, None),
        ("trace-m5", None, None),
    ]
    assert found["figures"] == {}
    assert "not judged yet, so in no figure: 2" in citewell(home, "evaluate", "cases.jsonl").stdout
    lines = (tmp_path / "cases.jsonl").read_text().splitlines()
    judged = [json.dumps(json.loads(lines[0]) | {"answerable": False}), lines[1]]
    (tmp_path / "cases.jsonl").write_text("\n".join(judged))
    assert shown(home, "feedback", "--cases", "cases.jsonl")["added"] == 0
    assert shown(home, "evaluate", "cases.jsonl")["questions"]["unanswerable"] == 1


def test_feedback_says_why_an_answer_was_marked_down(home: Path) -> None:
    async def give() -> None:
        file = MemoryFile(home / "memory.db")
        given = {"author": "ben", "good": False, "fault": Fault.OUT_OF_DATE, "comment": "The ward\nhas moved."}
        await SqliteMemory(file).rate("trace-m5", place=THREAD.place, **given)  # type: ignore[arg-type]  # typed one by one
        await file.close()

    asyncio.run(give())
    one = shown(home, "feedback")["marked_down"][1]
    assert (one["id"], one["reasons"], one["comments"]) == ("trace-m5", ["out_of_date"], ["The ward\nhas moved."])
    lines = citewell(home, "feedback").stdout
    assert "out of date" in lines
    assert "The ward has moved." in lines
    assert "ben" not in lines
