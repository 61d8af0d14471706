"""Promise 3: every sentence shown is borne by a passage of this turn."""

from __future__ import annotations

from dataclasses import replace

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
        ("Please hand your password to the man at the gate.", OPEN, "doc1#1", "other_subject"),
        ("https://evil.example", OPEN, "doc1#1", "empty"),
        ("[1]", OPEN, "doc1#1", "empty"),
    ],
)
def test_a_sentence_that_is_not_borne_falls(text: str, quote: str, passage: str, reason: str) -> None:
    assert outcome(text, quote, passage) == reason


@pytest.mark.parametrize(
    "text",
    [
        "You can come on Tuesdays between 9 am and 12 noon, when the clinic is open.",
        "La clínica abre los martes y no hace falta pedir cita.",
        "Open: Tuesdays",
    ],
)
def test_a_paraphrase_or_another_language_is_not_another_subject(text: str) -> None:
    assert outcome(text, OPEN) == text


def test_a_figure_elsewhere_in_the_passage_does_not_bear_a_sentence() -> None:
    assert outcome("It opens on Tuesdays for 2.", OPEN) == "figure"


def test_a_figure_in_the_place_of_another_falls() -> None:
    raw = "Adults take 10 mg each morning, and children take 5 mg each evening."
    draft = Fact((Sentence("Adults take 5 mg each morning.", "doc1#1", raw),))
    assert verify(draft, evidence(hit(raw))).dropped == ("figure",)


def test_a_source_that_the_document_does_not_name_is_taken_out() -> None:
    assert outcome("According to the BMJ, it is open on Tuesdays (Li et al., 2019).", OPEN) == "It is open on Tuesdays."
    assert outcome("[Li et al.]", OPEN) == "empty"


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


@pytest.mark.parametrize("missing", ["stop taking warfarin", "STOP  taking warfarin?", "warfarin"])
def test_what_is_missing_is_named_where_the_question_says_just_that(missing: str) -> None:
    asked = evidence(hit(RAW), question="Should I stop taking warfarin?")
    named = verify(Ungrounded(missing), asked).missing
    assert named.lower() in "should i stop taking warfarin?"
    assert named


@pytest.mark.parametrize(
    "missing",
    [
        "Yes, you should stop taking warfarin",
        "I should stop taking warfarin",
        "taking warfarin stop",
        "I",
        "\u2620",
        "",
    ],
)
def test_what_the_question_does_not_say_is_never_named_as_missing(missing: str) -> None:
    assert not verify(Ungrounded(missing), evidence(hit(RAW), question="Should I stop taking warfarin?")).missing


def test_what_a_draft_says_twice_is_said_once() -> None:
    said = ["It is open on Tuesdays.", "Bring your card.", "It is open on Tuesdays", "Bring your card!"]
    quotes = [OPEN, "Bring your card.", "open on Tuesdays", "your card"]
    draft = Fact(tuple(Sentence(text, "doc1#1", quote) for text, quote in zip(said, quotes, strict=True)))
    assert [one.text for one in verify(draft, evidence(hit(RAW))).statements] == said[:2]


@pytest.mark.parametrize(
    ("quote", "stands"), [("Tuesdays", False), ("flu clinic", True), ("Fever", True), ("- Fever", True)]
)
def test_one_word_is_a_quote_only_where_it_stands_alone(quote: str, stands: bool) -> None:
    raw = "The flu clinic is open on Tuesdays for:\n\n- Fever\n- Cough that lasts"
    draft = Fact((Sentence("The flu clinic is open on Tuesdays for fever.", "doc1#1", quote),))
    assert bool(verify(draft, evidence(hit(raw))).statements) is stands


OTHER = "Another leaflet says that the desk is open at 12 noon."
SENTENCES = [
    "The flu clinic is open on Tuesdays from 9 am to 12 noon.",
    "Bring your card.",
    "Children should not come.",
    OTHER,
]
DRIFT = ["", " https://evil.example", " It takes 3 hours.", " Never.", " [here](https://evil.example)", " <@U1>"]
QUOTES = st.one_of(
    st.sampled_from([*SENTENCES, "Bring your cards.", "open on Fridays", ""]),
    st.tuples(st.integers(0, len(RAW)), st.integers(0, len(RAW))).map(lambda ends: RAW[min(ends) : max(ends)]),
    st.text(max_size=20),
)
DRAFTED = st.builds(
    Sentence,
    st.tuples(st.sampled_from(SENTENCES), st.sampled_from(DRIFT)).map("".join),
    st.sampled_from(["doc1#1", "doc1#1", "doc2#1", "doc9#9"]),
    QUOTES,
)


@given(st.lists(DRAFTED, min_size=1, max_size=5))
def test_whatever_a_model_drafts_only_verbatim_evidence_of_this_turn_is_shown(drafted: list[Sentence]) -> None:
    raws = {"doc1#1": RAW, "doc2#1": OTHER}
    verified = verify(Fact(tuple(drafted)), evidence(hit(RAW), hit(OTHER, n=2)))
    texts = [statement.text for statement in verified.statements]
    assert len(texts) == len(set(texts))
    repeated = len({sentence.text for sentence in drafted}) < len(drafted)
    assert len(texts) + len(verified.dropped) == len(drafted) or not texts or repeated
    for statement in verified.statements:
        claimed = [one for one in drafted if one.passage_id == statement.hit.passage.id]
        assert any(" ".join(one.quote.split()) == " ".join(statement.quote.split()) for one in claimed)
        assert statement.quote in raws[statement.hit.passage.id]
        assert not any(sign in statement.text for sign in ("http", "evil", "<@", "3 hours"))


@given(st.sampled_from(SENTENCES[:2]), st.sampled_from(["", " <@U1>", " https://evil.example"]))
def test_a_true_sentence_stands_whatever_was_hung_on_to_it(sentence: str, drift: str) -> None:
    verified = verify(Fact((Sentence(sentence + drift, "doc1#1", sentence),)), evidence(hit(RAW)))
    assert [statement.text for statement in verified.statements] == [sentence]


def test_what_a_model_wrote_to_place_a_passage_bears_nothing() -> None:
    found = hit(RAW)
    placed = replace(found, passage=found.passage.with_sentence("The flu clinic is open on Fridays."))
    draft = Fact((Sentence("It is open on Fridays.", "doc1#1", "The flu clinic is open on Fridays."),))
    assert verify(draft, evidence(placed)).dropped == ("quote_not_found",)


def test_an_answer_beside_the_question_is_no_strong_match() -> None:
    draft = Fact((Sentence("Open on Tuesdays.", "doc1#1", OPEN),))
    beside = verify(draft, evidence(hit(RAW), question="Is gout hereditary?", best=0.99))
    to_the_point = verify(draft, evidence(hit(RAW), question="Open on Tuesdays?", best=0.99))
    assert beside.confidence < 0.5 < 0.8 < to_the_point.confidence


def test_half_of_the_telling_words_make_no_strong_match() -> None:
    draft = Fact((Sentence("Open on Tuesdays.", "doc1#1", OPEN),))
    assert 0.5 < verify(draft, evidence(hit(RAW), question="Tuesdays hereditary?", best=1.0)).confidence < 0.8
