"""A workspace leaves: the app is uninstalled there, its token revoked, or its organisation takes the app out of it."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from adapters.slack.events import PLATFORM

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence

    from adapters.forgetting import Forgetter
    from adapters.slack.origin import Origin
    from adapters.slack.workspaces import Workspaces

_LOG = logging.getLogger(__name__)
Kind: TypeAlias = Literal["app_uninstalled", "tokens_revoked", "team_access_revoked"]
DEPARTURES: tuple[str, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Departure:
    """What Slack says of it, and when, in seconds of Unix time. `teams` are named where an organisation took us out."""

    kind: Kind
    at: float
    teams: tuple[str, ...] = ()


class _Tokens(BaseModel):
    model_config = ConfigDict(extra="ignore")

    bot: list[str] = Field(default_factory=list)


class _Event(BaseModel):
    model_config = ConfigDict(extra="ignore")

    type: Kind
    tokens: _Tokens = Field(default_factory=_Tokens)
    team_ids: tuple[str, ...] = ()


class _Wrapper(BaseModel):
    model_config = ConfigDict(extra="ignore")

    type: Literal["event_callback"]
    event: _Event
    event_time: float = 0


def departure(body: object) -> Departure | None:
    """The departure in an event; None for any other, and for tokens of people, of which we have none."""
    try:
        sent = _Wrapper.model_validate(body)
    except ValidationError:
        return None
    if sent.event.type == "tokens_revoked" and not sent.event.tokens.bot:
        return None
    return Departure(sent.event.type, sent.event_time, sent.event.team_ids)


class Leaving:
    """Deletes what is of a workspace that leaves, and nothing of another.

    That is turns with their sources, summaries and ratings, what waits in the inbox, the documents that were sent,
    which `documents` deletes for a platform and a workspace and counts, the token, and what is known in RAM, which each
    of `caches` forgets for a workspace.
    """

    def __init__(
        self,
        workspaces: Workspaces,
        forgetter: Forgetter,
        caches: Sequence[Callable[[str], None]],
        documents: Callable[[str, str], Awaitable[int]],
    ) -> None:
        self._documents = documents
        self._workspaces = workspaces
        self._forgetter = forgetter
        self._caches = caches
        self._inside: dict[str, set[asyncio.Future[None]]] = defaultdict(set)

    @contextmanager
    def inside(self, team: str) -> Iterator[None]:
        """While something of a workspace is taken in: what that stores is not to come after the deletion."""
        ended = asyncio.get_running_loop().create_future()
        self._inside[team].add(ended)
        try:
            yield
        finally:
            ended.set_result(None)
            self._inside[team].discard(ended)
            if not self._inside[team]:
                del self._inside[team]

    async def follow(self, departure: Departure, origin: Origin) -> None:
        """Delete what has to go. Raises `Transient`, `MemoryUnavailable`, `RetrievalError` or OSError; done again, it
        goes on.
        """
        if departure.kind == "team_access_revoked":
            teams = await self._workspaces.removed(origin, departure.teams)
        else:
            surely = departure.kind == "app_uninstalled"
            teams = await self._workspaces.gone(origin, at=departure.at, surely=surely)
        if not teams:
            _LOG.warning("%s for %s: nothing is deleted, the app is installed", departure.kind, origin.team or "nobody")
        for team in teams:
            if inside := tuple(self._inside.get(team, ())):
                await asyncio.wait(inside)
            gone = await self._forgetter.tenant(PLATFORM, team)
            for forget in self._caches:
                forget(team)
            documents = await self._documents(PLATFORM, team)
            _LOG.warning(
                "%s: all of %s is deleted, %d turns, %d messages that waited and %d documents",
                departure.kind,
                team,
                gone.turns,
                gone.waiting,
                documents,
            )
        await self._workspaces.forgotten(teams)
