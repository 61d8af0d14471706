"""Who can read in a channel, and which channels a person is in, as Slack says.

Slack answers `conversations.info`, `conversations.members`, `users.list` and `users.conversations`. Whoever is not
listed as a full member of our own workspace is an outsider: guests, people of other workspaces, and whom Slack does
not name.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from adapters.kept import Kept
from adapters.slack.errors import mapped
from adapters.slack.events import is_direct
from adapters.slack.users import author_of
from bot.errors import CitewellError, Permanent

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

    from slack_sdk.web.async_client import AsyncWebClient
    from slack_sdk.web.async_slack_response import AsyncSlackResponse

    from bot.messages import Author
    from memory.conversation import Conversation

_LOG = logging.getLogger(__name__)
_PAGE = 1000
_MOST_PAGES = 100
_SHARED_MARKS = ("is_ext_shared", "is_shared", "is_pending_ext_shared", "is_org_shared")
_PENDING = ("pending_shared", "pending_connected_team_ids", "connected_team_ids")
_CHANNELS = "public_channel,private_channel,mpim"


class SlackPlaces:
    """`bot.access.Places` of one workspace, `team`. `speaking` gives the client that speaks for us there just now.

    What a channel is, is kept for `ttl` seconds, who is in it for a fifth of that, and who is a member of the workspace
    for twice as long: so much later a change is heeded. `patience` bounds what a message waits for before it is stored.
    """

    def __init__(
        self,
        speaking: Callable[[], Awaitable[AsyncWebClient]],
        team: str,
        clock: Callable[[], float],
        *,
        ttl: float = 300.0,
        patience: float = 1.5,
    ) -> None:
        self._speaking = speaking
        self._team = team
        self._patience = patience
        self._shared = Kept(self._ask_shared, clock, ttl=ttl)
        self._inside = Kept(self._ask_inside, clock, ttl=ttl / 5)
        self._members = Kept(self._ask_members, clock, ttl=ttl * 2)
        self._channels = Kept(self._ask_channels, clock, ttl=ttl / 5)

    def is_direct(self, conversation: Conversation) -> bool:
        """Whether it is a direct message between one person and us."""
        return is_direct(conversation.channel)

    async def closed(self, conversation: Conversation) -> bool:
        """Whether all who can read there are full members of the workspace. Raises our errors."""
        if await self._shared.of(conversation.channel):
            return False
        inside, members = await asyncio.gather(self._inside.of(conversation.channel), self._members.of(self._team))
        return bool(inside) and inside <= members

    async def channels_of(self, author: Author) -> frozenset[str]:
        """The channels that a person and we are in, and public ones that the person is in. Raises our errors."""
        return await self._channels.of(author.id)

    async def shared(self, channel: str) -> bool:
        """Whether people of other workspaces are or may soon be in a channel; so it is where Slack does not say."""
        if is_direct(channel):
            return False
        try:
            async with asyncio.timeout(self._patience):
                return await self._shared.of(channel)
        except (CitewellError, TimeoutError) as error:
            _LOG.warning("taking a channel for a shared one: %s", error or type(error).__name__)
            return True

    async def close(self) -> None:
        """Stop asking."""
        for kept in (self._shared, self._inside, self._members, self._channels):
            await kept.close()

    async def _ask_shared(self, channel: str) -> bool:
        client = await self._speaking()
        with mapped("conversations.info"):
            response = await client.conversations_info(channel=channel)
        return is_shared(response.get("channel") or {}, self._team)

    async def _ask_inside(self, channel: str) -> frozenset[str]:
        client = await self._speaking()

        async def page(cursor: str | None) -> AsyncSlackResponse:
            return await client.conversations_members(channel=channel, limit=_PAGE, cursor=cursor)

        return frozenset(
            [str(one) async for got in _pages("conversations.members", page) for one in got.get("members") or ()]
        )

    async def _ask_members(self, _: str) -> frozenset[str]:
        client = await self._speaking()

        async def page(cursor: str | None) -> AsyncSlackResponse:
            return await client.users_list(limit=_PAGE, cursor=cursor)

        return frozenset(
            [
                str(one["id"])
                async for got in _pages("users.list", page)
                for one in got.get("members") or ()
                if not author_of(str(one.get("id")), one, self._team).guest
            ]
        )

    async def _ask_channels(self, user: str) -> frozenset[str]:
        client = await self._speaking()

        async def page(cursor: str | None) -> AsyncSlackResponse:
            return await client.users_conversations(
                user=user, types=_CHANNELS, exclude_archived=True, limit=_PAGE, cursor=cursor
            )

        return frozenset(
            [str(one["id"]) async for got in _pages("users.conversations", page) for one in got.get("channels") or ()]
        )


def is_shared(channel: Mapping[str, Any], team: str) -> bool:
    """Whether others than `team` are in a channel, or are invited, as `conversations.info` describes it.

    One that is not described at all counts as shared. So does one shared within an Enterprise organisation, since
    people of its other workspaces are outsiders to this one.
    """
    others = any(other != team for name in _PENDING for other in channel.get(name) or ())
    return not channel.get("id") or others or any(channel.get(mark) for mark in _SHARED_MARKS)


async def _pages(
    method: str, page: Callable[[str | None], Awaitable[AsyncSlackResponse]]
) -> AsyncIterator[AsyncSlackResponse]:
    cursor: str | None = None
    for _ in range(_MOST_PAGES):
        with mapped(method):
            response = await page(cursor)
        yield response
        cursor = (response.get("response_metadata") or {}).get("next_cursor")
        if not cursor:
            return
    raise Permanent(f"{method}: more than {_MOST_PAGES * _PAGE} entries, so that nothing is known of them")
