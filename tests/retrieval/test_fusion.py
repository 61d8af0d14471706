from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.fusion import LONG, Fused, fuse, reciprocal_rank_fusion

LISTS = st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True), max_size=3)


def test_scores_are_sums_of_reciprocal_ranks_and_ranks_are_kept() -> None:
    assert reciprocal_rank_fusion([["a", "b"], ["b", "c"]]) == [
        Fused("b", 1 / 12 + 1 / 11, (2, 1)),
        Fused("a", 1 / 11, (1, None)),
        Fused("c", 1 / 12, (None, 2)),
    ]


def test_k_flattens_and_weights_tilt() -> None:
    lists = [["a", "b"], ["b", "a"]]
    assert [one.id for one in reciprocal_rank_fusion(lists, weights=[0.4, 0.6])] == ["b", "a"]
    assert [one.id for one in reciprocal_rank_fusion(lists, weights=[0.6, 0.4])] == ["a", "b"]
    assert reciprocal_rank_fusion([["a"]], k=9)[0].score == pytest.approx(0.1)


def test_equal_scores_go_by_best_rank_then_by_id() -> None:
    assert [one.id for one in reciprocal_rank_fusion([["b"], ["a"]])] == ["a", "b"]
    equal = reciprocal_rank_fusion([["z", "m"], ["q", "m"]], k=0)
    assert [(one.id, one.score) for one in equal] == [("q", 1.0), ("z", 1.0), ("m", 1.0)]


def test_an_id_twice_in_a_list_counts_where_it_first_stands() -> None:
    assert reciprocal_rank_fusion([["a", "b", "a"]])[0] == Fused("a", 1 / 11, (1,))


def test_one_weight_a_list() -> None:
    with pytest.raises(ValueError, match="zip"):
        reciprocal_rank_fusion([["a"], ["b"]], weights=[1.0])


def test_words_and_meaning_weigh_the_same_in_a_question_of_ordinary_length() -> None:
    question = " ".join(f"the word{number}" for number in range(LONG))
    assert fuse(question, ["a", "b"], ["b", "c"]) == reciprocal_rank_fusion([["a", "b"], ["b", "c"]])


def test_the_longer_a_letter_the_less_its_words_weigh() -> None:
    letter = " ".join(f"word{number}" for number in range(2 * LONG))
    by_words, by_meaning = ["a", "b", "c"], ["c", "d"]
    assert fuse(letter, by_words, by_meaning) == reciprocal_rank_fusion([by_words, by_meaning], weights=[0.25, 1])
    assert [one.id for one in fuse(letter, by_words, by_meaning)] == ["c", "d", "a", "b"]


def test_a_word_that_comes_again_makes_no_question_long() -> None:
    assert fuse("pain " * 3 * LONG, ["a"], ["b"])[0] == Fused("a", 1 / 11, (1, None))


@given(LISTS)
def test_every_id_comes_once_with_its_own_ranks(lists: list[list[str]]) -> None:
    fused = reciprocal_rank_fusion(lists)
    assert sorted(one.id for one in fused) == sorted({*itertools.chain(*lists)})
    for one in fused:
        assert one.ranks == tuple(ids.index(one.id) + 1 if one.id in ids else None for ids in lists)


@given(st.lists(st.sampled_from("abcdefgh"), unique=True))
def test_one_list_keeps_its_order(ids: list[str]) -> None:
    assert [one.id for one in reciprocal_rank_fusion([ids, []])] == ids


@given(LISTS)
def test_what_every_list_puts_higher_stays_higher(lists: list[list[str]]) -> None:
    fused = [one.id for one in reciprocal_rank_fusion(lists)]
    for above, below in itertools.permutations(fused, 2):
        if all(above in ids and (below not in ids or ids.index(above) < ids.index(below)) for ids in lists):
            assert fused.index(above) < fused.index(below)
