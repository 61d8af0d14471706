"""Promise 3 for what is the document's own sentences, whole and word for word, and for what only looks so."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.answer import Fact, Sentence
from bot.verify import verify
from tests.bot.evidence import evidence, hit

SENTENCES = (
    "The clinic may help some people.",
    "Do not take more than 8 tablets in 24 hours.",
    "If you are pregnant, ask first.",
    "Trials were in mice only.",
    "Children under 2 should not come.",
)
RAW = " ".join(SENTENCES)


def outcome(text: str, quote: str, raw: str, passage: str = "doc1#1") -> str:
    verified = verify(Fact((Sentence(text, passage, quote),)), evidence(hit(raw)))
    return verified.statements[0].text if verified.statements else str(verified.dropped[0])


@given(st.integers(0, len(SENTENCES) - 1), st.integers(1, len(SENTENCES)))
def test_any_stretch_of_whole_sentences_stands_and_is_quoted_as_it_is(start: int, count: int) -> None:
    text = " ".join(SENTENCES[start : start + count])
    verified = verify(Fact((Sentence(text, "doc1#1", text),)), evidence(hit(RAW)))
    assert [one.text for one in verified.statements] == [one.quote for one in verified.statements] == [text]


@given(st.integers(0, len(RAW)), st.integers(1, len(RAW)))
def test_what_is_shown_of_any_stretch_of_letters_stands_in_the_passage(start: int, length: int) -> None:
    text = RAW[start : start + length]
    for one in verify(Fact((Sentence(text, "doc1#1", text),)), evidence(hit(RAW))).statements:
        assert one.quote in RAW
        assert " ".join(one.text.split()) in RAW


@pytest.mark.parametrize(
    ("text", "quote", "passage", "reason"),
    [
        (SENTENCES[1], SENTENCES[1], "doc2#1", "unknown_passage"),
        (SENTENCES[1], SENTENCES[1].replace("8", "9"), "doc1#1", "quote_not_found"),
        (SENTENCES[1].replace("8", "9"), SENTENCES[1], "doc1#1", "figure"),
        (SENTENCES[1].removeprefix("Do not t").replace("ake", "Take"), SENTENCES[1], "doc1#1", "figure"),
        ("take more than 8 tablets in 24 hours.", "take more than 8 tablets in 24 hours.", "doc1#1", "figure"),
        ("ask first.", "ask first.", "doc1#1", "negation"),
    ],
)
def test_one_letter_less_or_another_figure_and_every_check_is_made(
    text: str, quote: str, passage: str, reason: str
) -> None:
    assert outcome(text, quote, RAW, passage) == reason
