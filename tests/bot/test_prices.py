"""What calls cost."""

from __future__ import annotations

import tomllib

import pytest

from bot.claude_api import DEFAULT_MODEL, Usage
from bot.prices import PRICES, cost

PRICED = tomllib.loads(PRICES.read_text(encoding="utf-8"))


def test_every_kind_of_token_has_its_price() -> None:
    price = PRICED[DEFAULT_MODEL]
    million = 1_000_000
    for at, name in enumerate(("input", "output", "cache_read", "cache_write")):
        counts = [million if at == n else 0 for n in range(4)]
        assert cost(Usage(DEFAULT_MODEL, *counts)) == pytest.approx(price[name])


def test_a_dated_name_has_its_models_price() -> None:
    assert cost(Usage("claude-haiku-4-5-20251001", 1000, 0, 0, 0)) == cost(Usage("claude-haiku-4-5", 1000, 0, 0, 0))


@pytest.mark.parametrize("model", ["claude-sonnet-5-9", "claude", "gemini", ""])
def test_an_unknown_model_costs_an_unknown_sum(model: str) -> None:
    assert cost(Usage(model, 1000, 10, 0, 0)) is None


def test_a_cache_hit_costs_less_than_a_token_read_anew_and_a_write_more() -> None:
    assert all(one["cache_read"] < one["input"] < one["cache_write"] < one["output"] for one in PRICED.values())
