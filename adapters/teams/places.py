"""Who can read in a place, and which channels a person is in, as Teams says.

The connector's list of members says of each whether they are a user, and of which tenant. Teams lists no channels to a
bot, so a person is looked for in those that the operator has named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adapters.kept import Kept
from adapters.teams.activities import PLATFORM
from adapters.teams.address import Address
from adapters.teams.users import is_member
from bot.errors import Permanent
from memory.conversation import Conversation

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from adapters.teams.connector import Connector
    from bot.messages import Author
    from memory.outbox import Outbox

_SHARED_BY_SEVERAL = "19:"


class TeamsPlaces:
    """`bot.access.Places` of the organisation's own tenant.

    `named` gives the channels that the settings name, `boxes` know where a place is reached. Who is in a place is kept
    for `ttl` seconds: so much later a change is heeded.
    """

    def __init__(
        self,
        connector: Connector,
        boxes: Sequence[Outbox],
        *,
        tenant: str,
        named: Callable[[], Collection[str]],
        clock: Callable[[], float],
        ttl: float = 60.0,
    ) -> None:
        self._connector = connector
        self._boxes = boxes
        self._tenant = tenant
        self._named = named
        self._closed = Kept(self._ask_closed, clock, ttl=ttl)
        self._inside = Kept(self._ask_inside, clock, ttl=ttl)

    def is_direct(self, conversation: Conversation) -> bool:
        """Whether it is a chat between one person and us, as ids tell; what cannot be told is taken for one."""
        return not conversation.thread and not conversation.channel.startswith(_SHARED_BY_SEVERAL)

    async def closed(self, conversation: Conversation) -> bool:
        """Whether all who are there are users of the tenant. Raises our errors."""
        return await self._closed.of(conversation.channel)

    async def channels_of(self, author: Author) -> frozenset[str]:
        """Those of the named channels that a person is in. Raises our errors."""
        return await self._inside.of(author.id)

    async def close(self) -> None:
        """Stop asking."""
        await self._closed.close()
        await self._inside.close()

    async def _ask_closed(self, channel: str) -> bool:
        members = await self._connector.members(await self._address(channel))
        return bool(members) and all(is_member(one, self._tenant) for one in members)

    async def _ask_inside(self, person: str) -> frozenset[str]:
        shared = [name for name in self._named() if name.startswith(_SHARED_BY_SEVERAL)]
        return frozenset([channel for channel in shared if await self._is_in(channel, person)])

    async def _is_in(self, channel: str, person: str) -> bool:
        try:
            found = await self._connector.member(await self._address(channel), person)
        except Permanent:  # not there, or nobody has ever asked us anything there
            return False
        return is_member(found, self._tenant)

    async def _address(self, channel: str) -> Address:
        place = Conversation(PLATFORM, self._tenant, channel).place
        for box in self._boxes:
            stored = await box.address(place)
            if stored is not None and (address := Address.read(stored)) is not None:
                return address
        raise Permanent("it is not known how a place is reached")
