"""List prices, as data."""

from __future__ import annotations

from typing import get_args

import pytest
from anthropic.types import Model

from bot.claude_api import DEFAULT_MODEL, SMALL_MODEL
from bot.claude_message import Usage
from bot.claude_models import _table, claude_model, dollars, prices_read

MILLION = 1_000_000


@pytest.mark.parametrize("name", sorted(_table()["models"]))
def test_each_model_is_one_that_the_sdk_names_and_its_prices_are_in_order(name: str) -> None:
    model = claude_model(name)
    assert model is not None
    assert name in {known for part in get_args(Model) for known in get_args(part)}
    assert 0 < model.cache_read < model.input < model.cache_write < model.output


def test_the_models_that_are_used_by_default_have_a_price() -> None:
    assert all(claude_model(name) is not None for name in (SMALL_MODEL, DEFAULT_MODEL))
    assert prices_read().year >= 2026


def test_each_kind_of_token_has_its_own_price() -> None:
    usage = Usage("claude-haiku-5-5", 4 * MILLION, 3 * MILLION, 2 * MILLION, MILLION)
    assert dollars(usage) == pytest.approx(4 * 0.10 + 3 * 0.50 + 2 * 0.01 + 0.125)


def test_a_snapshot_costs_what_its_model_costs() -> None:
    assert claude_model("claude-haiku-4-5-20251001") == claude_model("claude-haiku-4-5")


@pytest.mark.parametrize("name", ["claude-nobody", "local-model", ""])
def test_of_a_model_that_is_not_known_no_price_is_named(name: str) -> None:
    assert dollars(Usage(name, 1, 1, 1, 1)) is None


def test_usages_add_up() -> None:
    assert Usage("m", 1, 2, 3, 4) + Usage("m", 10, 20, 30, 40) == Usage("m", 11, 22, 33, 44)
