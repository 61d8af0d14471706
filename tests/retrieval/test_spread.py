"""One section does not fill the first places."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from retrieval.spread import A_SECTION, FIRST, spread
from tests.bot.evidence import hit


def test_a_checklist_leaves_places_to_other_sections() -> None:
    hits = [hit("row", n=n, headings=("Checklist",)) for n in range(1, 5)]
    same = [type(one)(one.passage, hits[0].document, one.score, one.rank, one.rank) for one in hits]
    other = [hit("text", n=n, headings=(f"Section {n}",)) for n in range(5, 9)]
    ordered = spread([*same, *other])
    assert [one.rank_before_rerank for one in ordered] == [1, 2, 5, 6, 7, 3, 4, 8]
    assert [one.rank for one in ordered] == list(range(1, 9))


def test_passages_without_headings_stay_where_they_are() -> None:
    hits = [hit("text", n=n) for n in range(1, 9)]
    assert [one.rank_before_rerank for one in spread(hits)] == list(range(1, 9))


@given(st.lists(st.sampled_from(["", "A", "B", "C"]), max_size=20))
def test_none_is_lost_and_what_is_not_held_back_keeps_its_order(sections: list[str]) -> None:
    hits = [hit("text", n=n, headings=(name,) if name else ()) for n, name in enumerate(sections, start=1)]
    ordered = spread(hits)
    before = [one.rank_before_rerank for one in ordered]
    assert sorted(before) == list(range(1, len(hits) + 1))
    assert before[:FIRST] == sorted(before[:FIRST])
    assert before[FIRST:] == sorted(before[FIRST:])
    assert A_SECTION < FIRST
