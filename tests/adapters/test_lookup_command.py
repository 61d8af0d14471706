"""`citewell lookups`, and the demo's tables, as a person at a terminal meets them."""

from __future__ import annotations

import asyncio
import json
import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

from click.testing import CliRunner

from adapters.cli import main
from adapters.home_settings import HOME_FILE
from adapters.lookups import settings
from tests.adapters.lookup_functions import ROTA
from tests.adapters.lookup_tables import STOCK
from tests.doubles.service import ServiceDouble

if TYPE_CHECKING:
    from click.testing import Result

DECLARED = """
[lookups.stock]
answers = "How many doses are left"
file = "stock.csv"
title = "Stock"
owner = "Pharmacy"
as_of = 2026-11-02
keys = ["vaccine"]
[lookups.stock.columns]
vaccine = {}
doses_left = { type = "integer", header = "doses left" }
"""
KINDS = """
[lookups.beds]
answers = "How many beds are free"
url = "{url}/wards/{{ward}}"
title = "Beds"
keys = ["ward"]
columns.ward = {{ values = ["Ward 1", "Ward 2"] }}
columns.free = {{ type = "integer", header = "freeBeds", label = "free beds" }}
[lookups.on_call]
module = "rota.py"
title = "On-call rota"
"""


def citewell(home: Path, *arguments: str, stdin: str = "") -> Result:
    given = {"CITEWELL_HOME": str(home), "CITEWELL_EMBEDDER": "none"}
    return CliRunner().invoke(main, arguments, input=stdin, env=given)


def declared(home: Path, text: str = DECLARED) -> None:
    home.mkdir()
    (home / HOME_FILE).write_text(text)
    (home / "stock.csv").write_text(STOCK)


def test_it_lists_what_is_declared_and_tries_one(tmp_path: Path) -> None:
    declared(home := tmp_path / "home")
    listed = citewell(home, "lookups", "--json")
    [row] = json.loads(listed.stdout)["lookups"]
    assert (row["name"], row["keys"], row["fault"]) == ("stock", ["vaccine"], "")
    tried = citewell(home, "lookups", "Doses left of MMR?")
    assert "MMR – doses left: 12. [1]\nAs of 2 November 2026." in tried.stdout
    found = json.loads(citewell(home, "lookups", "Doses left of MMR?", "--json").stdout)
    assert (found["outcome"], found["lookup"], found["rows"]) == ("Given", "stock", 1)


async def test_it_lists_and_tries_every_kind(tmp_path: Path) -> None:
    declared(home := tmp_path / "home")
    async with ServiceDouble({"freeBeds": 3}) as service:
        (home / HOME_FILE).write_text(DECLARED + KINDS.format(url=service.url))
        (home / "rota.py").write_text(ROTA)
        listed = await asyncio.to_thread(citewell, home, "lookups")
        for line in (
            "stock (table): How many doses are left\n  by vaccine; for public; 4 values of keys",
            "beds (service): How many beds are free\n  by ward; for public; 2 values of keys",
            "on_call (function): Who is on call on a ward on a day\n  by ward, day; for public; 2 values of keys",
        ):
            assert line in listed.stdout
        for question, answer in (
            ("How many free beds on Ward 1?", "Ward 1 – free beds: 3."),
            ("Who is the registrar on Ward 1?", "Ward 1 – registrar: Dr Osei."),
        ):
            assert answer in (await asyncio.to_thread(citewell, home, "lookups", question)).stdout
        service.status = 500
        tried = await asyncio.to_thread(citewell, home, "lookups", "How many free beds on Ward 1?")
    assert "I could not read that in “Beds”" in tried.stdout


def test_what_is_wrong_is_said_and_exits_with_1(tmp_path: Path) -> None:
    declared(home := tmp_path / "home")
    (home / "stock.csv").write_text("vaccine\nMMR\n")
    listed = citewell(home, "lookups")
    assert listed.exit_code == 1
    assert "has no column doses left" in listed.stdout


def test_a_faulty_declaration_names_its_line(tmp_path: Path) -> None:
    declared(home := tmp_path / "home", DECLARED.replace('keys = ["vaccine"]', 'keys = ["vacine"]'))
    said = citewell(home, "lookups")
    assert said.exit_code == 1
    assert "stock: keys: vacine is no column under columns" in said.stderr


def test_a_question_is_answered_from_the_table(tmp_path: Path) -> None:
    declared(home := tmp_path / "home")
    reply = json.loads(citewell(home, "ask", "Doses left of MMR?", "--json").stdout)
    assert (reply["kind"], reply["text"]) == ("fact", "MMR – doses left: 12. [1]\nAs of 2 November 2026.")
    assert reply["sources"][0]["quote"] == "vaccine: MMR; doses left: 12 (kept by Pharmacy)"


def test_the_demo_answers_from_its_two_tables_and_shows_the_row(tmp_path: Path) -> None:
    asked = "When does Mill Lane close on Friday?\nHow many doses of Flu are left at Castle Road?\nsources\n"
    said = citewell(tmp_path / "home", "demo", stdin=asked).stdout
    assert "Mill Lane is open on Friday from 09:00 to 15:30." in said
    assert "Flu, Castle Road – doses left: 7." in said
    assert "“vaccine: Flu; branch: Castle Road; doses left: 7; next delivery: 2026-12-08" in said


def test_the_examples_in_the_docs_can_be_declared_and_take_ten_lines() -> None:
    text = (Path(__file__).resolve().parents[2] / "docs" / "lookups.md").read_text(encoding="utf-8")
    examples = re.findall(r"```(toml|python)\n(.*?)```", text, re.DOTALL)
    for language, example in examples:
        assert len([line for line in example.splitlines() if line]) <= 10
        if language == "toml":
            assert settings.declared(tomllib.loads(example)["lookups"])
    assert [language for language, _ in examples] == ["toml", "toml", "toml", "toml", "python", "toml"]
