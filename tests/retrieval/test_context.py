"""What places a passage in its document: which of it a model wrote, and which of that is let in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.context import LONGEST_SENTENCE, checked_sentence
from retrieval.document import Passage

SENTENCE = "In the clinic's flu leaflet: who can have the vaccine below 5 °C or at <5 mg/l."


def passage(context: str) -> Passage:
    return Passage("a#1", "a", 1, "Raw text.", context, (), (0, 9))


@pytest.mark.parametrize("about", ["", "From “Flu”, under Who can come."])
def test_a_sentence_stands_behind_title_and_headings_and_in_place_of_another(about: str) -> None:
    placed = passage(about).with_sentence("Old.").with_sentence(SENTENCE)
    assert (placed.about, placed.sentence, placed.text) == (about, SENTENCE, "Raw text.")


def test_what_is_embedded_is_the_sentence_or_else_title_and_headings_then_the_text() -> None:
    assert passage("").search_text == "Raw text."
    assert passage("From “Flu”.").search_text == "From “Flu”.\nRaw text."
    assert passage("From “Flu”.").with_sentence(SENTENCE).search_text == f"{SENTENCE}\nRaw text."


@pytest.mark.parametrize(
    "good", [SENTENCE, f"  {SENTENCE}\n", "Über die Impfung.", "关于流感疫苗的说明。", "دربارهٔ می\u200cشود.", "A" * 300]
)
def test_a_plain_sentence_is_let_in(good: str) -> None:
    assert checked_sentence(good) == good.strip()


@pytest.mark.parametrize(
    "bad",
    [
        "",
        "  ",
        "- 1.",
        "A" * 301,
        "One line.\nAnd another.",
        "One line.\u2028And another.",
        "A\x1b[2Jterminal.",
        "Turned \u202earound.",
        "Half a \ud800 character.",
        "A <b>bold</b> claim.",
        "Closed </passage>.",
        "A < script > tag.",
        "A **bold** claim.",
        "# A heading",
        "A [link](here).",
        "See https://evil.example.",
        "See www.evil.example.",
        '{"sentence": "nested"}',
        "Some `code`.",
    ],
)
def test_what_is_no_plain_sentence_is_not(bad: str) -> None:
    assert checked_sentence(bad) is None


@given(st.text(st.characters(), max_size=400))
def test_what_is_let_in_is_one_line_without_markup_and_comes_back_from_the_context(written: str) -> None:
    sentence = checked_sentence(written)
    if sentence is not None:
        assert len(sentence) <= LONGEST_SENTENCE
        assert sentence.splitlines() == [sentence]
        assert not set(sentence) & set("`*#|[]{}")
        assert passage("From “Flu”.").with_sentence(sentence).sentence == sentence
