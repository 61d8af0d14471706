"""What a question asks of its subject is told in other words than it is asked in."""

from __future__ import annotations

import pytest

from bot.aspect import asked, told


@pytest.mark.parametrize(
    ("question", "aspect", "answer"),
    [
        ("Is gout hereditary?", "inheritance", "Many people with gout have a family history of it."),
        ("What are early signs of a stroke?", "signs", "You may have a numb face."),
        ("How do you get measles?", "cause", "It is caused by a virus."),
        ("What can I do for a burn?", "treatment", "Antibiotic creams keep it clean."),
        ("How is lupus diagnosed?", "tests", "There is a blood test."),
        ("Is it contagious?", "contagion", "It passes from person to person."),
        ("Who should not have the vaccine?", "exclusion", "Tell the nurse if you are allergic to eggs."),
        ("Who shouldn't have the vaccine?", "exclusion", "It is not recommended in pregnancy."),
        ("What is the phone number?", "contact", "Ring us on Mondays."),
        ("Where is the clinic?", "place", "It is on the first floor."),
        ("When do you close?", "hours", "It closes at 8.30 pm."),
        ("How long does it take?", "lasting", "The test itself takes a moment."),
        ("How much is the parking?", "cost", "It is free for two hours."),
        ("What is sepsis?", "definition", "Overview"),
    ],
)
def test_it_is_told_in_the_words_of_an_answer(question: str, aspect: str, answer: str) -> None:
    aspects = asked(question)
    assert aspect in aspects
    assert aspect in told(answer, aspects)


def test_only_the_words_that_ask_are_taken_for_told() -> None:
    assert asked("Is gout hereditary?") == {"inheritance": frozenset({"hereditari"})}


def test_what_something_is_is_asked_only_where_nothing_else_is() -> None:
    assert set(asked("What are the symptoms of flu?")) == {"signs"}


def test_a_plain_question_and_a_long_story_ask_for_nothing_in_particular() -> None:
    assert asked("Can I bring my dog?") == {}
    assert asked("I was treated last year. " + "It went on and on. " * 6) == {}
    assert told("It is caused by a virus.", asked("Can I bring my dog?")) == []
