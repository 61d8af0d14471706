"""What Claude's Messages API sends back, as far as it is read, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


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

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None

    def used(self, model: str) -> Usage:
        """The same as what one call of that model took."""
        return Usage(
            model,
            self.input_tokens,
            self.output_tokens,
            self.cache_read_input_tokens or 0,
            self.cache_creation_input_tokens or 0,
        )


class Block(BaseModel):
    """One block of a reply; only those of the type `text` are read."""

    type: str
    text: str = ""


class Details(BaseModel):
    """Why a model would not answer."""

    category: str | None = None


class Message(BaseModel):
    """A reply, checked here because the SDK does not."""

    type: Literal["message"]
    content: list[Block]
    stop_reason: str | None = None
    stop_details: Details | None = None
    usage: Tokens = Field(default_factory=Tokens)

    @property
    def text(self) -> str:
        """What the model wrote."""
        return "".join(block.text for block in self.content if block.type == "text")

    @property
    def cut_short(self) -> bool:
        """Whether it had more to write than there was room for."""
        return self.stop_reason in {"max_tokens", "model_context_window_exceeded"}
