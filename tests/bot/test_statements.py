"""Passages come apart into whole sentences, list items and table rows, each verbatim."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.statements import Shape, pieces


def taken(raw: str, shape: Shape) -> list[str]:
    return [raw[slice(*piece.span)] for piece in pieces(raw) if piece.shape is shape]


@pytest.mark.parametrize(
    ("raw", "sentences"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("See Dr. Smith at 9 a.m. on Monday. Bring a card.", ["See Dr. Smith at 9 a.m. on Monday.", "Bring a card."]),
        ("It is e.g. 0.5 mg, i.e. little. Stop.", ["It is e.g. 0.5 mg, i.e. little.", "Stop."]),
        ("Vitamin B. A note. J. Smith wrote it.", ["Vitamin B. A note.", "J. Smith wrote it."]),
        ("It runs on\nover a line. Then ends", ["It runs on\nover a line.", "Then ends"]),
        ("He said \u201cyes.\u201d Then no.", ["He said \u201cyes.\u201d", "Then no."]),
        ("# Heading\n\nText.", ["Text."]),
    ],
)
def test_sentences_are_whole(raw: str, sentences: list[str]) -> None:
    assert taken(raw, Shape.SENTENCE) == sentences


def test_an_item_runs_on_over_its_lines_and_loose_lists_are_one() -> None:
    raw = "You need:\n- a card\n  and a pen\n\n- a letter\n\n1. Wash\n2. Dry"
    assert taken(raw, Shape.ITEM) == ["- a card\n  and a pen", "- a letter", "1. Wash", "2. Dry"]
    assert taken(raw, Shape.SENTENCE) == ["You need:"]


def test_rows_know_their_columns() -> None:
    raw = "| Day | Hours |\n|---|:-:|\n| Mon | 9 to 12 |\n| Tue | closed |\n"
    assert taken(raw, Shape.ROW) == ["| Mon | 9 to 12 |", "| Tue | closed |"]
    assert {piece.header for piece in pieces(raw)} == {("Day", "Hours")}


def test_rows_without_a_ruled_header_have_none() -> None:
    assert [piece.header for piece in pieces("Vials | 28 days | yes\nGowns | once | no")] == [(), ()]


@given(
    st.lists(
        st.sampled_from(["One. ", "two", "\n", "\n\n", "- item", "| a | b |", "|---|---|", "# h", " ", "3. x"])
    ).map("".join)
)
def test_pieces_are_in_order_apart_and_never_empty(raw: str) -> None:
    found = pieces(raw)
    assert all(raw[slice(*piece.span)].strip() for piece in found)
    assert all(one.span[1] <= other.span[0] for one, other in pairwise(found))


@given(st.text())
def test_any_text_comes_apart(raw: str) -> None:
    assert all(0 <= piece.span[0] < piece.span[1] <= len(raw) for piece in pieces(raw))


def test_a_first_row_without_figures_above_rows_with_some_names_the_columns() -> None:
    raw = "Ward | Visiting hours\nRowan | 2 pm to 5 pm\nHazel | any time"
    assert taken(raw, Shape.ROW) == ["Rowan | 2 pm to 5 pm", "Hazel | any time"]
    assert {piece.header for piece in pieces(raw)} == {("Ward", "Visiting hours")}


def test_bare_lines_below_a_colon_are_items() -> None:
    raw = "Triggers may include:\n\nDust and pollen\n\nSmoke\n\nThey vary."
    assert taken(raw, Shape.ITEM) == ["Dust and pollen", "Smoke"]
    assert taken(raw, Shape.SENTENCE) == ["Triggers may include:", "They vary."]
