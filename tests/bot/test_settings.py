"""How long a turn waits for models."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.settings import Patience

SEARCH = 4
"""Stages of a search that wait for a model one after another: vectors, rerank, rewrite, the second search."""


@given(st.floats(0.1, 600))
def test_if_all_are_slow_a_sixth_of_the_deadline_is_left(deadline: float) -> None:
    patience = Patience(deadline)
    waited = patience.followup + SEARCH * patience.stage + patience.answer
    assert waited <= deadline * 5 / 6 + 1e-9


def test_by_default_each_has_what_the_documentation_says() -> None:
    patience = Patience()
    assert (patience.followup, patience.stage, patience.answer) == pytest.approx((10, 5, 20))
