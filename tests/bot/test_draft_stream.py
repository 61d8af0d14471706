"""A draft read while it is written: sentences are told whole, in order, and none too early."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.draft_stream import whole_sentences

FIRST = {"text": 'Say "A" on {day}.', "passage_id": "p1", "quote": "A\\ [1], {"}
SECOND = {"text": "B.", "passage_id": "p2", "quote": "B"}
SENTENCE = st.fixed_dictionaries(
    {"text": st.text(max_size=9), "passage_id": st.just("p1"), "quote": st.text('{}[]",:\\ aü\U0001f600', max_size=9)}
)


@given(st.lists(SENTENCE, max_size=4), st.booleans(), st.data())
def test_at_any_moment_the_whole_sentences_are_the_first_of_the_draft(
    sentences: list[dict[str, str]], ascii_only: bool, data: st.DataObject
) -> None:
    text = json.dumps({"kind": "fact", "sentences": sentences, "missing": ""}, ensure_ascii=ascii_only)
    ends = sorted(data.draw(st.lists(st.integers(0, len(text)), min_size=2, max_size=2)))
    earlier, later = (whole_sentences(text[:end]) for end in ends)
    assert later[: len(earlier)] == earlier
    assert later == sentences[: len(later)]
    assert len(later) < max(1, len(sentences))


def test_a_sentence_is_whole_once_the_next_has_begun_and_not_before() -> None:
    begun = f'{{"kind": "fact", "sentences": [{json.dumps(FIRST)}'
    assert whole_sentences(begun) == whole_sentences(f"{begun}, ") == []
    assert whole_sentences(f"{begun}, {{") == [FIRST]


def test_there_is_no_sentence_before_it_is_known_that_there_is_an_answer() -> None:
    sentences = f'"sentences": [{json.dumps(FIRST)}, {json.dumps(SECOND)}]'
    assert whole_sentences(f"{{{sentences}") == []
    assert whole_sentences(f'{{{sentences}, "kind": "ungrounded"}}') == []
    assert whole_sentences(f'{{{sentences}, "kind": "fact"') == [FIRST]


def test_words_around_the_draft_are_passed_over() -> None:
    text = f'Here you are:\n```json\n{{"kind": "fact", "sentences": [{json.dumps(FIRST)}, {{'
    assert whole_sentences(text) == [FIRST]


@pytest.mark.parametrize(
    "text",
    ["", "I'd rather chat.", "{", "{]", '{"kind": "fact", "sentences": {"a": 1', '{"kind": "fact", "sentences": "a'],
)
def test_what_is_no_draft_has_no_sentences(text: str) -> None:
    assert whole_sentences(text) == []
