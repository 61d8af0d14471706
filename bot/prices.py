"""What calls to models cost."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.claude_api import Usage

PRICES = Path(__file__).with_name("data") / "prices.toml"
_MILLION = 1_000_000
_DATE = re.compile(r"-\d{8}$")


def cost(usage: Usage) -> float | None:
    """US dollars for these tokens; None of a model whose price is not known. A dated name has its model's price."""
    price = _prices().get(_DATE.sub("", usage.model))
    if price is None:
        return None
    return (
        usage.input_tokens * price["input"]
        + usage.output_tokens * price["output"]
        + usage.cache_read_tokens * price["cache_read"]
        + usage.cache_write_tokens * price["cache_write"]
    ) / _MILLION


@cache
def _prices() -> dict[str, dict[str, float]]:
    return tomllib.loads(PRICES.read_text(encoding="utf-8"))
