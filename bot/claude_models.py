"""What is known of Claude's models: list prices and what they can be asked for, as data beside this."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from datetime import date

    from bot.claude_message import Usage

CACHED_FROM = 1024
"""From how many tokens on a prompt is cached, where more is not known."""

Effort: TypeAlias = Literal["low", "medium", "high", "xhigh", "max"]

_SNAPSHOT = re.compile(r"-\d{8}$")
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class ClaudeModel:
    """A model's list prices in dollars per million tokens, from how many tokens on a prompt is cached, and whether it
    can be told how hard to think.
    """

    input: float
    output: float
    cache_write: float
    cache_read: float
    effort: bool
    cached_from: int = CACHED_FROM


def claude_model(name: str) -> ClaudeModel | None:
    """What is known of the model of this name, with a snapshot's date or without."""
    known = _table()["models"].get(_SNAPSHOT.sub("", name))
    return None if known is None else ClaudeModel(**known)


def thrifty(name: str) -> Effort | None:
    """The least effort, for a model that can be told how hard to think."""
    model = claude_model(name)
    return "low" if model is not None and model.effort else None


def prices_read() -> date:
    """The day on which the prices were read."""
    read: date = _table()["read"]
    return read


def dollars(usage: Usage) -> float | None:
    """What the tokens cost at list prices; None for a model whose prices are not known."""
    model = claude_model(usage.model)
    if model is None:
        return None
    return (
        usage.input_tokens * model.input
        + usage.output_tokens * model.output
        + usage.cache_write_tokens * model.cache_write
        + usage.cache_read_tokens * model.cache_read
    ) / _MILLION


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(resources.files("bot.data").joinpath("claude_models.toml").read_text(encoding="utf-8"))
