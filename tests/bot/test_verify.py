"""Promise 3: every sentence shown is borne by a passage of this turn."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.answer import Fact, Sentence, Ungrounded
from bot.verify import verify
from tests.bot.evidence import evidence, hit

RAW = "The flu clinic is open on Tuesdays from 9 am to 12 noon. Children under 2 should not come. Bring your card."
OPEN = "The flu clinic is open on Tuesdays from 9 am to 12 noon."


def outcome(text: str, quote: str, passage: str = "doc1#1") -> str:
    """What becomes of a draft of one sentence: its text if shown, else why it fell."""
    verified = verify(Fact((Sentence(text, passage, quote),)), evidence(hit(RAW)))
    return verified.statements[0].text if verified.statements else str(verified.dropped[0])


def test_a_borne_sentence_is_shown() -> None:
    assert outcome("It opens on Tuesdays, 9 am to noon.", OPEN) == "It opens on Tuesdays, 9 am to noon."


@pytest.mark.parametrize(
    ("text", "quote", "passage", "reason"),
    [
        ("It opens on Tuesdays.", OPEN, "doc2#1", "unknown_passage"),
        ("It opens on Tuesdays.", "open on Tuesdays and Fridays", "doc1#1", "quote_not_found"),
        ("It opens on Tuesdays.", "", "doc1#1", "quote_not_found"),
        ("It opens on Tuesdays from 8 am.", OPEN, "doc1#1", "figure"),
        ("It opens on Fridays.", OPEN, "doc1#1", "figure"),
        ("Children under 2 should come.", "Children under 2 should not come.", "doc1#1", "negation"),
        ("Do not bring your card.", "Bring your card.", "doc1#1", "negation"),
        ("https://evil.example", OPEN, "doc1#1", "empty"),
        ("[1]", OPEN, "doc1#1", "empty"),
    ],
)
def test_a_sentence_that_is_not_borne_falls(text: str, quote: str, passage: str, reason: str) -> None:
    assert outcome(text, quote, passage) == reason


def test_a_figure_elsewhere_in_the_passage_does_not_bear_a_sentence() -> None:
    assert outcome("It opens on Tuesdays for 2.", OPEN) == "figure"


def test_links_are_taken_out_of_a_sentence_that_stands() -> None:
    assert outcome("It is [open](https://evil.example) on Tuesdays.", OPEN) == "It is open on Tuesdays."


def test_the_answer_falls_with_its_first_sentence() -> None:
    draft = Fact(
        (Sentence("Open on Fridays.", "doc1#1", OPEN), Sentence("Bring your card.", "doc1#1", "Bring your card."))
    )
    assert isinstance(verify(draft, evidence(hit(RAW))).answer, Ungrounded)


def test_an_answer_that_loses_a_minor_sentence_keeps_the_rest_and_some_confidence() -> None:
    good = (Sentence("Open on Tuesdays.", "doc1#1", OPEN), Sentence("Bring your card.", "doc1#1", "Bring your card."))
    whole = verify(Fact(good), evidence(hit(RAW), best=0.8))
    part = verify(Fact((*good, Sentence("Bring 5 cards.", "doc1#1", "Bring your card."))), evidence(hit(RAW), best=0.8))
    assert [s.text for s in part.statements] == ["Open on Tuesdays.", "Bring your card."]
    assert 0 < part.confidence < whole.confidence == 0.8


def test_a_quote_is_given_back_as_the_document_has_it() -> None:
    verified = verify(
        Fact((Sentence("Open on Tuesdays.", "doc1#1", "open on Tuesdays"),)), evidence(hit("We are open\non Tuesdays."))
    )
    assert verified.statements[0].quote == "open\non Tuesdays"


def test_what_is_missing_is_named_only_in_the_questions_own_words() -> None:
    asked = evidence(hit(RAW), question="How much paracetamol may children have?")
    assert verify(Ungrounded("paracetamol for children"), asked).missing == "paracetamol for children"
    assert verify(Ungrounded("usually 500 mg of paracetamol"), asked).missing == ""


WORDS = st.sampled_from(
    ["Tuesdays", "not", "9", "2", "am", "open", "card", "Children", "the", "https://evil.example", "12 noon"]
)
TEXTS = st.one_of(st.lists(WORDS, max_size=8).map(" ".join), st.text(max_size=40))


@given(st.lists(st.tuples(TEXTS, st.sampled_from(["doc1#1", "doc2#1", "doc9#9"]), TEXTS), max_size=5))
def test_whatever_a_model_drafts_only_verbatim_evidence_of_this_turn_is_shown(
    drafted: list[tuple[str, str, str]],
) -> None:
    retrieved = evidence(hit(RAW), hit("Another leaflet is open at 12 noon.", n=2))
    raws = {one.passage.id: one.passage.text for one in retrieved.hits}
    verified = verify(Fact(tuple(Sentence(*one) for one in drafted)), retrieved)
    for statement in verified.statements:
        assert statement.quote
        assert statement.quote in raws[statement.hit.passage.id]
        assert "http" not in statement.text
