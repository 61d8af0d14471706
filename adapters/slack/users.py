"""Who wrote: guest or member, and their language and time zone, from `users.info`."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from adapters.slack.errors import mapped
from bot.errors import CitewellError
from bot.messages import Author

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from slack_sdk.web.async_client import AsyncWebClient

_LOG = logging.getLogger(__name__)
_GUEST_MARKS = ("is_restricted", "is_ultra_restricted", "is_stranger")


class Users:
    """Authors, remembered for `ttl` seconds of `clock`. Whom Slack does not vouch for is taken for a guest.

    Where `shared` says of a channel that people of other workspaces can read there, so is everyone: what is written
    in it is theirs too, and nothing of it is kept (promise 8).

    An unknown person costs one call of at most `patience` seconds, since the message is acknowledged only afterwards
    and Slack waits three. A failed look-up is not remembered.
    """

    def __init__(
        self,
        client: AsyncWebClient,
        clock: Callable[[], float],
        *,
        shared: Callable[[str], Awaitable[bool]],
        ttl: float = 3600,
        patience: float = 1.5,
        capacity: int = 10_000,
    ) -> None:
        self._client = client
        self._clock = clock
        self._shared = shared
        self._ttl = ttl
        self._patience = patience
        self._capacity = capacity
        self._known: dict[str, tuple[float, Author]] = {}

    async def author(self, user: str, team: str, channel: str, *, outside: bool = False) -> Author:
        """The author behind a user id, as they count in this channel.

        `team` is our own workspace, `outside` what the event itself says.
        """
        author, shared = await asyncio.gather(self._person(user, team), self._shared(channel))
        return replace(author, guest=True) if outside or shared else author

    async def _person(self, user: str, team: str) -> Author:
        known = self._known.get(user)
        if known is None or known[0] <= self._clock():
            try:
                async with asyncio.timeout(self._patience):
                    known = (self._clock() + self._ttl, await self._ask(user, team))
            except (CitewellError, TimeoutError) as error:
                _LOG.warning("users.info failed (%s): taking the author for a guest", error or type(error).__name__)
                return Author(user, guest=True)
            self._remember(user, known)
        return known[1]

    async def _ask(self, user: str, team: str) -> Author:
        with mapped("users.info"):
            response = await self._client.users_info(user=user, include_locale=True)
        return author_of(user, response.get("user") or {}, team)

    def _remember(self, user: str, known: tuple[float, Author]) -> None:
        self._known.pop(user, None)
        if len(self._known) >= self._capacity:
            del self._known[next(iter(self._known))]
        self._known[user] = known


def author_of(user: str, profile: Mapping[str, Any], team: str) -> Author:
    """A person as `users.info` describes them. Without a workspace of their own on record they count as a guest."""
    guest = profile.get("team_id") != team or any(profile.get(mark) for mark in _GUEST_MARKS)
    return Author(user, guest=guest, locale=profile.get("locale") or None, timezone=profile.get("tz") or None)
