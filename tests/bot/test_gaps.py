from __future__ import annotations

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from bot.gaps import Gap, gaps
from memory.reports import Declined
from retrieval.terms import terms
from tests.memory.histories import NOON


def asked(*questions: str) -> list[Declined]:
    """These, a day after the other."""
    return [Declined(question, NOON + timedelta(days=at)) for at, question in enumerate(questions)]


def shown(*questions: str) -> list[tuple[str, int]]:
    return [(gap.question, gap.times) for gap in gaps(asked(*questions))]


def test_the_same_and_near_questions_are_one_gap_in_their_newest_wording() -> None:
    assert shown(
        "Is there parking at the clinic?", "Where can I park at the clinic?", "IS THERE PARKING AT THE CLINIC"
    ) == [("IS THERE PARKING AT THE CLINIC", 3)]


def test_other_questions_are_other_gaps() -> None:
    assert shown("Is there parking at the clinic?", "Is there a dental clinic?", "When is it open?") == [
        ("When is it open?", 1),
        ("Is there a dental clinic?", 1),
        ("Is there parking at the clinic?", 1),
    ]


def test_the_most_frequent_come_first_and_of_those_as_frequent_the_newest() -> None:
    assert shown("Where to park?", "Any dentist?", "Where is parking?", "Any podiatry?") == [
        ("Where is parking?", 2),
        ("Any podiatry?", 1),
        ("Any dentist?", 1),
    ]


def test_a_gap_spans_from_its_first_to_its_last_question() -> None:
    assert gaps(asked("Parking?", "Any dentist?", "parking")) == [
        Gap("parking", 2, NOON, NOON + timedelta(days=2)),
        Gap("Any dentist?", 1, NOON + timedelta(days=1), NOON + timedelta(days=1)),
    ]


def test_who_asked_is_hidden_and_keeps_no_questions_apart() -> None:
    assert shown("Any dentist?", "Any dentist? I am jo@a.example", "Any dentist? Call me: 01632 960144") == [
        ("Any dentist? Call me: [number]", 3)
    ]


def test_what_has_no_words_is_no_gap() -> None:
    assert shown("+", "👍", "???", "Any dentist?") == [("Any dentist?", 1)]


@given(st.lists(st.text(st.sampled_from("ab cd?"), max_size=12), max_size=20))
def test_every_question_that_says_something_is_counted_once(questions: list[str]) -> None:
    found = gaps(asked(*questions))
    assert sum(gap.times for gap in found) == sum(bool(terms(question)) for question in questions)
    assert [(gap.times, gap.last) for gap in found] == sorted([(g.times, g.last) for g in found], reverse=True)
