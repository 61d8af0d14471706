"""Asking for sources."""

from __future__ import annotations

import pytest

from adapters.sources import asks_for_sources, heading
from bot.wording import wording

WORDS = wording()


@pytest.mark.parametrize(
    "text", ["sources", "Sources?", " SOURCES! ", "Sources, please.", "sources please", "/sources"]
)
def test_the_word_alone_asks_for_sources(text: str) -> None:
    assert asks_for_sources(text)


@pytest.mark.parametrize(
    "text", ["", "sources of vitamin D", "what are good sources of iron?", "sources please, of iron", "data sources"]
)
def test_a_question_about_sources_is_a_question(text: str) -> None:
    assert not asks_for_sources(text)


def test_no_answer_and_an_answer_that_is_gone_read_differently() -> None:
    assert heading(None, WORDS) == WORDS.sources.none
    assert heading((), WORDS) == WORDS.sources.gone
