"""Who wrote: guest or member, from the conversation's list of members; language and place, from the message itself."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, TypeVar

from adapters.teams.activities import country, timezone
from bot.errors import CitewellError
from bot.messages import Author

if TYPE_CHECKING:
    from collections.abc import Callable

    from adapters.teams.activities import Account, Activity
    from adapters.teams.address import Address
    from adapters.teams.connector import Connector

K = TypeVar("K")
V = TypeVar("V")
_LOG = logging.getLogger(__name__)
_MEMBER = "user"


class Users:
    """Authors; what Teams says of them is remembered for `ttl` seconds of `clock`. Whom it does not vouch for: a guest.

    `tenant` is the organisation's own; where it is not known, whose place it is. An unknown person costs one call of at
    most `patience` seconds, whoever waits for it, and a message is acknowledged after `moment` at the latest. A failed
    look-up is not remembered.
    """

    def __init__(
        self,
        connector: Connector,
        clock: Callable[[], float],
        *,
        tenant: str,
        ttl: float = 3600,
        moment: float = 0.15,
        patience: float = 2.0,
        capacity: int = 10_000,
    ) -> None:
        self._connector = connector
        self._clock = clock
        self._tenant = tenant
        self._ttl = ttl
        self._moment = moment
        self._patience = patience
        self._capacity = capacity
        self._known: dict[tuple[str, str], tuple[float, bool]] = {}
        self._asking: dict[tuple[str, str], asyncio.Task[bool]] = {}
        self._ids: dict[str, str] = {}

    async def author(self, activity: Activity, address: Address) -> Author:
        """Whoever sent this activity."""
        _keep(self._ids, activity.sender.stable_id, activity.sender.id, self._capacity)
        guest = self._foreign(activity.tenant) or activity.outside or not await self._is_member(activity, address)
        return Author(
            activity.sender.stable_id,
            guest=guest,
            locale=activity.locale or None,
            country=country(activity),
            timezone=timezone(activity),
        )

    async def at_once(self, activity: Activity, address: Address) -> Author | None:
        """Whoever sent this activity; None where it takes longer than a `moment` to learn whether they are a member."""
        try:
            async with asyncio.timeout(self._moment):
                return await self.author(activity, address)
        except TimeoutError:
            return None

    def platform_id(self, person: str) -> str:
        """The id by which Teams' connector knows this author; after a restart the directory's, which it takes too."""
        return self._ids.get(person, person)

    async def close(self) -> None:
        """Stop asking."""
        asking = tuple(self._asking.values())
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)

    def _foreign(self, tenant: str | None) -> bool:
        return bool(self._tenant) and bool(tenant) and tenant != self._tenant

    async def _is_member(self, activity: Activity, address: Address) -> bool:
        key = (activity.tenant, activity.sender.id)
        known = self._known.get(key)
        if known is not None and self._clock() < known[0]:
            return known[1]
        asking = self._asking.get(key)
        if asking is None:
            asking = self._asking[key] = asyncio.create_task(self._ask(key, activity, address))
            asking.add_done_callback(lambda _: self._asking.pop(key))
        return await asyncio.shield(asking)

    async def _ask(self, key: tuple[str, str], activity: Activity, address: Address) -> bool:
        try:
            async with asyncio.timeout(self._patience):
                found = await self._connector.member(address, activity.sender.id)
        except (CitewellError, TimeoutError) as error:
            _LOG.warning("nobody vouches for an author (%s): taken for a guest", error or type(error).__name__)
            return False
        vouched = self._vouched(found, activity)
        _keep(self._known, key, (self._clock() + self._ttl, vouched), self._capacity)
        return vouched

    def _vouched(self, found: Account, activity: Activity) -> bool:
        """Whether Teams calls them a user, and of our own tenant where it says of which."""
        own = self._tenant or activity.tenant
        same = found.id == activity.sender.id or found.aad_object_id == activity.sender.aad_object_id is not None
        return same and is_member(found, own)


def is_member(found: Account, tenant: str) -> bool:
    """Whether somebody in a list of members is a user, and of this tenant where Teams says of which."""
    return found.user_role == _MEMBER and found.tenant_id in {None, "", tenant}


def _keep(kept: dict[K, V], key: K, value: V, capacity: int) -> None:
    """As the newest; the oldest goes where there are too many."""
    kept.pop(key, None)
    if len(kept) >= capacity:
        del kept[next(iter(kept))]
    kept[key] = value
