"""Who wrote: guest or member, and their language and time zone, from `users.info`."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from adapters.slack.errors import mapped
from bot.errors import CitewellError, Transient
from bot.messages import Author

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from adapters.slack.workspaces import Workspace

_LOG = logging.getLogger(__name__)
_GUEST_MARKS = ("is_restricted", "is_ultra_restricted", "is_stranger")


class Users:
    """Authors, remembered for `ttl` seconds of `clock`. Whom Slack does not vouch for is taken for a guest.

    Where `shared` says of a workspace's channel that people of others can read there, so is everyone: what is written
    in it is theirs too, and nothing of it is kept (promise 8).

    An unknown person costs one call of at most `patience` seconds, since the message is acknowledged only afterwards
    and Slack waits three. A failed look-up is not remembered.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        *,
        shared: Callable[[str, str], Awaitable[bool]],
        ttl: float = 3600,
        patience: float = 1.5,
        capacity: int = 10_000,
    ) -> None:
        self._clock = clock
        self._shared = shared
        self._ttl = ttl
        self._patience = patience
        self._capacity = capacity
        self._known: dict[tuple[str, str], tuple[float, Author]] = {}

    async def author(self, user: str, here: Workspace, channel: str = "", *, outside: bool = False) -> Author:
        """The author behind a user id, as they count in this channel, or by themselves where none is given.

        `here` is our own workspace, `outside` what the event itself says.
        """
        if not channel:
            person, shared = await self._person(user, here), False
        else:
            person, shared = await asyncio.gather(self._person(user, here), self._shared(here.me.team, channel))
        return replace(person, guest=True) if outside or shared else person

    def forget(self, team: str) -> None:
        """Let go of whom we know of a workspace."""
        for key in [key for key in self._known if key[0] == team]:
            del self._known[key]

    async def _person(self, user: str, here: Workspace) -> Author:
        key = (here.me.team, user)
        known = self._known.get(key)
        if known is None or known[0] <= self._clock():
            try:
                async with asyncio.timeout(self._patience):
                    known = (self._clock() + self._ttl, await self._ask(user, here))
            except (CitewellError, TimeoutError) as error:
                _LOG.warning("users.info failed (%s): taking the author for a guest", error or type(error).__name__)
                return Author(user, guest=True, unknown=isinstance(error, Transient | TimeoutError))
            self._remember(key, known)
        return known[1]

    async def _ask(self, user: str, here: Workspace) -> Author:
        with mapped("users.info"):
            response = await here.client.users_info(user=user, include_locale=True)
        return author_of(user, response.get("user") or {}, here.me.team)

    def _remember(self, key: tuple[str, str], known: tuple[float, Author]) -> None:
        self._known.pop(key, None)
        if len(self._known) >= self._capacity:
            del self._known[next(iter(self._known))]
        self._known[key] = known


def author_of(user: str, profile: Mapping[str, Any], team: str) -> Author:
    """A person as `users.info` describes them. Without a workspace of their own on record they count as a guest."""
    guest = team not in _teams_of(profile) or any(profile.get(mark) for mark in _GUEST_MARKS)
    return Author(user, guest=guest, locale=profile.get("locale") or None, timezone=profile.get("tz") or None)


def _teams_of(profile: Mapping[str, Any]) -> set[object]:
    """The workspaces that a person belongs to: where an organisation has several, its own record of them says so."""
    organisation = profile.get("enterprise_user")
    teams = organisation.get("teams") if isinstance(organisation, dict) else None
    return {profile.get("team_id"), *(teams if isinstance(teams, list) else ())}
