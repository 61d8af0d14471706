"""The scope that each Web API method needs, where the app was granted only some. Source: docs.slack.dev, per method."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

_NEEDED = {
    "chat.postMessage": "chat:write",
    "chat.postEphemeral": "chat:write",
    "chat.delete": "chat:write",
    "chat.update": "chat:write",
    "files.info": "files:read",
    "assistant.threads.setStatus": "chat:write",
    "assistant.threads.setSuggestedPrompts": "assistant:write",
    "users.info": "users:read",
    "bots.info": "users:read",
    "users.list": "users:read",
    "users.conversations": "channels:read",
    "conversations.open": "im:write",
    "files.getUploadURLExternal": "files:write",
    "files.completeUploadExternal": "files:write",
    "files.delete": "files:write",
}
_READ = {"C": "channels:read", "G": "groups:read", "D": "im:read"}
_HISTORY = {"C": "channels:history", "G": "groups:history", "D": "im:history"}


def missing_scope(method: str, channel: str, scopes: Collection[str] | None) -> str | None:
    """The scope that is missing for a call, or None if it may go ahead. `scopes` None grants everything."""
    needed = _NEEDED.get(method)
    if method in {"conversations.history", "conversations.replies"}:
        needed = _HISTORY[channel[:1]]
    if method in {"conversations.info", "conversations.members"}:
        needed = _READ[channel[:1]]
    return None if scopes is None or needed is None or needed in scopes else needed
