"""Everyday words, numbers and forms of words in questions: what would be a wrong value is silence, or is asked back."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import pytest

from bot.lookup_choice import Chosen, choose
from bot.lookup_vocabulary import capitals, forms, tokens
from tests.adapters.lookup_tables import table

if TYPE_CHECKING:
    from pathlib import Path

    from bot.lookup_choice import Choice

TODAY = date(2026, 11, 30)  # a Monday
BEDS = """ward,beds,occupied,closed beds,booking office
Ward 1,21,11,1,Office K
Ward 2,22,12,2,Office L
Ward 3,23,13,3,Office M
"""
NAMES = """name,extension
Will,4401
May,4402
Mark,4403
Thomson,4404
Robert,4406
IT,4407
A,4408
Blankets,4409
"""
ROOMS = """room,chairs
1,31
2,32
3,33
12,34
"""
SHIFTS = """shift,day,nurse,handover,desk
day,Monday,Noor,08:00-08:30,Desk K
night,Monday,Olsen,20:00-20:30,Desk L
am,Friday,Patel,none,Desk M
pm,Friday,Quist,none,Desk N
"""
LEAVE = """who,days left
ann,12
"""


@pytest.fixture
def chosen(tmp_path: Path):  # type: ignore[no-untyped-def]
    columns = {
        "beds": {"type": "integer"},
        "occupied": {"type": "integer"},
        "office": {"header": "booking office", "label": "booking office"},
    }
    closed = {"header": "closed beds", "type": "integer", "synonyms": ["closes"]}
    tables = [
        table(tmp_path, "hours"),
        table(
            tmp_path,
            "stock",
            BEDS,
            title="Bed list",
            keys=["ward"],
            columns={"ward": {}, **columns, "closed_beds": closed},
        ),
        table(tmp_path, "leave", LEAVE),
    ]
    for name, text, key, rest in (
        ("names", NAMES, "name", {"extension": {"type": "integer"}}),
        ("rooms", ROOMS, "room", {"chairs": {"type": "integer"}}),
    ):
        tables.append(_own(tmp_path, name, text, keys=[key], columns={key: {}, **rest}))
    days = {"shift": {}, "day": {"type": "weekday"}, "nurse": {"synonyms": ["on duty"]}, "handover": {}, "desk": {}}
    tables.append(_own(tmp_path, "shifts", SHIFTS, keys=["shift", "day"], required=["day"], columns=days))

    def read(question: str) -> Choice | None:
        return choose(question, [(one, one.vocabulary()) for one in tables], TODAY)

    yield read
    for one in tables:
        one.close()


def _own(folder: Path, name: str, text: str, **declared: object):  # type: ignore[no-untyped-def]
    from adapters.lookups.settings import TableSettings
    from adapters.lookups.table import Table

    (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    settings = TableSettings.model_validate({"file": f"{name}.csv", "title": name.capitalize(), **declared})
    return Table(name, settings, folder)


@pytest.mark.parametrize(
    "question",
    [
        "How many beds do we need on Ward 3?",
        "How many beds should Ward 3 have?",
        "How many beds will Ward 3 have?",
        "What number of beds would Ward 3 get?",
        "How many beds are used on Ward 3?",
        "Who called the Ward 3 booking office?",
        "Who can use the Ward 3 booking office?",
        "Should I call the booking office of Ward 3?",
        "How many beds lost on Ward 3?",  # no slip for "list"
        "Who is the booking officer of Ward 3?",
        "What is the occupancy of Ward 3?",
        "Is the bedding on Ward 3 occupied?",
        "When is Northgate closed on Friday?",
        "When is Northgate opened on Friday?",
        "When does Northgate open Monday to Friday?",
        "When does Northgate open Mon-Fri?",
        "How many chairs in rooms 1 to 3?",
        "How many chairs in rooms 1-3?",
        "Are there 2 chairs in room 3?",
        "Which room has 12 chairs?",
        "How many chairs in room 3 at 12?",
        "How many chairs in room 3.2?",
        "Which room has chairs 3?",
        "What is the extension of Roberts?",
        "What is the extension of Marks?",
        "Is there a 4401 extension?",
        "Do they have a free extension?",
        "Tell me how many days they have left",
        "Tell me how many days left we have",
        "How many days left have you for me?",
        "Tell me the days left",
        "How should the beds of Ward 3 be?",
        "Who is the nurse by Friday?",
        "Who is the nurse from today to Friday?",
        "Is there an extension for a day?",
        "Would I have days left?",
        "Who is day shift Monday?",
        "I am in on Friday, who is the nurse?",
        "When is the Monday desk?",
        "How many beds on Ward 3 has the booking office?",
    ],
)
def test_what_asks_something_else_gets_no_value(chosen, question) -> None:  # type: ignore[no-untyped-def]
    assert not isinstance(chosen(question), Chosen)


@pytest.mark.parametrize(
    ("question", "keys"),
    [
        ("How many beds does Ward 3 have, can you tell me?", {"ward": ["Ward 3"]}),
        ("Which booking office do I use for Ward 3?", {"ward": ["Ward 3"]}),
        ("What is Will's extension?", {"name": ["Will"]}),
        ("extension of will", {"name": ["Will"]}),
        ("Will you tell me the extension of Mark?", {"name": ["Mark"]}),
        ("May I have the extension of Mark?", {"name": ["Mark"]}),
        ("What's May's extension?", {"name": ["May"]}),
        ("Does it have an extension, IT?", {"name": ["IT"]}),
        ("Is there an extension for a Mark?", {"name": ["Mark"]}),
        ("extension of A", {"name": ["A"]}),
        ("Who is the nurse today?", {"day": ["Monday"]}),
        ("Which booking office should I use for Ward 3?", {"ward": ["Ward 3"]}),
        ("I would like to know the extension of Mark", {"name": ["Mark"]}),
        ("extension name a", {"name": ["A"]}),
        ("Which name a extension?", {}),
        ("extension of blanket", {"name": ["Blankets"]}),
        ("How many chairs are in room 12?", {"room": ["12"]}),
        ("chairs in rooms 2 and 3", {"room": ["2", "3"]}),
        ("Who is the nurse on Monday, day shift?", {"day": ["Monday"], "shift": ["day"]}),
        ("When is the Monday handover?", {"day": ["Monday"]}),
        ("Do you know how many days left I have?", {}),
    ],
)
def test_everyday_words_and_numbers_are_values_where_they_are_meant_so(chosen, question, keys) -> None:  # type: ignore[no-untyped-def]
    choice = chosen(question)
    assert isinstance(choice, Chosen)
    assert choice.keys == keys


def test_a_second_number_that_is_none_of_a_list_is_not_asked_back_as_a_key(chosen) -> None:  # type: ignore[no-untyped-def]
    assert chosen("How many chairs in room 3 at 12?") is None


@pytest.mark.parametrize(
    ("question", "taken"),
    [
        ("extension of Thompson", {"thompson": "Thomson"}),
        ("extension of roberts", {"roberts": "Robert"}),
        ("extension of Mark", {}),
    ],
)
def test_what_was_taken_for_another_name_is_known(chosen, question, taken) -> None:  # type: ignore[no-untyped-def]
    choice = chosen(question)
    assert isinstance(choice, Chosen)
    assert choice.taken == taken


def test_a_column_is_named_though_the_table_is_called_by_several_of_it(tmp_path: Path) -> None:
    columns = {"service": {}, "price": {"type": "number"}, "tax": {"type": "number"}}
    one = _own(tmp_path, "prices", "service,price,tax\nScan,512,7\n", keys=["service"], columns=columns)
    choice = choose("price and tax of a scan", [(one, one.vocabulary())], TODAY)
    assert isinstance(choice, Chosen)
    assert choice.columns == ("price", "tax")
    one.close()


def test_forms_are_one_several_and_what_is_being_done_and_nothing_wider() -> None:
    for word, other in (("bed", "beds"), ("opening", "opens"), ("closing", "closes"), ("deliveries", "delivery")):
        assert other in forms(word)
    for word, other in (("officer", "office"), ("closed", "closes"), ("bedding", "bed"), ("orders", "ordered")):
        assert other not in forms(word)


def test_units_decimals_and_stretches_are_words_of_their_own() -> None:
    assert tokens("5mg") == ["5", "mg"]
    assert tokens("0.5 mg.") == ["0.5", "mg"]
    assert tokens("3-5") == tokens("3 to 5")
    assert tokens("2026-12-04") == ["2026", "12", "04"]
    assert tokens("Sat–Sun") == ["sat", "to", "sun"]


def test_capitals_that_begin_a_sentence_say_nothing() -> None:
    assert capitals("Is it IT? Will you ask Mark") == {"it", "mark"}
    assert capitals("WHO IS ON CALL FOR IT") == frozenset()
