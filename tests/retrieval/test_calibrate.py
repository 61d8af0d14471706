"""A threshold declines what was asked of it, at the least cost, and its figures come from questions it has not seen."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.calibrate import CONFIDENT, Strengths, choose, cross_validated, curve, needed, point

strengths = st.lists(st.floats(0, 0.999), min_size=1, max_size=40)
shares = st.sampled_from([0.5, 0.8, 0.9, 0.95])
EVEN = [n / 20 for n in range(20)]


@given(strengths, strengths, shares)
def test_it_declines_the_share_that_was_asked(answerable: list[float], unanswerable: list[float], asked: float) -> None:
    of = Strengths(answerable, unanswerable)
    chosen = choose(of, declines=asked)
    assert not chosen.enough or point(of, chosen.evidence).declined >= asked


@given(strengths, strengths, shares)
def test_no_threshold_that_declines_as_much_keeps_more(
    answerable: list[float], unanswerable: list[float], asked: float
) -> None:
    of = Strengths(answerable, unanswerable)
    chosen = choose(of, declines=asked)
    others = [point(of, t) for t in (*answerable, *unanswerable, 1.0)]
    fewest = min(one.wrongly for one in others if one.declined >= asked)
    if chosen.enough:
        assert point(of, chosen.evidence).wrongly <= fewest
    else:
        assert fewest > 0.5


@given(strengths, strengths, shares)
def test_the_confident_threshold_is_never_the_lower_one_and_little_lies_above_it(
    answerable: list[float], unanswerable: list[float], asked: float
) -> None:
    of = Strengths(answerable, unanswerable)
    chosen = choose(of, declines=asked)
    assert 0 <= chosen.evidence <= chosen.confident <= 1
    assert point(of, chosen.confident).declined >= CONFIDENT


def test_two_groups_that_lie_apart_are_told_apart() -> None:
    of = Strengths([0.7, 0.8, 0.9], [0.1, 0.2, 0.3])
    chosen = choose(of, declines=0.9)
    assert chosen.evidence == pytest.approx(0.5)
    assert chosen.enough


def test_where_the_groups_are_mixed_up_it_says_so_and_takes_the_widest_gap() -> None:
    """Of the unanswerable, half are stronger than every answerable one."""
    of = Strengths([0.5] * 10, [0.2] * 10 + [0.9] * 10)
    chosen = choose(of, declines=0.9)
    assert not chosen.enough
    assert 0.2 < chosen.evidence <= 0.5


def test_a_question_at_the_threshold_is_answered() -> None:
    assert point(Strengths([0.4], [0.4]), 0.4).declined == 0


def test_the_curve_rises_from_nothing() -> None:
    found = curve(Strengths(EVEN, EVEN))
    assert (found[0].threshold, found[-1].threshold) == (0, 1)
    assert (found[0].declined, found[-1].declined) == (0, 1)
    assert all(low.declined <= high.declined for low, high in pairwise(found))


def test_cross_validation_judges_every_question_once() -> None:
    declined, wrongly = cross_validated(Strengths(EVEN, EVEN[:17]), declines=0.9)
    assert declined is not None
    assert wrongly is not None
    assert (declined.n, wrongly.n) == (17, 20)


def test_cross_validation_does_not_judge_a_question_by_itself() -> None:
    """Fitted, the strongest of ten is declined, where all must be; by what the others choose, it is answered."""
    of = Strengths([0.3] * 2 + [0.9] * 10, [0.1] * 9 + [0.45])
    assert point(of, choose(of, declines=0.99).evidence).declined == 1
    declined, _ = cross_validated(of, declines=0.99)
    assert declined is not None
    assert declined.value == pytest.approx(0.9)


def test_a_share_above_the_confident_ones_raises_both() -> None:
    of = Strengths([0.9] * 100, [n / 200 for n in range(100)])
    chosen = choose(of, declines=0.99)
    assert chosen.confident == chosen.evidence > 0.485


@pytest.mark.parametrize(("declines", "count"), [(0.5, 20), (0.9, 20), (0.95, 40), (0.99, 200)])
def test_a_finer_share_needs_more_questions(declines: float, count: int) -> None:
    assert needed(declines) == count
    assert math.floor(count * (1 - declines) + 1e-6) >= 2
