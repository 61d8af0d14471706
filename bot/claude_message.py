"""What Claude's Messages API sends back, as far as it is read, and what it costs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict

_TRIES = 100
"""Braces at which an object is looked for: a text of nothing but braces is not read for ever."""


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens of one call, as the API bills them."""

    model: str
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int

    def __add__(self, other: Usage) -> Usage:
        """The tokens of both, of one model."""
        return Usage(
            self.model,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cache_read_tokens + other.cache_read_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
        )


class StructuredReply(BaseModel):
    """What a model is asked for. A reply with a field that is not named is out of shape."""

    model_config = ConfigDict(extra="forbid")


class Tokens(BaseModel):
    """The counts beside a reply; what a server does not count is 0."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None

    def used(self, model: str) -> Usage:
        """The same as what one call of that model took."""
        return Usage(
            model,
            self.input_tokens or 0,
            self.output_tokens or 0,
            self.cache_read_input_tokens or 0,
            self.cache_creation_input_tokens or 0,
        )


class Block(BaseModel):
    """One block of a reply; only those of the type `text` are read."""

    type: str
    text: str | None = None


class Details(BaseModel):
    """Why a model would not answer."""

    category: str | None = None


class Message(BaseModel):
    """A reply, checked here because the SDK does not."""

    type: Literal["message"]
    content: list[Block]
    stop_reason: str | None = None
    stop_details: Details | None = None
    usage: Tokens | None = None

    @property
    def text(self) -> str:
        """What the model wrote."""
        return "".join(block.text or "" for block in self.content if block.type == "text")

    def used(self, model: str) -> Usage:
        """What the call took of that model; no tokens where the server does not count them."""
        return (self.usage or Tokens()).used(model)

    @property
    def cut_short(self) -> bool:
        """Whether it had more to write than there was room for."""
        return self.stop_reason in {"max_tokens", "model_context_window_exceeded"}


def objects_in(text: str) -> list[str]:
    """The JSON objects that stand in a text, the last one first, whatever is written around them.

    A model that nothing holds to a schema may think aloud or put its reply into a fence, and ends with what it means.
    """
    decoder = json.JSONDecoder()
    found: list[str] = []
    at = 0
    for _ in range(_TRIES):
        start = text.find("{", at)
        if start < 0:
            break
        try:
            at = decoder.raw_decode(text, start)[1]
        except (ValueError, RecursionError):
            at = start + 1
        else:
            found.append(text[start:at])
    return found[::-1]
