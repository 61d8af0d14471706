"""The figures of a ranking are those of trec_eval, and intervals hold what they claim to."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.evaluate import hit, mean, ndcg, recall, reciprocal_rank, share

IDS = "abcdefghijkl"
rankings = st.permutations(IDS)
grades = st.dictionaries(st.sampled_from(IDS), st.integers(1, 3), min_size=1)
values = st.lists(st.floats(0, 1), min_size=1, max_size=40)


def test_ndcg_of_a_worked_example() -> None:
    """Gains 3, 0, 2 against the best order 3, 2, 1: (3/1 + 2/2) / (3/1 + 2/log2(3) + 1/2)."""
    assert ndcg(["a", "x", "b"], {"a": 3, "b": 2, "c": 1}) == pytest.approx(4 / (3 + 2 / math.log2(3) + 0.5))


def test_ndcg_counts_the_first_k_only() -> None:
    assert ndcg(["x", "a"], {"a": 1}, k=1) == 0
    assert ndcg(["a", "b"], {"a": 1, "b": 1, "c": 1}, k=2) == 1


@given(rankings, grades)
def test_ndcg_is_one_for_the_best_order_and_never_more(ranking: list[str], graded: dict[str, int]) -> None:
    assert 0 <= ndcg(ranking, graded) <= 1 + 1e-12
    assert ndcg(sorted(ranking, key=lambda id_: -graded.get(id_, 0)), graded) == pytest.approx(1)


@given(rankings, grades, st.integers(0, len(IDS) - 2))
def test_a_swap_that_puts_the_better_first_never_lowers_ndcg(
    ranking: list[str], graded: dict[str, int], at: int
) -> None:
    first, second = ranking[at], ranking[at + 1]
    if graded.get(second, 0) >= graded.get(first, 0):
        swapped = [*ranking[:at], second, first, *ranking[at + 2 :]]
        assert ndcg(swapped, graded) >= ndcg(ranking, graded) - 1e-12


def test_recall_hit_and_reciprocal_rank_of_a_worked_example() -> None:
    ranking = ["x", "y", "a", "z", "w", "b"]
    assert recall(ranking, {"a", "b", "c"}) == pytest.approx(2 / 3)
    assert recall(ranking, {"a", "b", "c"}, k=3) == pytest.approx(1 / 3)
    assert reciprocal_rank(ranking, {"a", "b"}) == pytest.approx(1 / 3)
    assert (hit(ranking, {"b"}, k=5), hit(ranking, {"b"}, k=6)) == (0, 1)


@given(rankings, grades)
def test_a_hit_a_recall_above_nothing_and_a_rank_within_k_say_the_same(
    ranking: list[str], graded: dict[str, int]
) -> None:
    found = hit(ranking, graded, k=5) == 1
    assert found is (recall(ranking, graded, k=5) > 0)
    assert found is (reciprocal_rank(ranking, graded) >= 1 / 5)


def test_nothing_found_is_nothing() -> None:
    assert (ndcg([], {"a": 1}), recall([], {"a"}), reciprocal_rank([], {"a"}), hit([], {"a"})) == (0, 0, 0, 0)
    assert (share([]), mean([])) == (None, None)


def test_wilsons_interval_of_a_worked_example() -> None:
    """8 of 10: (.8 + .192) / 1.384 -+ 1.96 / 1.384 * sqrt(.016 + .0096)."""
    figure = share([True] * 8 + [False] * 2)
    assert figure is not None
    assert (figure.value, figure.n) == (0.8, 10)
    assert [figure.low, figure.high] == pytest.approx([0.490, 0.943], abs=1e-3)


@given(st.lists(st.booleans(), min_size=1, max_size=60))
def test_a_share_lies_in_its_interval_and_that_in_0_to_1(of: list[bool]) -> None:
    figure = share(of)
    assert figure is not None
    assert 0 <= figure.low <= figure.value <= figure.high <= 1


@given(values)
def test_a_mean_lies_in_its_interval_which_is_always_the_same(of: list[float]) -> None:
    figure = mean(of)
    assert figure == mean(of)
    assert figure is not None
    assert figure.low <= figure.value <= figure.high
    assert figure.value == pytest.approx(sum(of) / len(of))


def test_more_of_the_same_narrows_an_interval() -> None:
    few, many = mean([0.0, 1.0] * 5), mean([0.0, 1.0] * 100)
    assert few is not None
    assert many is not None
    assert many.high - many.low < (few.high - few.low) / 2
