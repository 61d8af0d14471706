"""A reply, posted once: in its thread, or to its author alone where it is private."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, assert_never

from adapters.slack.again import asked_at
from adapters.slack.blocks import content, plain_posts, posts
from adapters.slack.errors import Unshowable, mapped
from adapters.slack.events import is_direct
from adapters.slack.workspaces import home
from bot.errors import CitewellError, Permanent

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

    from slack_sdk.web.async_slack_response import AsyncSlackResponse

    from adapters.slack.alerts import Alerts
    from adapters.slack.blocks import Post
    from adapters.slack.workspaces import Workspaces
    from bot.messages import IncomingMessage, Reply
    from bot.wording import Wording

_LOG = logging.getLogger(__name__)
EVENT_TYPE = "citewell_reply"
_PAGE = 200
_MOST_PAGES = 20
_MOST_OPEN = 1000

Privately: TypeAlias = Literal["ephemeral", "dm", "both"]
"""How a reply to one person alone goes out: where the message stood and for them only, as a direct message, or both."""


class SlackDelivery:
    """Posts replies. Raises `Transient` (with Slack's Retry-After), `Permanent` or `Misconfigured`.

    Every posted message carries the key of the message it answers as metadata, by which it is found again. A reply
    to one person alone goes out `privately` and is not found again: after a crash its author may see it twice. Where
    there are `alerts`, someone is told before a reply that asks for it goes out, and it says so only if that was done.
    A status that Slack does not take within `status_patience` seconds is not shown.
    """

    def __init__(
        self,
        workspaces: Workspaces,
        words: Wording,
        *,
        privately: Privately = "ephemeral",
        alerts: Alerts | None = None,
        status_patience: float = 2.0,
    ) -> None:
        self._workspaces = workspaces
        self._privately: Privately = privately
        self._alerts = alerts
        self._words = words
        self._status_patience = status_patience
        self._standing: dict[str, int] = {}  # of a reply in several messages, how many stand

    async def working(self, message: IncomingMessage) -> None:
        """Show that an answer is on its way. Never fails."""
        await self._status(message, self._words.status.working)

    async def deliver(self, message: IncomingMessage, reply: Reply) -> None:
        """Post the reply. Called again after a `Transient`, it goes on where it stopped."""
        private = reply.private and not is_direct(message.conversation.channel)
        if reply.if_alerted and self._alerts is not None and await self._alerts.told_of(message):
            reply = replace(reply, text=f"{reply.text}\n\n{reply.if_alerted}")
        try:
            await (self._alone(message, reply) if private else self._openly(message, reply))
        except Permanent as error:
            _LOG.error("the reply to %s cannot be posted: %s", message.key, error)
            self._standing.pop(message.key, None)
            raise
        self._standing.pop(message.key, None)
        if private or not message.conversation.thread:
            await self._status(message, "")

    async def delivered(self, message: IncomingMessage) -> bool:
        """Whether the whole reply to this message stands already. Raises what `deliver` raises."""
        parts: set[int] = set()
        expected = 1
        async for payload in self._posted_since(message):
            if payload.get("key") == message.key:
                parts.add(int(payload.get("part", 0)))
                expected = int(payload.get("parts", 1))
        standing = next(at for at in range(len(parts) + 1) if at not in parts)
        self._note(message, max(standing, self._standing.get(message.key, 0)))  # what went elsewhere is not among them
        return standing >= expected

    async def _openly(self, message: IncomingMessage, reply: Reply) -> None:
        conversation = message.conversation
        await self._in_some_form(
            reply, lambda parts: self._post_all(conversation.channel, conversation.thread, message, reply, parts)
        )

    async def _alone(self, message: IncomingMessage, reply: Reply) -> None:
        """To the author alone, in the way that is set, and in the other one if Slack refuses that."""
        match self._privately:
            case "ephemeral":
                ways = (self._ephemerally, self._directly)
            case "dm" | "both":  # what was posted is known when it is tried again, so that comes first
                ways = (self._directly, self._ephemerally)
            case _ as never:
                assert_never(never)
        refused: list[Permanent] = []
        for way in ways:
            try:
                await way(message, reply)
            except Permanent as error:
                _LOG.warning("the private reply to %s takes another way: %s", message.key, error)
                refused.append(error)
                continue
            if self._privately != "both":
                return
        if len(refused) == len(ways):
            raise refused[-1]

    async def _ephemerally(self, message: IncomingMessage, reply: Reply) -> None:
        async def post(parts: Sequence[Post]) -> None:
            for part in parts:
                await self._post_ephemeral(message, part)

        await self._in_some_form(reply, post)

    async def _directly(self, message: IncomingMessage, reply: Reply) -> None:
        here = await home(self._workspaces, message)
        with mapped("conversations.open"):
            opened = await here.client.conversations_open(users=message.author.id)
        channel = str((opened.get("channel") or {}).get("id", ""))
        await self._in_some_form(reply, lambda parts: self._post_all(channel, "", message, reply, parts))

    async def _in_some_form(self, reply: Reply, post: Callable[[Sequence[Post]], Awaitable[None]]) -> None:
        """With blocks, or as plain text where Slack does not take those."""
        try:
            await post(posts(reply, self._words))
        except Unshowable as error:
            _LOG.warning("posting plain text instead: %s", error)
            await post(plain_posts(reply, self._words))

    async def _post_all(
        self, channel: str, thread: str, message: IncomingMessage, reply: Reply, parts: Sequence[Post]
    ) -> None:
        for at in range(self._standing.get(message.key, 0), len(parts)):
            payload = {"key": message.key, "trace": reply.trace_id, "part": at, "parts": len(parts)}
            here = await home(self._workspaces, message)
            with mapped("chat.postMessage"):
                await here.client.chat_postMessage(
                    channel=channel,
                    thread_ts=thread or None,
                    unfurl_links=False,
                    unfurl_media=False,
                    metadata={"event_type": EVENT_TYPE, "event_payload": payload},
                    **content(parts[at]),
                )
            self._note(message, at + 1)

    async def _post_ephemeral(self, message: IncomingMessage, part: Post) -> None:
        """Where the message stood. Slack shows nobody what goes into a thread before anyone has replied there."""
        thread = message.conversation.thread
        here = await home(self._workspaces, message)
        with mapped("chat.postEphemeral"):
            await here.client.chat_postEphemeral(
                channel=message.conversation.channel,
                user=message.author.id,
                thread_ts=thread if thread and thread != asked_at(message) else None,
                **content(part),
            )

    async def _status(self, message: IncomingMessage, status: str) -> None:
        try:
            async with asyncio.timeout(self._status_patience):
                here = await home(self._workspaces, message)
                with mapped("assistant.threads.setStatus"):
                    await here.client.assistant_threads_setStatus(
                        channel_id=message.conversation.channel,
                        thread_ts=message.conversation.thread or asked_at(message),
                        status=status,
                    )
        except (CitewellError, TimeoutError) as error:
            _LOG.debug("no status shown: %s", error)

    async def _posted_since(self, message: IncomingMessage) -> AsyncIterator[dict[str, Any]]:
        """The payloads of our own messages in this conversation since the message."""
        me = (await home(self._workspaces, message)).me
        cursor: str | None = None
        for _ in range(_MOST_PAGES):
            response = await self._page(message, cursor)
            for posted in response.get("messages") or ():
                metadata = posted.get("metadata") or {}
                ours = me.bot and posted.get("bot_id") == me.bot
                if ours and metadata.get("event_type") == EVENT_TYPE:
                    yield metadata.get("event_payload") or {}
            cursor = (response.get("response_metadata") or {}).get("next_cursor")
            if not cursor:
                return

    async def _page(self, message: IncomingMessage, cursor: str | None) -> AsyncSlackResponse:
        conversation, here = message.conversation, await home(self._workspaces, message)
        if conversation.thread:
            with mapped("conversations.replies"):
                return await here.client.conversations_replies(
                    channel=conversation.channel,
                    ts=conversation.thread,
                    oldest=asked_at(message),
                    limit=_PAGE,
                    cursor=cursor,
                    include_all_metadata=True,
                )
        with mapped("conversations.history"):
            return await here.client.conversations_history(
                channel=conversation.channel,
                oldest=asked_at(message),
                limit=_PAGE,
                cursor=cursor,
                include_all_metadata=True,
            )

    def _note(self, message: IncomingMessage, standing: int) -> None:
        self._standing[message.key] = standing
        if len(self._standing) > _MOST_OPEN:
            del self._standing[next(iter(self._standing))]
