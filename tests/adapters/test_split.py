"""Long text in parts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.slack.mrkdwn import escape
from adapters.split import cut, cut_escaped, split

if TYPE_CHECKING:
    from collections.abc import Callable

TEXT = st.text(st.sampled_from("ab&<> .\n!"), max_size=400) | st.text(max_size=200)
LIMIT = st.integers(8, 60)


@given(TEXT, LIMIT)
def test_parts_fit_and_lose_only_white_space(text: str, limit: int) -> None:
    parts = split(text, limit)
    assert all(0 < len(part) <= limit for part in parts)
    assert "".join("".join(parts).split()) == "".join(text.split())


@given(TEXT, LIMIT)
def test_no_entity_is_cut(text: str, limit: int) -> None:
    for part in split(escape(text), limit):
        assert "&" not in re.sub(r"&(?:amp|lt|gt);", "", part)


@given(TEXT, LIMIT)
def test_text_with_entities_is_cut_to_fit_and_through_none(text: str, limit: int) -> None:
    shown = cut_escaped(escape(text), limit)
    assert len(shown) <= limit
    assert "&" not in re.sub(r"&(?:amp|lt|gt);", "", shown)


def test_paragraphs_come_before_lines_sentences_and_words() -> None:
    assert split("One two. Three.\n\nFour five. Six.", 24) == ["One two. Three.", "Four five. Six."]
    assert split("One two. Three.\nFour five. Six.", 24) == ["One two. Three.", "Four five. Six."]
    assert split("One two three. Four five six.", 20) == ["One two three.", "Four five six."]
    assert split("onetwothree fourfivesix", 15) == ["onetwothree", "fourfivesix"]


def test_what_does_not_fit_is_cut_with_an_ellipsis() -> None:
    assert cut("Visiting", 8) == "Visiting"
    assert cut("Visiting hours", 10) == "Visiting…"
    assert len(cut("x" * 100, 75)) == 75


@pytest.mark.parametrize("cutter", [cut, cut_escaped])
@pytest.mark.parametrize(
    "text", ["doses left: 12345; more", "open till 15:30 today", "it costs 1,250.50 in all", "-12 °C"]
)
def test_a_figure_is_shown_whole_or_not_at_all(cutter: Callable[[str, int], str], text: str) -> None:
    [figure] = re.findall(r"-?\d[\d:.,]*\d", text)
    for limit in range(8, len(text)):
        shown = cutter(text, limit)
        assert len(shown) <= limit
        assert re.findall(r"-?\d[\d:.,]*", shown) in ([], [figure])
