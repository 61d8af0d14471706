"""A reply of Claude's Messages API as it is streamed: put together event by event, checked as a whole one is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel, Field, model_validator

from bot.claude_message import Block, Details, Message, Tokens
from bot.errors import Transient

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable


class _Part(BaseModel):
    """Part of an event. What a server sends as null counts as left out."""

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, given: object) -> object:
        return {k: v for k, v in given.items() if v is not None} if isinstance(given, dict) else given


class _Delta(_Part):
    """What is new: of a block its text, of the message why it ended."""

    type: str = ""
    text: str = ""
    stop_reason: str | None = None
    stop_details: Details | None = None


class _Started(_Part):
    usage: Tokens = Field(default_factory=Tokens)


class _Fault(_Part):
    type: str = ""


class _Counts(_Part):
    """Totals so far; what a server leaves out stays as it was."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None


class _Event(_Part):
    """Any event; those of other types than are put together here are passed over."""

    type: str
    index: int = 0
    message: _Started = Field(default_factory=_Started)
    content_block: Block | None = None
    delta: _Delta = Field(default_factory=_Delta)
    usage: _Counts = Field(default_factory=_Counts)
    error: _Fault = Field(default_factory=_Fault)


async def put_together(sent: AsyncIterator[str], so_far: Callable[[str], None]) -> Message:
    """The whole reply from the data of its events; `so_far` is given its text each time that there is more of it.

    Raises `Transient` where the reply breaks off, and pydantic's `ValidationError` where what comes is no reply.
    """
    blocks: dict[int, Block] = {}
    usage, last = Tokens(), _Delta()
    async for data in sent:
        if not data:
            continue
        event = _Event.model_validate_json(data)
        match event.type:
            case "message_start":
                usage = event.message.usage
            case "content_block_start" if event.content_block is not None:
                blocks[event.index] = event.content_block
            case "content_block_delta" if event.delta.type == "text_delta" and event.index in blocks:
                block = blocks[event.index]
                block.text = (block.text or "") + event.delta.text
                so_far(_message(blocks, last, usage).text)
            case "message_delta":
                last = event.delta
                usage = usage.model_copy(update=event.usage.model_dump(exclude_none=True))
            case "message_stop":
                return _message(blocks, last, usage)
            case "error":
                raise broken_off(event.error.type or "error")
    raise broken_off("no end")


def broken_off(why: str) -> Transient:
    """What is raised for it."""
    return Transient(f"Claude's server broke its reply off ({why})")


def _message(blocks: dict[int, Block], last: _Delta, usage: Tokens) -> Message:
    return Message(
        type="message",
        content=[blocks[index] for index in sorted(blocks)],
        stop_reason=last.stop_reason,
        stop_details=last.stop_details,
        usage=usage,
    )
