"""Where a message stands: one conversation, in one place, on one platform."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, unquote


@dataclass(frozen=True, slots=True)
class Conversation:
    """One thread of talk, the same for every message in it.

    `tenant` is the Slack team or Teams tenant, `channel` the channel or direct chat, `thread` the id of the
    thread's first message, empty where the place itself is the conversation (a direct chat without threads).
    """

    platform: str
    tenant: str
    channel: str
    thread: str = ""

    @property
    def key(self) -> str:
        """The conversation id: one string, stable for a thread; `parse` reads it back."""
        return f"{self.place}:{_escaped(self.thread)}"

    @property
    def place(self) -> str:
        """The channel as one string, the same for all its threads."""
        return ":".join(_escaped(part) for part in (self.platform, self.tenant, self.channel))

    @staticmethod
    def of_tenant(platform: str, tenant: str) -> str:
        """What every `place` of a tenant begins with, and none of another's."""
        return f"{_escaped(platform)}:{_escaped(tenant)}:"

    @classmethod
    def parse(cls, key: str) -> Conversation:
        """The conversation whose `key` this is. ValueError for anything else."""
        parts = key.split(":")
        if len(parts) != 4:
            msg = f"not a conversation id (platform:tenant:channel:thread): {key!r}"
            raise ValueError(msg)
        return cls(*(unquote(part) for part in parts))


def _escaped(part: str) -> str:
    """So that no part can hold the separator. A lone surrogate, which no encoding takes, becomes a question mark."""
    return quote(part, safe="", errors="replace")
