"""A figure goes with the words that it has in the evidence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.company import out_of_company

GROUPS = "Adults: 1 g of paracetamol. Children: 250 mg of paracetamol."
HOURS = "The clinic opens on Monday from 9 am to 5 pm and on Friday from 10 am to 2 pm."
AGES = "The dose is 60 mg for babies of 3 months, 120 mg at 6 months and 250 mg at 6 years."
GOES_ON = "Adults should take 10 mg a day and children 5 mg a day."
CALLS = "Call 01632 960 144 for bookings and 01632 960 145 for results."


@pytest.mark.parametrize(
    ("statement", "evidence"),
    [
        ("The dose of paracetamol for children is 1 g.", GROUPS),
        ("The dose of paracetamol for children is 1000 mg.", GROUPS),
        ("For children it is 1 g of paracetamol and for adults 250 mg.", GROUPS),
        ("On Friday the clinic opens from 9 am to 5 pm.", HOURS),
        ("The dose for babies of 3 months is 250 mg.", AGES),
        ("Children should take 10 mg a day.", GOES_ON),
        ("Adults should take 5 mg a day.", GOES_ON),
        ("For results call 01632 960 144.", CALLS),
        ("Type 2 diabetes needs insulin.", "Type 1 diabetes needs insulin; type 2 diabetes may not."),
        ("Methotrexate is taken once a day.", "Methotrexate is taken once a week. Folic acid is taken daily."),
    ],
)
def test_a_figure_of_another_group_is_found_however_it_is_worded(statement: str, evidence: str) -> None:
    assert out_of_company(statement, evidence)


@pytest.mark.parametrize(
    ("statement", "evidence"),
    [
        ("Children can have 250 mg of paracetamol.", GROUPS),
        ("The paracetamol dose for adults is 1 g and for children it is 250 mg.", GROUPS),
        ("It is open 9 am to 5 pm on Mondays, and 10 am to 2 pm on Fridays.", HOURS),
        ("At 6 years the dose is 250 mg.", AGES),
        ("The daily dose that children should take is 5 mg.", GOES_ON),
        ("Babies have it at 8, 12 and 16 weeks.", "The first dose is at 8 weeks, one at 12 weeks and one at 16 weeks."),
        ("On Mondays, 9 am to 12 noon and 1 pm to 5 pm.", "Open 9 am to 12 noon and 1 pm to 5 pm on Mondays."),
        ("Symptoms can take up to 10 days to appear.", "Symptoms appear after 3 days, but can take up to 10 days."),
        ("Take 4 doses of it in 24 hours.", "Take it every 6 hours. Do not take more than 4 doses in 24 hours."),
        ("They last five days.", "Symptoms start after 2 days and last for 5 days."),
        ("It takes 4 weeks.", "It takes 2 or 4 weeks."),
        ("No figure at all.", GROUPS),
    ],
)
def test_a_figure_in_other_words_of_its_own_group_is_none(statement: str, evidence: str) -> None:
    assert not out_of_company(statement, evidence)


PARTS = ["adults take 5 mg", "children take 10 mg a day", "stage I", "stage II", "(n = 44)", "on Monday", "it helps"]


@given(st.lists(st.sampled_from(PARTS), max_size=8), st.sampled_from([" and ", ", ", ". ", "; ", ".\n", "\n"]))
def test_nothing_in_a_text_is_out_of_its_company_there(parts: list[str], mark: str) -> None:
    assert not out_of_company(mark.join(parts), mark.join(parts))
