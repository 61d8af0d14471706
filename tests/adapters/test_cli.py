"""The commands, as a person at a terminal or another program calls them."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from adapters.cli import main

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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

    def process(
        self, arguments: Sequence[str | bytes], *, env: Mapping[str, str] | None = None, **streams: Any
    ) -> subprocess.CompletedProcess[bytes]:
        """The command as a process of its own, where the streams matter."""
        command = Path(sys.executable).with_name("citewell")
        given = {**os.environ, "CITEWELL_HOME": str(self.home), "CITEWELL_EMBEDDER": "none", **(env or {})}
        return subprocess.run([command, *arguments], check=False, stderr=subprocess.PIPE, env=given, **streams)

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
    [
        ([], ["search", "rerank", "grade"]),
        (["--no-grade", "--no-hyde", "--no-hybrid", "--no-rerank"], ["search"]),
    ],
)
def test_a_stage_that_is_switched_off_does_not_run(filled: Citewell, flags: list[str], stages: list[str]) -> None:
    assert [stage["stage"] for stage in filled.json("search", "flu clinic", *flags)["stages"]] == stages


def test_evidence_that_nobody_judged_is_not_called_correct(filled: Citewell) -> None:
    assert filled("search", "flu clinic", "--no-grade").stdout.startswith("not graded · search sqlite")
    assert filled("search", "flu clinic").stdout.startswith("correct (")
    assert filled("search", "zebra", "--no-grade").stdout.startswith("incorrect (0.00)")
    assert filled.json("search", "flu clinic", "--no-grade")["grade"] == "correct"


def test_a_stage_that_is_off_for_good_runs_in_no_search(filled: Citewell) -> None:
    result = filled("search", "flu clinic", "--no-rerank", "--json", CITEWELL_STAGES_OFF="grade, hyde")
    assert [stage["stage"] for stage in json.loads(result.stdout)["stages"]] == ["search"]


def test_assess_gives_a_verdict_a_line_and_needs_no_settings(citewell: Citewell) -> None:
    result = citewell(
        "assess", "--json", stdin=f"{OPEN}\nI want to kill myself\n\nsigns of suicide in teenagers\n", CITEWELL_PORT="x"
    )
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [row["verdict"] for row in rows] == ["clear", "self_harm", "clear", "mention"]
    assert all(set(row) == {"verdict", "rule"} for row in rows)


def test_assess_asks_the_third_layer_unless_told_not_to(citewell: Citewell) -> None:
    hint = "I keep looking at the river on the way home and each night I stay a bit longer\n"
    assert citewell("assess", stdin=hint).stdout == "self_harm\tself.meaning\n"
    assert citewell("assess", "--without-meaning", stdin=hint).stdout == "clear\tclear\n"


def test_ingest_reports_each_file_and_skips_what_is_unchanged(filled: Citewell) -> None:
    (filled.documents / "new.txt").write_text("A new leaflet about the travel clinic on Mondays.")
    report = filled.json("ingest", str(filled.documents))
    assert {file["outcome"] for file in report["files"]} == {"unchanged", "taken"}
    assert report["totals"]["unchanged"] == 2


def test_ingest_asks_nobody_for_money_where_nobody_can_answer(citewell: Citewell) -> None:
    result = citewell("ingest", str(citewell.documents), "--context", ANTHROPIC_API_KEY="key")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--yes" in result.stderr
    assert not citewell.home.exists()


def test_ingest_says_what_key_it_needs_to_place_passages(citewell: Citewell) -> None:
    result = citewell("ingest", str(citewell.documents), "--context", "--yes", ANTHROPIC_API_KEY="")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "ANTHROPIC_API_KEY" in result.stderr
    assert not citewell.home.exists()


def test_ingest_reports_no_sentences_where_none_were_asked_for(filled: Citewell) -> None:
    assert filled.json("ingest", str(filled.documents))["context"] is None


def test_a_search_may_leave_headings_out(filled: Citewell) -> None:
    assert filled.json("search", "times")["hits"]
    assert filled.json("search", "times", "--no-context")["hits"] == []


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


def test_a_damaged_index_is_named_and_nothing_else_of_the_error(
    citewell: Citewell, caplog: pytest.LogCaptureFixture
) -> None:
    citewell.home.mkdir()
    (citewell.home / "index.db").write_bytes(b"this is no database" * 100)
    result = citewell("ask", OPEN)
    assert result.exit_code == 1
    assert "index.db" in caplog.text
    assert "Traceback" not in result.output + caplog.text


def test_a_person_in_crisis_is_answered_without_an_index_or_a_memory(citewell: Citewell) -> None:
    citewell.home.mkdir()
    for name in ("index.db", "memory.db"):
        (citewell.home / name).write_bytes(b"this is no database" * 100)
    reply = citewell.json("ask", "I want to end my life", "--country", "IE")
    assert reply["kind"] == "crisis"
    assert reply["resources"]


@pytest.mark.parametrize("arguments", [["ask"], ["search", "x", "--k", "0"], ["nonsense"], ["ingest"]])
def test_bad_use_exits_with_two(citewell: Citewell, arguments: list[str]) -> None:
    assert citewell(*arguments).exit_code == 2


def test_asking_for_sources_shows_what_stood_behind_the_last_answer(filled: Citewell) -> None:
    filled("ask", OPEN, "--conversation", "k")
    reply = filled.json("ask", "sources", "--conversation", "k")
    assert reply["kind"] == "courtesy"
    assert [source["title"] for source in reply["sources"]] == ["Flu clinic"]
    assert "[1] Flu clinic" in filled("ask", "/sources", "--conversation", "k").stdout


def test_a_language_without_texts_is_refused_with_those_there_are(citewell: Citewell) -> None:
    result = citewell("ask", OPEN, CITEWELL_LANGUAGE="de")
    assert result.exit_code == 1
    assert "'de'" in result.stderr
    assert "en." in result.stderr


@pytest.mark.parametrize("country", ["GBR", "G", "", "12", "ÄÖ"])
def test_a_country_that_is_not_two_letters_is_bad_use(citewell: Citewell, country: str) -> None:
    result = citewell("ask", OPEN, "--country", country)
    assert (result.exit_code, "two letters" in result.stderr) == (2, True)


@pytest.mark.parametrize("name", ["", " ", "a b", "a/b", "x" * 65, "\udcff"])
@pytest.mark.parametrize("command", ["search", "ingest"])
def test_a_collection_of_odd_characters_is_bad_use(citewell: Citewell, command: str, name: str) -> None:
    result = citewell(command, str(citewell.documents), "--collection", name)
    assert (result.exit_code, "letters, digits" in result.stderr) == (2, True)


def test_searching_an_empty_index_says_that_it_is_empty(citewell: Citewell) -> None:
    assert "no documents yet" in citewell("search", "flu").stderr


def test_searching_a_collection_that_is_not_there_names_those_that_are(filled: Citewell) -> None:
    result = filled("search", "flu", "--collection", "nope")
    assert "no collection nope" in result.stderr
    assert "public" in result.stderr
    assert filled("search", "flu", "--collection", "public").stderr == ""


def test_a_question_that_ends_in_an_error_is_shown_and_exits_with_one(filled: Citewell) -> None:
    result = filled("ask", "why " * 5000)
    assert result.exit_code == 1
    assert "too long" in result.stdout


def test_one_error_among_lines_does_not_keep_the_others_from_an_answer(filled: Citewell) -> None:
    result = filled("ask", "-", stdin=f"{'why ' * 5000}\n{OPEN}\n")
    assert [json.loads(line)["kind"] for line in result.stdout.splitlines()] == ["error", "fact"]
    assert result.exit_code == 1


def test_bytes_that_are_no_text_are_replaced_in_arguments_and_lines(filled: Citewell) -> None:
    asked = filled.process(
        ["ask", b"When is the flu \xff clinic open?", "--conversation", b"\xfe", "--json"], stdout=subprocess.PIPE
    )
    assert (json.loads(asked.stdout)["kind"], asked.stderr) == ("fact", b"")
    assessed = filled.process(["assess"], input=b"flu \xff clinic\n", stdout=subprocess.PIPE)
    assert (assessed.stdout, assessed.stderr) == (b"clear\tclear\n", b"")


def test_characters_that_the_terminal_cannot_show_are_replaced(filled: Citewell) -> None:
    shown = filled.process(["ask", OPEN], stdout=subprocess.PIPE, env={"PYTHONIOENCODING": "latin-1"})
    assert (shown.returncode, shown.stderr) == (0, b"")
    assert b"?The flu clinic is open" in shown.stdout


def test_json_loses_no_character_where_the_terminal_cannot_show_it(filled: Citewell) -> None:
    (filled.documents / "cafe.md").write_text("# Café\n\nThe café serves lunch from noon to 2 pm.\n", encoding="utf-8")
    filled("ingest", str(filled.documents))
    shown = filled.process(
        ["ask", "When does the café serve lunch?", "--json"], stdout=subprocess.PIPE, env={"PYTHONIOENCODING": "ascii"}
    )
    assert "café" in json.loads(shown.stdout)["text"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", [["ask", OPEN], ["search", "flu", "--json"], ["--help"]])
def test_a_full_disk_behind_standard_output_is_one_line(filled: Citewell, arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = filled.process(arguments, stdout=full)
    assert done.returncode == 1
    assert done.stderr.count(b"\n") == 1
    assert b"No space left" in done.stderr


def test_a_closed_standard_output_is_one_line(filled: Citewell) -> None:
    done = filled.process(["ask", OPEN], preexec_fn=lambda: os.close(1))
    assert done.returncode == 1
    assert done.stderr == b"citewell: cannot write to standard output: it is closed\n"


def test_a_reader_that_goes_away_ends_it_quietly(filled: Citewell) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = filled.process(["ask", OPEN], stdout=writing)
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, b"")
