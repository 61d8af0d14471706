"""The commands, as a person at a terminal or another program calls them."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from adapters.cli import main

if TYPE_CHECKING:
    from pathlib import Path

OPEN = "When is the flu clinic open?"
LEAFLET = """---
title: Flu clinic
url: https://larkfield.example/flu
---

## Opening times

The flu clinic is open on Tuesdays from 9 am to 12 noon. Bring your clinic card.

## Children

Children's flu sessions are on Saturdays from 9.30 am to 11 am.
"""
HOURS = "# Visiting\n\nVisiting hours on the ward are from 2 pm to 7 pm. Pets are not allowed.\n"


class Citewell:
    """The command with a home and a folder of documents of its own, by words alone."""

    def __init__(self, folder: Path) -> None:
        self.documents = folder / "documents"
        self.documents.mkdir()
        (self.documents / "flu.md").write_text(LEAFLET)
        (self.documents / "visiting.md").write_text(HOURS)
        self.home = folder / "home"

    def __call__(self, *arguments: str, stdin: str = "", **env: str) -> Result:
        environment = {"CITEWELL_HOME": str(self.home), "CITEWELL_EMBEDDER": "none", **env}
        return CliRunner().invoke(main, arguments, input=stdin, env=environment)

    def json(self, *arguments: str, stdin: str = "") -> Any:
        return json.loads(self(*arguments, "--json", stdin=stdin).stdout)


@pytest.fixture
def citewell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Citewell:
    monkeypatch.chdir(tmp_path)
    return Citewell(tmp_path)


@pytest.fixture
def filled(citewell: Citewell) -> Citewell:
    assert citewell("ingest", str(citewell.documents)).exit_code == 0
    return citewell


def test_ask_answers_with_the_json_of_the_contract(filled: Citewell) -> None:
    reply = filled.json("ask", OPEN)
    assert list(reply) == ["kind", "text", "sources", "resources", "confidence", "trace_id"]
    assert reply["kind"] == "fact"
    assert "Tuesdays from 9 am to 12 noon" in reply["text"]
    (source,) = reply["sources"]
    assert set(source) == {"n", "id", "title", "url", "locator", "quote", "found_by", "rank", "rank_before_rerank"}
    assert (source["title"], source["url"], source["locator"]) == (
        "Flu clinic",
        "https://larkfield.example/flu",
        "Opening times",
    )
    assert source["quote"] in LEAFLET


def test_ask_shows_the_answer_then_its_source(filled: Citewell) -> None:
    shown = filled("ask", OPEN).stdout
    assert shown.index("Tuesdays") < shown.index("[1] Flu clinic") < shown.index("https://larkfield.example/flu")


def test_ask_declines_what_the_documents_lack(filled: Citewell) -> None:
    assert filled.json("ask", "What is the capital of Peru?")["kind"] == "ungrounded"


def test_questions_line_by_line_are_answered_in_order_each_for_itself(filled: Citewell) -> None:
    lines = filled("ask", "-", stdin=f"{OPEN}\nAnd for children?\nWhat is the capital of Peru?\n").stdout.splitlines()
    kinds = [json.loads(line)["kind"] for line in lines]
    assert (kinds[0], len(kinds), kinds[2]) == ("fact", 3, "ungrounded")


def test_a_named_conversation_goes_on(filled: Citewell) -> None:
    filled("ask", OPEN, "--conversation", "k")
    assert "Saturdays" in filled.json("ask", "And for children?", "--conversation", "k")["text"]


def test_a_guest_leaves_no_row(filled: Citewell) -> None:
    assert filled.json("ask", OPEN, "--guest")["kind"] == "fact"
    memory = filled.home / "memory.db"
    if memory.exists():
        with closing(sqlite3.connect(memory)) as db:
            tables = [name for (name,) in db.execute("select name from sqlite_master where type = 'table'")]
            kept = {name: db.execute(f"select count(*) from [{name}]").fetchone()[0] for name in tables}
        assert not any(count for name, count in kept.items() if "migrations" not in name)


def test_a_guest_is_shown_public_collections_only(citewell: Citewell) -> None:
    citewell("ingest", str(citewell.documents), "--collection", "staff")
    assert citewell.json("ask", OPEN, "--guest")["kind"] == "ungrounded"
    assert citewell.json("ask", OPEN)["kind"] == "fact"


def test_a_person_in_crisis_gets_the_lines_of_the_country_given(citewell: Citewell) -> None:
    reply = citewell.json("ask", "I want to end my life", "--country", "ie")
    assert reply["kind"] == "crisis"
    assert {resource["country"] for resource in reply["resources"] if resource["phone"]} == {"IE"}


def test_search_prints_the_json_of_the_contract(filled: Citewell) -> None:
    found = filled.json("search", "flu clinic", "--k", "1")
    assert found["grade"] == "correct"
    (hit,) = found["hits"]
    assert {"id", "document", "title", "score", "found_by", "rank"} <= set(hit)
    assert hit["found_by"] == ["keyword"]


@pytest.mark.parametrize(
    ("flags", "stages"),
    [([], ["search", "grade"]), (["--no-grade", "--no-hyde", "--no-hybrid", "--no-rerank"], ["search"])],
)
def test_a_stage_that_is_switched_off_does_not_run(filled: Citewell, flags: list[str], stages: list[str]) -> None:
    assert [stage["stage"] for stage in filled.json("search", "flu clinic", *flags)["stages"]] == stages


def test_assess_gives_a_verdict_a_line_and_needs_no_settings(citewell: Citewell) -> None:
    result = citewell(
        "assess", "--json", stdin=f"{OPEN}\nI want to kill myself\n\nsigns of suicide in teenagers\n", CITEWELL_PORT="x"
    )
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [row["verdict"] for row in rows] == ["clear", "self_harm", "clear", "mention"]
    assert all(set(row) == {"verdict", "rule"} for row in rows)


def test_ingest_reports_each_file_and_skips_what_is_unchanged(filled: Citewell) -> None:
    (filled.documents / "new.txt").write_text("A new leaflet about the travel clinic on Mondays.")
    report = filled.json("ingest", str(filled.documents))
    assert {file["outcome"] for file in report["files"]} == {"unchanged", "taken"}
    assert report["totals"]["unchanged"] == 2


def test_ingest_goes_on_after_a_bad_file_and_exits_with_one(citewell: Citewell) -> None:
    (citewell.documents / "a-bad.pdf").write_bytes(b"")
    result = citewell("ingest", str(citewell.documents))
    assert result.exit_code == 1
    assert "a-bad.pdf" in result.stdout
    assert citewell.json("ask", OPEN)["kind"] == "fact"


def test_ingest_prunes_what_has_vanished(filled: Citewell) -> None:
    (filled.documents / "flu.md").unlink()
    filled("ingest", str(filled.documents), "--prune")
    assert filled.json("ask", OPEN)["kind"] == "ungrounded"


def test_serve_without_a_platform_says_what_to_set(citewell: Citewell) -> None:
    result = citewell("serve")
    assert result.exit_code == 1
    assert "SLACK_BOT_TOKEN" in result.stderr


def test_a_damaged_index_is_named_and_nothing_else_of_the_error(citewell: Citewell) -> None:
    citewell.home.mkdir()
    (citewell.home / "index.db").write_bytes(b"this is no database" * 100)
    result = citewell("ask", OPEN)
    assert result.exit_code == 1
    assert "index.db" in result.stderr
    assert "Traceback" not in result.output


@pytest.mark.parametrize("arguments", [["ask"], ["search", "x", "--k", "0"], ["nonsense"], ["ingest"]])
def test_bad_use_exits_with_two(citewell: Citewell, arguments: list[str]) -> None:
    assert citewell(*arguments).exit_code == 2
