"""Which collections a person may learn from in a place: one function for answers, follow-ups, sources and buttons.

Nobody learns more than the place allows (promise 9). What is written in a place can be read by all who are there, so
that a place in which anybody from outside can read gives public collections only, whoever asks.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from memory.conversation import Conversation
from retrieval.document import PUBLIC

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from bot.messages import Author

logger = logging.getLogger(__name__)

DEFAULT = "default"
"""In a platform's table: all channels that are not named there."""


class Access(Protocol):
    """Which collections a person may see in a place; None means all. It never raises: where it cannot tell, public."""

    async def __call__(self, conversation: Conversation, author: Author, /) -> frozenset[str] | None:
        """Their names."""
        ...


class Places(Protocol):
    """What one platform says of the places of one tenant. It may raise what it likes, and be cancelled at any time."""

    def is_direct(self, conversation: Conversation) -> bool:
        """Whether its author and we are alone there."""
        ...

    async def closed(self, conversation: Conversation) -> bool:
        """Whether all who can read there are members of the organisation; False where that is not known."""
        ...

    async def channels_of(self, author: Author) -> Collection[str]:
        """The ids of the channels that this member is in."""
        ...


@dataclass(frozen=True, slots=True)
class Shelving:
    """What the operator has set. `public` is what everyone may see, everywhere.

    `channels` has a table for each platform: the collections of a channel by its id; of all channels of a tenant that
    are not named by the tenant's id; of all others by `DEFAULT`. With no table at all nothing is divided among
    channels, and members see everything where nobody else reads. With any, what is not named is public.
    `direct_by_channels` opens in a direct message what the person's channels allow there; else it is public.
    """

    public: frozenset[str] = frozenset({PUBLIC})
    channels: Mapping[str, Mapping[str, frozenset[str]]] = field(default_factory=dict)
    direct_by_channels: bool = False

    def of_channel(self, conversation: Conversation) -> frozenset[str] | None:
        """What a channel shows to members as long as nobody else reads there; None means all."""
        if not self.channels:
            return None
        table = self.channels.get(conversation.platform, {})
        for name in (conversation.channel, conversation.tenant, DEFAULT):
            if name in table:
                return table[name]
        return self.public


class PlaceAccess:
    """`Access` by the operator's `shelving` and by what the platforms say of their places, asked anew each time.

    Each platform registers what knows its places; one that has not is taken for open to outsiders. `own` are the
    platforms on the operator's own machine, where a member sees all. What takes longer than `patience` seconds is
    not waited for.
    """

    def __init__(self, shelving: Shelving, *, own: Collection[str] = (), patience: float = 2.0) -> None:
        self.shelving = shelving
        self._own = frozenset(own)
        self._patience = patience
        self._places: dict[tuple[str, str], Places] = {}

    def register(self, platform: str, tenant: str, places: Places) -> None:
        """Ask these about the tenant's places from now on."""
        self._places[platform, tenant] = places

    def forget(self, platform: str, tenant: str) -> None:
        """Ask nobody any more: its places count as open to outsiders."""
        self._places.pop((platform, tenant), None)

    async def __call__(self, conversation: Conversation, author: Author, /) -> frozenset[str] | None:
        """The collections that this person may see here; None means all."""
        if author.guest:
            return self.shelving.public
        if conversation.platform in self._own:
            return None
        places = self._places.get((conversation.platform, conversation.tenant))
        if places is None:
            return self.shelving.public
        try:
            async with asyncio.timeout(self._patience):
                if places.is_direct(conversation):
                    return await self._direct(conversation, author, places)
                return await self._channel(conversation, places)
        except Exception as error:  # noqa: BLE001 - whatever broke, nobody is shown more for it
            logger.warning("%s gets public collections only: %s", conversation.place, type(error).__name__)
            return self.shelving.public

    async def _channel(self, conversation: Conversation, places: Places) -> frozenset[str] | None:
        allowed = self.shelving.of_channel(conversation)
        if allowed is not None and allowed <= self.shelving.public:
            return allowed
        return allowed if await places.closed(conversation) else self.shelving.public

    async def _direct(self, conversation: Conversation, author: Author, places: Places) -> frozenset[str] | None:
        found = self.shelving.public
        if not self.shelving.direct_by_channels:
            return found
        for channel in sorted(await places.channels_of(author)):
            there = Conversation(conversation.platform, conversation.tenant, channel)
            allowed = self.shelving.of_channel(there)
            if allowed is not None and allowed <= found:
                continue
            if await places.closed(there):
                if allowed is None:
                    return None
                found |= allowed
        return found


async def by_person(_: Conversation, author: Author, /) -> frozenset[str] | None:
    """`Access` where there are no places to tell apart: guests see what is public, members all."""
    return frozenset({PUBLIC}) if author.guest else None
