"""Replies of the double of Claude's server as server-sent events, a few characters at a time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from aiohttp import web

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_PIECE = 7
"""Characters a delta: so few that names, escapes and quotes are cut through."""


def events(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """What the real API sends for a message, thinking blocks, pings and all."""
    begun = {**message, "content": [], "stop_reason": None, "stop_details": None}
    yield {"type": "message_start", "message": {**begun, "usage": {**message["usage"], "output_tokens": 1}}}
    yield {"type": "ping"}
    for index, block in enumerate(message["content"]):
        kind = "thinking" if block["type"] == "thinking" else "text"
        yield {"type": "content_block_start", "index": index, "content_block": {**block, kind: ""}}
        for start in range(0, len(block[kind]), _PIECE):
            delta = {"type": f"{kind}_delta", kind: block[kind][start : start + _PIECE]}
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    ending = {name: message[name] for name in ("stop_reason", "stop_sequence", "stop_details")}
    counts = {"output_tokens": message["usage"]["output_tokens"]}
    yield {"type": "message_delta", "delta": ending, "usage": counts}
    yield {"type": "message_stop"}


async def begin(request: web.Request) -> web.StreamResponse:
    """The head of a stream."""
    response = web.StreamResponse(headers={"content-type": "text/event-stream; charset=utf-8"})
    await response.prepare(request)
    return response


async def send(response: web.StreamResponse, event: Mapping[str, Any]) -> None:
    """One event."""
    await response.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
