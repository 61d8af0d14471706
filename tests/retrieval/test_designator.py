"""Names that a letter or number tells apart, as questions and texts write them."""

from __future__ import annotations

import pytest

from retrieval.designator import designated, names


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("How is hepatitis A spread?", [("hepatitis", "a")]),
        ("how is hepatitis a spread", [("hepatitis", "a")]),
        ("what is vitamin a", [("vitamin", "a")]),
        ("vitamin d and hepatitis B", [("vitamin", "d"), ("hepatitis", "b")]),
        ("What does vitamin B12 do?", [("vitamin", "b12")]),
        ("Is type 2 diabetes the same as type II?", [("type", "2"), ("type", "ii")]),
        ("What is stage IV lung cancer?", [("stage", "iv")]),
        ("Is hepatitis a virus?", []),
        ("Is asthma a disease?", []),
        ("When can I come, and should I?", []),
        ("Can adults 60 or older have it?", []),
        ("I don't know", []),
        ("IS HEPATITIS A VIRUS?", []),
        ("", []),
    ],
)
def test_a_question_names_what_a_letter_or_number_tells_apart(question: str, found: list[tuple[str, str]]) -> None:
    assert designated(question) == found


@pytest.mark.parametrize(
    ("text", "name", "named"),
    [
        ("Hepatitis A is a virus.", ("hepatitis", "a"), True),
        ("Hepatitis A, B, and C", ("hepatitis", "c"), True),
        ("Vitamins A and D", ("vitamin", "d"), True),
        ("type II diabetes", ("type", "2"), True),
        ("Diabetes Type-2", ("type", "2"), True),
        ("Hepatitis B is a virus.", ("hepatitis", "a"), False),
        ("Hepatitis is a virus.", ("hepatitis", "a"), False),
        ("Take a vitamin a day.", ("vitamin", "a"), False),
        ("She has hepatitis. A doctor helps.", ("hepatitis", "a"), False),
        ("vitamin D-dependent rickets", ("vitamin", "d"), False),
        ("Vitamin B12", ("vitamin", "b"), False),
        ("type 1 diabetes, 2 of them", ("type", "2"), False),
    ],
)
def test_a_text_names_it_alone_or_in_a_list(text: str, name: tuple[str, str], *, named: bool) -> None:
    assert names(text, name) is named
