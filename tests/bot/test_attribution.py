"""A source that the document does not name is not named."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.attribution import names_another, without_attribution


@pytest.mark.parametrize(
    "text",
    [
        "According to the BMJ, it opens at 9.",
        "According to (BMJ 2019), it opens at 9.",
        "According to a recent study, it opens at 9.",
        "It opens at 9, according to the WHO.",
        "It opens at 9 (Smith et al., 2019).",
        "It opens at 9 [Smith et al.].",
        "It opens at 9 (BMJ, 2019).",
        "As the CDC says, it opens at 9.",
        "The CDC says: it opens at 9.",
        "Per the CDC, it opens at 9.",
        "Based on NHS guidance, it opens at 9.",
        "Studies show that it opens at 9.",
        "Harvard researchers have found that it opens at 9.",
        "It opens at 9, says Dr Smith.",
        "It opens at 9, as the CDC says.",
        "It opens at 9 (Mayo Clinic).",
        "It opens at 9 (WHO guideline).",
        "It opens at 9 [WHO].",
        "It opens at 9[a].",
    ],
)
def test_a_made_up_source_is_taken_out(text: str) -> None:
    assert without_attribution(text, "It opens at 9.") == "It opens at 9."


def test_a_source_behind_a_dash_is_taken_out() -> None:
    assert without_attribution("It opens at 9 \u2013 NHS England", "It opens at 9.") == "It opens at 9"


@pytest.mark.parametrize(
    ("text", "another"),
    [
        ("You can take Tylenol too.", True),
        ("Ask the WHO who opens.", True),
        ("You can take aspirin on Tuesday.", False),
        ("Tylenol helps.", False),
        ("You can take Aspirin, or ask a GP.", False),
    ],
)
def test_a_name_that_the_evidence_has_nowhere_is_another(text: str, another: bool) -> None:
    assert names_another(text, "Take aspirin. Ask who opens.") is another


def test_a_raised_note_number_goes_and_a_power_stays() -> None:
    assert without_attribution("It always opens.\u00b9", "It always opens.") == "It always opens."
    assert without_attribution("It has 5 m\u00b2.", "") == "It has 5 m\u00b2."


@pytest.mark.parametrize(
    "text",
    [
        "According to the CDC, it opens at 9 (Smith et al., 2019).",
        "It opens at 9, according to the leaflet.",
    ],
)
def test_what_the_document_says_of_its_sources_stays(text: str) -> None:
    assert without_attribution(text, text) == text


@pytest.mark.parametrize(
    "text",
    [
        "According to your age, take 5 mg.",
        "Your doctor says that it opens.",
        "It opens (see below).",
        "It opens (at 9).",
    ],
)
def test_what_is_no_source_stays(text: str) -> None:
    assert without_attribution(text, "") == text


@given(
    st.lists(
        st.sampled_from(["It opens", " (Li, 2019)", ", according to Li", ".", " [Li et al.]", "According to Li, "])
    )
)
def test_a_second_time_changes_nothing(parts: list[str]) -> None:
    once = without_attribution("".join(parts), "It opens.")
    assert without_attribution(once, "It opens.") in {once, once[:1].upper() + once[1:]} or "ccording" in once
