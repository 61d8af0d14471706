"""What stands where sources are asked for."""

from __future__ import annotations

from adapters.sources import heading
from bot.wording import wording

WORDS = wording()


def test_no_answer_and_an_answer_that_is_gone_read_differently() -> None:
    assert heading(None, WORDS) == WORDS.sources.none
    assert heading((), WORDS) == WORDS.sources.gone
