"""A quote is read with what it was cut from."""

from __future__ import annotations

import pytest

from bot.answer import Fact, Sentence
from bot.reading import reading
from bot.verify import verify
from tests.bot.evidence import evidence, hit

LIST = "Do not take it if you:\n\n- are pregnant\n- take 5 mg of warfarin"
TABLE = "| Ward | Hours | Days |\n|---|---|---|\n| Rowan | 2 to 4 | 28 |"
DOSES = (
    "| Drug | Dose (mg) | Times a day | Days |\n|---|---|---|---|\n"
    "| Amoxicillin | 500 | 3 | 7 |\n| Doxycycline | 100 | 2 | 5 |"
)
BOTH = DOSES[DOSES.index("| Amox") :]
AMOXICILLIN = BOTH.splitlines()[0]
CUT = "Do not stop taking it at once. It helps."


def shown(text: str, quote: str, raw: str, headings: tuple[str, ...] = ()) -> bool:
    """Whether a draft of this one sentence is shown."""
    draft = Fact((Sentence(text, "doc1#1", quote),))
    return bool(verify(draft, evidence(hit(raw, headings=headings))).statements)


def test_a_quote_reads_as_whole_sentences_below_what_introduces_them() -> None:
    read = reading(hit(LIST, headings=("Warnings",)), (LIST.index("are"), LIST.index("pregnant")))
    assert read.said == ("- are pregnant",)
    assert read.leads == ("Do not take it if you:", "Warnings")
    assert read.joined == ("Warnings: Do not take it if you are pregnant",)


@pytest.mark.parametrize(
    ("text", "quote", "raw"),
    [
        ("Stop taking it at once.", "stop taking it at once", CUT),
        ("You can take it if you are pregnant.", "are pregnant", LIST),
        ("It is taken by people who are pregnant.", "- are pregnant", LIST),
        ("Pregnant women can have it.", "are pregnant", LIST),
        ("It is below 5 degrees.", "5 degrees", "It is never below -5 degrees."),
        ("It takes 4 weeks.", "4 weeks", "It takes 2 to 4 weeks."),
        ("It takes 5 days.", "5 days", "It takes more than 5 days."),
    ],
)
def test_a_quote_cannot_be_cut_into_its_opposite(text: str, quote: str, raw: str) -> None:
    assert not shown(text, quote, raw)


@pytest.mark.parametrize(
    ("text", "quote", "raw"),
    [
        ("Do not take it if you are pregnant.", "- are pregnant", LIST),
        ("- are pregnant", "- are pregnant", LIST),
        ("Do not stop taking it at once.", "stop taking it at once", CUT),
        ("Rowan has 28 days.", "Rowan | 2 to 4 | 28", TABLE),
    ],
)
def test_what_the_cut_quote_says_in_its_place_is_shown(text: str, quote: str, raw: str) -> None:
    assert shown(text, quote, raw)


def test_a_heading_that_says_no_is_not_lost() -> None:
    headings = ("Who should not have it",)
    raw = "- children under 2\n- pregnant women"
    assert shown("Children under 2 should not have it.", "children under 2", raw, headings)
    assert not shown("Children under 2 can have it.", "children under 2", raw, headings)


@pytest.mark.parametrize(
    ("above", "leads"),
    [
        ("**Do not take it at night.**", ()),
        ("Do not take it at night. ", ()),
        ("Do not take it if (see below)", ("Do not take it if (see below)",)),
        ("Do not take it if you:", ("Do not take it if you:",)),
    ],
)
def test_a_sentence_that_is_ended_introduces_no_list(above: str, leads: tuple[str, ...]) -> None:
    raw = f"{above}\n\n- adults take 5 mg"
    assert reading(hit(raw), (raw.index("adults"), len(raw))).leads == leads


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("Amoxicillin: 500 mg, 3 times a day, for 7 days.", AMOXICILLIN),
        ("Drug: Amoxicillin, Dose (mg): 500, Times a day: 3, Days: 7", AMOXICILLIN),
        ("The amoxicillin dose is 500 mg three times daily.", BOTH),
        ("The doxycycline dose is 100 mg.", BOTH),
    ],
)
def test_a_rows_figures_are_in_what_their_columns_count(text: str, quote: str) -> None:
    assert shown(text, quote, DOSES)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("The amoxicillin dose is 3 mg.", AMOXICILLIN),
        ("Amoxicillin is taken 7 times a day.", AMOXICILLIN),
        ("Amoxicillin: 500 mg, 7 times a day, for 3 days.", AMOXICILLIN),
        ("Drug: Amoxicillin, Dose (mg): 3", AMOXICILLIN),
        ("The doxycycline dose is 500 mg.", BOTH),
        ("Doxycycline: 500 mg, 3 times a day.", BOTH),
    ],
)
def test_a_figure_of_another_column_or_row_is_not_shown(text: str, quote: str) -> None:
    assert not shown(text, quote, DOSES)
