"""The weight of a term."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.rarity import rarity, share


@given(total=st.integers(1, 1_000_000), data=st.data())
def test_a_term_weighs_less_the_more_passages_hold_it(total: int, data: st.DataObject) -> None:
    fewer, more = sorted(data.draw(st.lists(st.integers(0, total), min_size=2, max_size=2, unique=True)))
    assert 1 >= rarity(fewer, total) > rarity(more, total) > 0


def test_a_term_that_stands_nowhere_weighs_1_in_any_index() -> None:
    assert [rarity(0, total) for total in (0, 1, 10, 12_980)] == pytest.approx([1, 1, 1, 1])


def test_a_share_of_nothing_is_0() -> None:
    assert share(0.125, 0.5) == 0.25
    assert share(0.0, 0.0) == 0
