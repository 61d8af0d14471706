"""The workspaces that people have installed the app in, each with a token that is renewed before it expires."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter, OrderedDict
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from slack_sdk.errors import SlackTokenRotationError
from slack_sdk.oauth.token_rotation.async_rotator import AsyncTokenRotator

from adapters.slack.errors import mapped
from adapters.slack.events import Identity
from adapters.slack.installations import Place
from adapters.slack.workspaces import Workspace, still_speaks
from bot.errors import CitewellError, Transient
from memory.errors import MemoryUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from slack_sdk.oauth.installation_store.models.bot import Bot
    from slack_sdk.web.async_client import AsyncWebClient

    from adapters.slack.credentials import AppCredentials
    from adapters.slack.installations import Installations
    from adapters.slack.origin import Origin

_LOG = logging.getLogger(__name__)
_RENEW_MINUTES = 120
_LAST_SECONDS = 60.0
_MOST_KNOWN = 10_000


@dataclass(frozen=True, slots=True)
class _Known:
    bot: Bot
    client: AsyncWebClient


class InstalledWorkspaces:
    """`Workspaces` over the store of installations.

    `client` speaks for the app itself, `client_for` makes one that speaks with a token.

    A token that expires is renewed by `refresh` two hours before, and at the latest when it is needed within its last
    minute. `allowed` are the workspaces and organisations that may install; None lets everyone.
    """

    def __init__(
        self,
        installations: Installations,
        app: AppCredentials,
        client: AsyncWebClient,
        client_for: Callable[[str], AsyncWebClient],
        *,
        allowed: frozenset[str] | None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._installations = installations
        self._rotator = AsyncTokenRotator(client_id=app.client_id, client_secret=app.client_secret, client=client)
        self._client_for = client_for
        self._allowed = allowed
        self._clock = clock
        self._places: OrderedDict[str, Place] = OrderedDict()
        self._known: dict[Place, _Known] = {}
        self._unsaved: set[Place] = set()
        self._renewing: dict[Place, asyncio.Lock] = {}
        self._changes: Counter[Place] = Counter()

    def allows(self, *ids: str) -> bool:
        """Whether one of these, a workspace or its organisation, may have the app."""
        return self._allowed is None or not self._allowed.isdisjoint(ids)

    async def at(self, origin: Origin) -> Workspace | None:
        """The workspace that something came from; it is noted through which installation it is heard."""
        if not origin.team or not self.allows(origin.team, origin.enterprise):
            return None
        place = self._places.get(origin.team)
        if place is None or (origin.enterprise and place.enterprise not in {"", origin.enterprise}):
            with _reading():
                place = await self._installations.at(origin)
                if place is not None and place != await self._installations.of(origin.team):
                    await self._installations.note(origin.team, place)
        return await self._speaking(origin.team, place)

    async def of(self, team: str) -> Workspace | None:
        """The workspace with this id, of which something came before."""
        place = self._places.get(team)
        if place is None:
            with _reading():
                place = await self._installations.of(team)
        if place is None or not self.allows(team, place.enterprise):
            return None
        return await self._speaking(team, place)

    async def teams(self) -> Sequence[str]:
        """Those that were installed by themselves, and those that an organisation's installation was heard in."""
        with _reading():
            found = [await self._installations.workspaces_of(place) for place in await self._installations.all()]
        return list(dict.fromkeys(team for teams in found for team in teams))

    async def install(self, bot: Bot) -> None:
        """Store an installation, in place of an earlier one."""
        place = Place(bot.enterprise_id or "", bot.team_id or "")
        self._changed(place)
        with _reading():
            await self._installations.keep(place, bot)
            if place.team:
                await self._installations.note(place.team, place)
        self._changed(place)

    async def gone(self, origin: Origin, *, at: float, surely: bool) -> Sequence[str]:
        """Speak no more where the app was uninstalled at a time (Unix, seconds); the workspaces that this was.

        Unless it is `surely` so and the installation older than that, Slack is asked whether the token still works:
        if so, nothing is done. Asked for again, the same is given until `forgotten`.
        """
        with _reading():
            place = await self._installations.at(origin)
            if place is None:
                left = await self._installations.workspaces_of(Place(origin.enterprise, ""))
                return [origin.team] if origin.team.startswith("T") else left
            bot = await self._installations.bot(place)
            sure = surely and place.team and bot is not None and bot.installed_at < at
            if bot is not None and not sure and await still_speaks(self._client_for(bot.bot_token)):
                return ()
            self._changed(place)
            await self._installations.drop(place)
            self._changed(place)
            return [place.team] if place.team else await self._installations.workspaces_of(place)

    async def removed(self, origin: Origin, teams: Collection[str]) -> Sequence[str]:
        """Those of `teams` that were heard through the installation of their organisation, which goes on elsewhere."""
        with _reading():
            heard = await self._installations.workspaces_of(Place(origin.enterprise, ""))
        return [team for team in teams if team in heard]

    async def forgotten(self, teams: Sequence[str]) -> None:
        """Delete that there were these workspaces: all else of theirs is deleted."""
        with _reading():
            await self._installations.forget(teams)
        for team in teams:
            self._places.pop(team, None)

    async def refresh(self) -> None:
        """Renew every token that expires soon. What cannot be renewed is logged and tried again next time."""
        for place in await self._installations.all():
            try:
                known = await self._loaded(place)
                if known is not None:
                    await self._renewed(place, _RENEW_MINUTES)
            except (CitewellError, MemoryUnavailable) as error:
                _LOG.error("a token is not renewed yet: %s", error)

    async def _speaking(self, team: str, place: Place | None) -> Workspace | None:
        if place is None:
            return None
        known = await self._loaded(place)
        if known is None:
            self._places.pop(team, None)
            return None
        if _expires_within(known.bot, _LAST_SECONDS, self._clock()):
            known = await self._renewed(place, 1)
        self._places[team] = place
        self._places.move_to_end(team)
        if len(self._places) > _MOST_KNOWN:
            self._places.popitem(last=False)
        bot = known.bot
        me = Identity(team, bot.bot_user_id, bot.bot_id, enterprise=bot.enterprise_id or "", app=bot.app_id or "")
        return Workspace(me, known.client)

    async def _loaded(self, place: Place) -> _Known | None:
        """What is known of an installation, from the store the first time; what changed meanwhile is read again."""
        while (known := self._known.get(place)) is None:
            before = self._changes[place]
            with _reading():
                bot = await self._installations.bot(place)
            if bot is None:
                return None
            if before == self._changes[place]:
                self._known[place] = _Known(bot, self._client_for(bot.bot_token))
        return known

    async def _renewed(self, place: Place, minutes: int) -> _Known:
        """The installation with a token that holds for so many minutes more, where it can be had."""
        async with self._renewing.setdefault(place, asyncio.Lock()):
            known = self._known[place]
            before = self._changes[place]
            bot = await self._rotated(known.bot, minutes)
            if before != self._changes[place] or self._known.get(place) is not known:
                return self._known.get(place, known)  # reinstalled or uninstalled meanwhile
            if bot is not None:
                known = self._known[place] = _Known(bot, self._client_for(bot.bot_token))
                self._unsaved.add(place)
            if place in self._unsaved:
                await self._save(place, known.bot)
            return known

    async def _rotated(self, bot: Bot, minutes: int) -> Bot | None:
        """The same with a new token, or None where the one it has will do, or no other can be had."""
        try:
            with mapped("oauth.v2.access"):
                try:
                    return await self._rotator.perform_bot_token_rotation(bot=bot, minutes_before_expiration=minutes)
                except SlackTokenRotationError as error:
                    raise error.api_error from error
        except Transient as error:
            if _expires_within(bot, 0, self._clock()):
                raise
            _LOG.warning("the token for %s is not renewed yet: %s", bot.team_id or bot.enterprise_id, error)
        except CitewellError as error:
            _LOG.error(
                "the token for %s cannot be renewed, install the app there anew: %s",
                bot.team_id or bot.enterprise_id,
                error,
            )
        return None

    async def _save(self, place: Place, bot: Bot) -> None:
        """Slack has taken the old refresh token back, so what is not on the disk yet is kept and tried again."""
        try:
            await self._installations.keep(place, bot)
            self._unsaved.discard(place)
        except MemoryUnavailable as error:
            _LOG.error("a renewed token is not saved yet: %s", error)

    def _changed(self, place: Place) -> None:
        self._changes[place] += 1
        self._known.pop(place, None)
        self._unsaved.discard(place)
        for team in [team for team, known in self._places.items() if known == place]:
            del self._places[team]


def _expires_within(bot: Bot, seconds: float, now: float) -> bool:
    return bot.bot_token_expires_at is not None and bot.bot_token_expires_at <= now + seconds


@contextmanager
def _reading() -> Iterator[None]:
    """What cannot be read or written now may be later, so that Slack is not told that an event arrived."""
    try:
        yield
    except MemoryUnavailable as error:
        msg = f"installations: {error}"
        raise Transient(msg) from error
