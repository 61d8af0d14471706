"""Figures are compared by what they say, not by how they are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.quantities import quantities, unborne


@pytest.mark.parametrize(
    ("statement", "evidence"),
    [
        ("Take 5 mg.", "a dose of 5 milligrams"),
        ("It takes two weeks.", "It takes 2 weeks"),
        ("It takes 2 to 4 weeks.", "for two to four weeks"),
        ("It takes 2-4 weeks.", "for 2 \u2013 4 weeks"),
        ("Open from 9 am to 5 pm.", "open 09:00-17:00"),
        ("Open until noon.", "until 12 noon"),
        ("Half, that is 50%.", "50 per cent of people"),
        ("A fever of 38\u00b0C.", "38 degrees Celsius"),
        ("1000 people", "1,000 people"),
        ("Twice daily.", "twice a day"),
        ("At most 20 MME/day.", "no more than 20 MME per day"),
        ("On Tuesdays.", "every Tuesday"),
        ("From 1 October 2026.", "from October 1, 2026"),
        ("COVID-19 and IL6", "covid-19, IL-6"),
        ("One of them helps.", "some of them help"),
        ("It may help.", "it can help"),
        ("Five visitors", "5 visitors may come"),
        ("Half a tablet", "\u00bd tablet"),
        ("1\u00bd cups", "1 1/2 cups"),
        ("One and a half cups", "1.5 cups"),
        ("50% of people", "half the people"),
        ("Two thirds of them", "2/3 of them"),
        ("Children aged 5", "children 5 years old"),
        ("Aged 65 and over", "65 years of age or older"),
        ("At least 65 years", "65 years and older"),
        ("Up to 4 weeks", "2 to 4 weeks"),
        ("A maximum of 20 mg", "no more than 20 mg"),
        ("Stage 3", "stage III"),
        ("One in five people", "1 in every 5 people"),
        ("In 2010", "from 2010 to 2014"),
        ("May cause pain", "it may cause pain"),
        ("100.4 F", "100.4\u00b0F"),
        ("By mouth", "taken orally"),
        ("10\u00a0000 people", "10,000 people"),
        ("One hundred fifty-four women", "154 women"),
        ("Four times daily", "4 times a day"),
        ("Two times each day", "twice a day"),
        ("Once a day", "daily"),
        ("5 mg/kg", "5 mg for each kilogram"),
        ("Into your muscle", "intramuscularly"),
        ("A tablet daily", "one tablet a day"),
        ("Take a tablet", "take the tablet"),
        ("It takes several days", "it can take a few days"),
        ("The hours are 9 am to 5 pm", "open 9 am to 5 pm"),
        ("For days", "for 10 days"),
        ("1 g", "1000 mg"),
        ("14 days", "two weeks"),
        ("25% of people", "1 in 4 people"),
        ("A quarter of people", "1 in 4 people"),
        ("Between 6 and 12 years", "aged 6 to 12"),
        ("Monday-Friday", "Monday to Friday"),
        ("The maximum dose is 40 mg", "it must not exceed 40 mg"),
        ("Not for children under 16", "children under 16 must not have it"),
    ],
)
def test_the_same_figure_is_borne_however_it_is_written(statement: str, evidence: str) -> None:
    assert unborne(statement, evidence) == ()


@pytest.mark.parametrize(
    ("statement", "evidence"),
    [
        ("Take 5 mg.", "take 0.5 mg"),
        ("Take 5 mg.", "take 5 mcg"),
        ("Take 5 mg.", "take 5 mg/kg"),
        ("Take 5 g.", "take 5 mg"),
        ("Two to four.", "24 of them"),
        ("It takes 2 to 4 weeks.", "2 visitors for 4 weeks"),
        ("It takes 3 weeks.", "It takes 2 weeks"),
        ("It takes 2 days.", "It takes 2 weeks"),
        ("Open until 5 am.", "open until 5 pm"),
        ("50% of people", "15% of people"),
        ("1,000 people", "1,001 people"),
        ("Twice daily.", "once daily"),
        ("Weekly.", "daily"),
        ("On Wednesday.", "on Tuesday"),
        ("In March 2026.", "in April 2026"),
        ("Code E11.8", "code E11.9"),
        ("COVID-19", "COVID"),
        ("Type 1 diabetes", "type 2 diabetes"),
        ("It costs \u00a35.", "it costs \u00a350"),
        ("1.5 million", "1.5 thousand"),
        ("One day.", "two days"),
        ("Take 1/2 tablet.", "take 1 or 2 tablets"),
        ("Take \u00bd tablet.", "take 2 tablets"),
        ("Half of them", "a third of them"),
        ("10-20 ml", "10 20 ml"),
        ("2 weeks", "2 to 4 weeks"),
        ("4 weeks", "between 2 and 4 weeks"),
        ("Every 6 hours", "6 times a day"),
        ("Every 6 hours", "for 6 hours"),
        ("38\u00b0C", "38\u00b0F"),
        ("12 May", "5 December"),
        ("Less than 5 mg", "more than 5 mg"),
        ("At least 5 mg", "at most 5 mg"),
        ("5 mg", "up to 5 mg"),
        ("Up to 5 mg", "5 mg"),
        ("Under 5 years", "over 5 years"),
        ("5 or older", "5 or younger"),
        ("65", "65+"),
        ("p < 0.05", "p > 0.05"),
        ("1.000 people", "1,000 people"),
        ("20\u00b0C", "-20\u00b0C"),
        ("10\u2077 cells", "10\u2076 cells"),
        ("1 in 50", "1 in 5"),
        ("5", "1 in 5"),
        ("The third dose", "the second dose"),
        ("Stage II", "stage III"),
        ("10 days", "10 patients for 5 days"),
        ("Millions", "thousands"),
        ("120/80 mmHg", "120/90 mmHg"),
        ("12/05/2026", "05/12/2026"),
        ("250 mg/5 l", "250 mg/5 ml"),
        ("50 of them", "50% of them"),
        ("Take 5 packets.", "take 5 mg"),
        ("Intravenously", "by mouth"),
        ("Ring 1-800-555-0199", "ring 1-800-555-0100"),
        ("Write to a@evil.example", "write to a@leaflet.example"),
        ("2 tablets a day", "2 tablets 4 times a day"),
        ("20 mg weekly", "20 mg twice weekly"),
        ("Once", "once a year"),
        ("At most twice a day", "twice a day"),
        ("5 mg", "5 mg per kg"),
        ("A tablet", "half a tablet"),
        ("A tablet", "a quarter of a tablet"),
        ("A tablet", "2 tablets"),
        ("Several tablets", "2 tablets"),
        ("\u216b tablets", "2 tablets"),
        ("\u246b tablets", "2 tablets"),
        ("For many days", "for many years"),
        ("Within weeks", "within hours"),
        ("It takes days", "it takes hours"),
        ("Into the vein", "into the muscle"),
        ("Into the ear", "into the eye"),
        ("Monday to Friday", "Mondays and Fridays"),
        ("October to March", "in October and March"),
        ("1 g", "1 mg"),
        ("At least 16", "do not give it under 16"),
        ("Of at least 6 months", "not for babies younger than 6 months"),
        ("At least 6 months", "do not give babies younger than 6 months honey"),
        ("Up to 65", "do not give this to people over 65"),
        ("The dose is 40 mg", "the maximum dose is 40 mg"),
    ],
)
def test_another_figure_is_not_borne(statement: str, evidence: str) -> None:
    assert unborne(statement, evidence)


@given(st.text())
def test_every_text_bears_its_own_figures(text: str) -> None:
    assert unborne(text, text) == ()


@given(st.integers(1, 10**9), st.integers(1, 10**9), st.sampled_from(["mg", "ml", "%", "weeks", ""]))
def test_two_numbers_are_told_apart(first: int, second: int, unit: str) -> None:
    assert bool(unborne(f"it is {first} {unit}", f"it is {second} {unit}")) == (first != second)


def test_one_is_a_number_only_with_a_unit() -> None:
    assert quantities("one of these") == frozenset()
    assert {str(quantity) for quantity in quantities("one or two days")} == {"1 d", "2 d"}
