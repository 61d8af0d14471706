"""What a request says beside its words: what the server is to cache, and how a simpler server is asked without."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from anthropic.types import CacheControlEphemeralParam, MessageParam, TextBlockParam

_CACHED: CacheControlEphemeralParam = {"type": "ephemeral"}
_EXTRAS = re.compile(r"output[_ ](?:config|format)|json_schema|cache_control", re.IGNORECASE)


def instructions(system: str) -> list[TextBlockParam]:
    """The instructions, marked for the cache: they are the same in every request of their kind.

    What is shorter than the model's least for caching is not cached and costs nothing more: the server sees to that.
    """
    return [{"type": "text", "text": system, "cache_control": _CACHED}]


def conversation(history: Sequence[MessageParam]) -> list[MessageParam]:
    """Earlier turns, the last one marked for the cache: whoever asks on within five minutes sends them all again."""
    if not history:
        return []
    block: TextBlockParam = {"type": "text", "text": _text(history[-1]), "cache_control": _CACHED}
    return [*history[:-1], _message(history[-1], [block])]


def plain(messages: Iterable[MessageParam]) -> list[MessageParam]:
    """The same as texts, without blocks and marks."""
    return [_message(message, _text(message)) for message in messages]


def asks_too_much(status: int, complaint: str) -> bool:
    """Whether a server does not take a request for a field that not every server has, by what it answered."""
    return status in {400, 422} and _EXTRAS.search(complaint) is not None


def _message(like: MessageParam, content: str | list[TextBlockParam]) -> MessageParam:
    return cast("MessageParam", {"role": like["role"], "content": content})


def _text(message: MessageParam) -> str:
    content = message["content"]
    if isinstance(content, str):
        return content
    return "\n\n".join(block["text"] for block in content if isinstance(block, dict) and block["type"] == "text")
