"""The order that scores give, and what is no order."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.document import Document, Passage
from retrieval.errors import RetrievalError
from retrieval.evidence import Hit
from retrieval.rerank import ScriptedReranker, reordered


def hits(count: int) -> list[Hit]:
    document = Document("d", "Leaflet", "/d.md", "public", "hash")
    return [
        Hit(Passage(f"d#{n}", "d", n, f"text {n}", "", (), (0, 6)), document, 1 / n, n, n, keyword_rank=n)
        for n in range(1, count + 1)
    ]


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=30))
def test_the_highest_score_comes_first_and_both_ranks_are_kept(scores: list[float]) -> None:
    before = hits(len(scores))
    after = reordered(before, scores)
    assert [hit.score for hit in after] == sorted(scores, reverse=True)
    assert [hit.rank for hit in after] == list(range(1, len(scores) + 1))
    for hit in after:
        assert scores[hit.rank_before_rerank - 1] == hit.score
        assert hit.passage == before[hit.rank_before_rerank - 1].passage
        assert hit.keyword_rank == hit.rank_before_rerank


def test_equal_scores_keep_the_order_they_had() -> None:
    assert [hit.passage.id for hit in reordered(hits(3), [0.5, 0.9, 0.5])] == ["d#2", "d#1", "d#3"]


@pytest.mark.parametrize("scores", [[], [0.1], [0.1, 0.2, 0.3], [0.1, math.nan], [0.1, math.inf]])
def test_anything_but_one_number_a_hit_is_refused(scores: list[float]) -> None:
    with pytest.raises(RetrievalError, match="scores for 2 hits"):
        reordered(hits(2), scores)


async def test_the_fake_gives_what_its_script_says_in_the_order_of_the_hits() -> None:
    reranker = ScriptedReranker({"d#2": 0.9})
    assert await reranker.scores("why?", hits(3)) == [0.0, 0.9, 0.0]
    assert reranker.asked == [("why?", ["d#1", "d#2", "d#3"])]
