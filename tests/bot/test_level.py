"""Low and high, raising and lowering: which texts speak of the one that is asked about."""

from __future__ import annotations

import pytest

from bot.level import level_asked

RAISE = "How do I raise my blood pressure?"
LOWER = "how can I lower my cholesterol"
LOW = "What should I eat if I have low blood pressure?"
HIGH = "What causes high cholesterol?"


@pytest.mark.parametrize(
    ("question", "speaks_of_it", "does_not"),
    [
        (RAISE, "Lying down can help raise blood pressure.", "Avoid drugs known to raise blood pressure."),
        (RAISE, "Drink more water.", "It can lower your blood pressure."),
        (LOWER, "Exercise lowers your cholesterol.", "Butter raises cholesterol."),
        (LOW, "Blood pressure that is too low makes you faint.", "It can help lower blood pressure."),
        (LOW, "Hypotension is treated with salt.", "Choose low-fat food for your blood pressure."),
        (HIGH, "High blood cholesterol has many causes. High cholesterol has too.", "Low cholesterol is rare."),
    ],
)
def test_a_text_on_the_opposite_misses_the_question(question: str, speaks_of_it: str, does_not: str) -> None:
    level = level_asked(question)
    assert level is not None
    assert not level.is_missed_by(speaks_of_it)
    assert level.is_missed_by(does_not)


@pytest.mark.parametrize(
    "question", ["What is flu?", "How low is it?", "How high can it be?", f"{'I am ill. ' * 9}{LOW}"]
)
def test_other_questions_and_stories_ask_about_no_level(question: str) -> None:
    assert level_asked(question) is None
