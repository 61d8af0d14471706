"""The workspaces that we are installed in: for each who we are there, and a client that speaks with its token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from bot.errors import Permanent

if TYPE_CHECKING:
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
    """Both methods give None for a workspace that we are not installed in, and raise `Transient` where that cannot be
    told now.
    """

    async def at(self, origin: Origin) -> Workspace | None:
        """The workspace that something came from."""
        ...

    async def of(self, team: str) -> Workspace | None:
        """The workspace with this id, of which something came before."""
        ...


async def home(workspaces: Workspaces, message: IncomingMessage) -> Workspace:
    """The workspace that a message stands in. `Permanent` where the app has been uninstalled since."""
    found = await workspaces.of(message.conversation.tenant)
    if found is None:
        msg = f"Citewell is not installed in {message.conversation.tenant} any more"
        raise Permanent(msg)
    return found


class OneWorkspace:
    """The one that a bot token belongs to."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    async def at(self, origin: Origin) -> Workspace | None:
        """The one workspace, if it came from there."""
        return await self.of(origin.team)

    async def of(self, team: str) -> Workspace | None:
        """The one workspace, if it has this id."""
        return self._workspace if team == self._workspace.me.team else None
