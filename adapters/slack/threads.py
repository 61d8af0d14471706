"""Which channel threads we are part of, so that a reply there without a mention is still for us."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from adapters.slack.events import PLATFORM
from memory.conversation import Conversation

if TYPE_CHECKING:
    from bot.turn import Memories


class Threads:
    """Those that memory has turns of, and the latest `capacity` that we were called into since we started.

    The latter cover the time until the first answer stands, and guests whose turns are forgotten sooner.
    """

    def __init__(self, memories: Memories, *, capacity: int = 10_000) -> None:
        self._memories = memories
        self._capacity = capacity
        self._joined: OrderedDict[str, None] = OrderedDict()

    def join(self, conversation: Conversation) -> None:
        """Note that we were called into it."""
        self._joined[conversation.key] = None
        self._joined.move_to_end(conversation.key)
        if len(self._joined) > self._capacity:
            self._joined.popitem(last=False)

    def forget(self, team: str) -> None:
        """Let go of what we know of a workspace."""
        beginning = Conversation.of_tenant(PLATFORM, team)
        for key in [key for key in self._joined if key.startswith(beginning)]:
            del self._joined[key]

    async def inside(self, conversation: Conversation) -> bool:
        """Whether we are part of it."""
        if conversation.key in self._joined:
            return True
        for guest in (False, True):
            if await self._memories.of(guest=guest).turns(conversation, limit=1):
                return True
        return False
