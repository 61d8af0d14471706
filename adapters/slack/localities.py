"""The places and files of every workspace that we are in, made known to whoever asks who may see and send what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adapters.slack.events import PLATFORM
from adapters.slack.files import SlackFiles
from adapters.slack.places import SlackPlaces
from bot.errors import Permanent

if TYPE_CHECKING:
    from collections.abc import Callable

    from slack_sdk.web.async_client import AsyncWebClient

    from adapters.intake import Intake
    from adapters.slack.intake import SlackIntake
    from adapters.slack.workspaces import Workspaces
    from bot.access import PlaceAccess


class Localities:
    """One `SlackPlaces` a workspace, each speaking with the token that its workspace has at the moment."""

    def __init__(
        self,
        workspaces: Workspaces,
        telling: SlackIntake,
        access: PlaceAccess,
        intake: Intake,
        clock: Callable[[], float],
    ) -> None:
        self._workspaces = workspaces
        self._telling = telling
        self._access = access
        self._intake = intake
        self._clock = clock
        self._known: dict[str, SlackPlaces] = {}
        self._left: list[SlackPlaces] = []

    async def begin(self) -> None:
        """Make known all workspaces that we are in already. Raises `Transient` where that cannot be told now."""
        for team in await self._workspaces.teams():
            self.of(team)

    def of(self, team: str) -> SlackPlaces:
        """The places of a workspace, made known the first time."""
        places = self._known.get(team)
        if places is None:

            async def speaking() -> AsyncWebClient:
                here = await self._workspaces.of(team)
                if here is None:
                    msg = f"Citewell is not installed in {team} any more"
                    raise Permanent(msg)
                return here.client

            places = self._known[team] = SlackPlaces(speaking, team, self._clock)
            self._access.register(PLATFORM, team, places)
            self._intake.register(PLATFORM, team, SlackFiles(speaking, self._telling), places.is_direct)
        return places

    async def shared(self, team: str, channel: str) -> bool:
        """Whether people of other workspaces are or may soon be in a channel."""
        return await self.of(team).shared(channel)

    def forget(self, team: str) -> None:
        """The app has left the workspace: its places count as open to outsiders, and its files are left alone."""
        places = self._known.pop(team, None)
        if places is not None:
            self._left.append(places)
            self._access.forget(PLATFORM, team)
            self._intake.forget(PLATFORM, team)

    async def close(self) -> None:
        """Stop asking."""
        for places in (*self._known.values(), *self._left):
            await places.close()
