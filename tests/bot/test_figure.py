"""Which questions ask for a figure, and which sentences give one."""

from __future__ import annotations

import pytest

from bot.figure import Figure, figure_asked, gives, measured, without_measure


@pytest.mark.parametrize(
    ("question", "figure"),
    [
        ("What is the dose of gabapentin?", Figure.DOSE),
        ("How much insulin should I take?", Figure.DOSE),
        ("how many mgs of colchicine is recommended", Figure.DOSE),
        ("How often should I have a colonoscopy?", Figure.FREQUENCY),
        ("How long does the flu last?", Figure.DURATION),
        ("What is the incubation period of measles?", Figure.DURATION),
        ("At what age do children get it?", Figure.AGE),
        ("What is the survival rate?", Figure.SHARE),
        ("How many visitors are allowed?", Figure.NUMBER),
        ("How much vitamin D do I need?", Figure.AMOUNT),
        ("How much does the vaccine cost?", Figure.PRICE),
        ("What does it cost?", Figure.PRICE),
        ("How much is a flu jab?", Figure.PRICE),
        ("How much is a safe amount of alcohol?", Figure.AMOUNT),
        ("What is flu?", None),
        ("Is it much better to rest?", None),
        ("When should I see a doctor?", None),
    ],
)
def test_a_question_for_a_figure_is_known_by_its_words(question: str, figure: Figure | None) -> None:
    assert figure_asked(question) is figure


@pytest.mark.parametrize(
    ("figure", "gives_one", "gives_none"),
    [
        (Figure.DOSE, "Take 300 mg at night.", "It is taken for two weeks, in the dose that is prescribed."),
        (Figure.PRICE, "It is \u00a360.", "It prevents it in 70 percent of people."),
        (Figure.PRICE, "Parking is free for two hours.", "2 people were free of pain."),
        (Figure.FREQUENCY, "Have it every 10 years.", "It takes 30 minutes."),
        (Figure.DURATION, "It passes within a week.", "It is caught from 2 in 10 people."),
        (Figure.DURATION, "It is catching until all blisters have dried.", "It is very catching."),
        (Figure.AGE, "Women aged 50 to 71 are invited.", "Bring 2 letters."),
        (Figure.SHARE, "Half of them live longer.", "Ring 01632 960 144."),
        (Figure.SHARE, "About 1 in 5 live longer.", "Many live longer."),
        (Figure.NUMBER, "Two visitors may come.", "Visitors may come, but not those with the MEN1 gene."),
        (Figure.NUMBER, "How many have it is unknown.", "Some have it."),
        (Figure.AMOUNT, "Drink 2 litres.", "Drink plenty."),
    ],
)
def test_a_sentence_gives_a_figure_of_the_kind_or_none(figure: Figure, gives_one: str, gives_none: str) -> None:
    assert gives(gives_one, figure)
    assert not gives(gives_none, figure)


def test_what_is_measured_stays_when_the_measure_is_taken_off() -> None:
    question = "What is the incubation period of hepatitis?"
    assert "incubation" in without_measure(question)
    assert "period" not in without_measure(question)
    assert "incubation" not in measured(question)
    assert "hepatitis" in measured(question)
