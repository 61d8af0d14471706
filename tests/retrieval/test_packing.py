"""Requests that hold no more than a model takes, whatever the texts."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from retrieval.packing import EXTRA_TOKENS, cut, most_tokens, packed


@given(st.lists(st.integers(0, 30), max_size=40), st.integers(1, 50), st.integers(1, 10))
def test_stretches_cover_everything_in_order_and_fit(sizes: list[int], room: int, items: int) -> None:
    stretches = list(packed(sizes, room=room, items=items))
    assert [at for stretch in stretches for at in stretch] == list(range(len(sizes)))
    for stretch in stretches:
        assert 1 <= len(stretch) <= items
        assert sum(sizes[at] for at in stretch) <= room or len(stretch) == 1


@given(st.lists(st.integers(0, 30), max_size=40), st.integers(1, 50), st.integers(1, 10))
def test_a_stretch_ends_only_where_the_next_one_would_not_fit(sizes: list[int], room: int, items: int) -> None:
    stretches = list(packed(sizes, room=room, items=items))
    for stretch, following in pairwise(stretches):
        filled = sum(sizes[at] for at in stretch) + sizes[following.start]
        assert len(stretch) == items or filled > room


@given(st.text(st.characters(exclude_categories=[])))
@example("\ud800 half a pair")
def test_a_text_that_is_cut_is_a_beginning_within_the_limit(text: str) -> None:
    kept = cut(text, EXTRA_TOKENS + 10)
    assert most_tokens(kept) <= EXTRA_TOKENS + 10
    assert text.encode(errors="replace").decode().startswith(kept)


@given(st.text())
def test_a_text_within_the_limit_is_kept_whole(text: str) -> None:
    assert cut(text, most_tokens(text)) == text.encode(errors="replace").decode()
