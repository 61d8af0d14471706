"""A figure in another's place is found by the words around it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.exchange import exchanged

DOSES = "Adults take 10 mg each morning for a week, and children take 5 mg each evening for a month."


@pytest.mark.parametrize(
    "statement",
    [
        "Adults take 5 mg each morning for a week, and children take 10 mg each evening for a month.",
        "Adults take 5 mg each morning for a week.",
        "Children take 10 mg each evening for a month.",
    ],
)
def test_a_figure_that_stands_for_another_is_found(statement: str) -> None:
    assert exchanged(statement, DOSES)


@pytest.mark.parametrize(
    "statement",
    [
        DOSES,
        "Children take 5 mg each evening for a month, and adults take 10 mg each morning for a week.",
        "Children take five milligrams each evening.",
        "It is 5 mg for the young ones.",
    ],
)
def test_another_order_or_wording_is_no_exchange(statement: str) -> None:
    assert not exchanged(statement, DOSES)


def test_no_heap_of_figures_is_compared_or_shown() -> None:
    assert exchanged("1 " * 1000, "1 " * 1000)


@given(st.lists(st.sampled_from(["adults", "take", "5 mg", "10 mg", "and", "children", "2 to 4 weeks"]), max_size=12))
def test_nothing_is_exchanged_in_a_text_itself(parts: list[str]) -> None:
    assert not exchanged(" ".join(parts), " ".join(parts))
