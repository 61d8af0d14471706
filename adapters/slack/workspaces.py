"""The workspaces that we are installed in: for each who we are there, and a client that speaks with its token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from adapters.slack.errors import mapped
from bot.errors import Misconfigured, Permanent

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from slack_sdk.web.async_client import AsyncWebClient

    from adapters.slack.events import Identity
    from adapters.slack.origin import Origin
    from bot.messages import IncomingMessage


@dataclass(frozen=True, slots=True)
class Workspace:
    """One that we are installed in. Ask for it anew rather than keep it: its token may be replaced."""

    me: Identity
    client: AsyncWebClient


class Workspaces(Protocol):
    """Every method may raise `Transient` where it cannot be told now."""

    async def at(self, origin: Origin) -> Workspace | None:
        """The workspace that something came from; None where we are not installed."""
        ...

    async def of(self, team: str) -> Workspace | None:
        """The workspace with this id, of which something came before; None where we are not installed any more."""
        ...

    async def teams(self) -> Sequence[str]:
        """The workspaces that we are in, as far as something came from each or it was installed by itself."""
        ...

    async def gone(self, origin: Origin, *, at: float, surely: bool) -> Sequence[str]:
        """Speak no more where the app was uninstalled at a time (Unix, seconds); the workspaces that this was.

        Where it is not `surely` so, or we were installed after that, Slack is asked whether the token still works: if
        so, nothing is done. Called again it gives the same, until they are `forgotten`.
        """
        ...

    async def removed(self, origin: Origin, teams: Collection[str]) -> Sequence[str]:
        """Those of `teams` that we were heard in through their organisation, which has taken us out of these."""
        ...

    async def forgotten(self, teams: Sequence[str]) -> None:
        """All else of these workspaces is deleted: delete that there were any."""
        ...

    async def refresh(self) -> None:
        """Renew what expires soon. It never raises."""
        ...


async def home(workspaces: Workspaces, message: IncomingMessage) -> Workspace:
    """The workspace that a message stands in. `Permanent` where the app has been uninstalled since."""
    found = await workspaces.of(message.conversation.tenant)
    if found is None:
        msg = f"Citewell is not installed in {message.conversation.tenant} any more"
        raise Permanent(msg)
    return found


async def still_speaks(client: AsyncWebClient) -> bool:
    """Whether Slack still takes the client's token."""
    try:
        with mapped("auth.test"):
            await client.auth_test()
    except Misconfigured:
        return False
    return True


class OneWorkspace:
    """The one that a bot token belongs to."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace: Workspace | None = workspace
        self._team = workspace.me.team

    async def at(self, origin: Origin) -> Workspace | None:
        """The one workspace, if it came from there."""
        return await self.of(origin.team)

    async def of(self, team: str) -> Workspace | None:
        """The one workspace, if it has this id."""
        return self._workspace if team == self._team else None

    async def teams(self) -> Sequence[str]:
        """The one workspace."""
        return (self._team,)

    async def gone(self, origin: Origin, *, at: float, surely: bool) -> Sequence[str]:
        """The one workspace, if it is this."""
        del at  # when the token was made is not known
        if origin.team != self._team:
            return ()
        if self._workspace is not None and not surely and await still_speaks(self._workspace.client):
            return ()
        self._workspace = None
        return (self._team,)

    async def removed(self, origin: Origin, teams: Collection[str]) -> Sequence[str]:
        """None: a token of one workspace is not its organisation's."""
        del origin, teams
        return ()

    async def forgotten(self, teams: Sequence[str]) -> None:
        """Nothing is kept."""

    async def refresh(self) -> None:
        """Whoever set the token renews it."""
