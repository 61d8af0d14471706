"""An organisation's own people, from its file."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

import pytest

from bot.crisis import crisis_reply_text, lines_for
from bot.errors import Misconfigured
from bot.messages import Resource, TurnKind
from bot.own_people import own_people
from bot.safety import SelfHarm
from bot.wording import wording
from tests.bot.engine import bench, said

if TYPE_CHECKING:
    from pathlib import Path

TODAY = date(2026, 11, 30)
FILE = """
[[people]]
name = "Occupational health"
phone = "01632 960 100"
hours = "Monday to Friday, 8 am to 6 pm"
url = "https://larkfield.example/wellbeing"
review_by = 2027-05-31

[[people]]
name = "On-call counsellor"
phone = "01632 960 199"
review_by = 2027-05-31
"""
WELLBEING = Resource(
    "Occupational health",
    phone="01632 960 100",
    url="https://larkfield.example/wellbeing",
    hours="Monday to Friday, 8 am to 6 pm",
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "people.toml"
    path.write_text(FILE, encoding="utf-8")
    return path


def test_they_are_read_in_the_files_order(file: Path) -> None:
    assert own_people(file, today=TODAY) == (WELLBEING, Resource("On-call counsellor", phone="01632 960 199"))


@pytest.mark.parametrize("country", ["GB", "KZ", None])
def test_they_come_before_all_lines_wherever_the_person_is(file: Path, country: str | None) -> None:
    people = own_people(file, today=TODAY)
    lines, without = lines_for(country, people=people), lines_for(country)
    assert lines.resources == (*people, *without.resources)
    text = crisis_reply_text(SelfHarm("self.die.en"), lines, wording().crisis)
    names = [text.index(one.name) for one in lines.resources]
    assert names == sorted(names)


async def test_they_stand_in_the_reply_and_beside_an_answer(file: Path) -> None:
    b = await bench()
    engine = replace(b.engine, settings=replace(b.engine.settings, people=own_people(file, today=TODAY)))
    crisis = await engine.respond(said("I want to kill myself"))
    assert (crisis.kind, crisis.resources[0]) == (TurnKind.CRISIS, WELLBEING)
    assert crisis.text.index("Occupational health") < crisis.text.index("116 123")
    about = await engine.respond(said("What are the signs of suicide in teenagers?"))
    assert about.resources[0] == WELLBEING


def test_who_is_past_the_review_date_is_still_shown_and_named_in_the_log(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert own_people(file, today=date(2027, 5, 31))
    assert caplog.text == ""
    assert len(own_people(file, today=date(2027, 6, 1))) == 2
    assert "On-call counsellor is past its review date 2027-05-31" in caplog.text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "people"),
        ("people = []", "people"),
        ("[[people", "TOML"),
        ('[[people]]\nname = "X"\nphone = "1"\nreview_by = 2027-01-01\n' * 4, "people"),
        ('[[people]]\nname = "X"\nreview_by = 2027-01-01\n', "phone"),
        ('[[people]]\nname = "X"\nphone = "ask reception"\nreview_by = 2027-01-01\n', "phone"),
        ('[[people]]\nname = "X"\nurl = "http://x.example"\nreview_by = 2027-01-01\n', "url"),
        ('[[people]]\nname = "X"\nphone = "1"\n', "review_by"),
    ],
)
def test_a_fault_says_what_to_mend(file: Path, text: str, said: str) -> None:
    file.write_text(text, encoding="utf-8")
    with pytest.raises(Misconfigured, match=f"CITEWELL_OWN_PEOPLE.*(?s:.*){said}"):
        own_people(file, today=TODAY)


def test_a_file_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="CITEWELL_OWN_PEOPLE"):
        own_people(tmp_path / "none.toml", today=TODAY)
