"""A reply, posted once: in its thread, or to its author alone where it is private."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from adapters.slack.blocks import Post, plain_posts, posts
from adapters.slack.errors import Unshowable, mapped
from adapters.slack.events import is_direct
from bot.errors import CitewellError, Permanent

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from slack_sdk.web.async_client import AsyncWebClient
    from slack_sdk.web.async_slack_response import AsyncSlackResponse

    from adapters.slack.events import Identity
    from bot.messages import IncomingMessage, Reply
    from bot.wording import Wording

_LOG = logging.getLogger(__name__)
EVENT_TYPE = "citewell_reply"
_PAGE = 200
_MOST_PAGES = 20
_MOST_OPEN = 1000


class SlackDelivery:
    """Posts replies. Raises `Transient` (with Slack's Retry-After), `Permanent` or `Misconfigured`.

    Every posted message carries the key of the message it answers as metadata, by which it is found again. A reply
    to one person alone is ephemeral and cannot be found again: after a crash its author may see it twice. A status
    that Slack does not take within `status_patience` seconds is not shown.
    """

    def __init__(self, client: AsyncWebClient, me: Identity, words: Wording, *, status_patience: float = 2.0) -> None:
        self._client = client
        self._me = me
        self._words = words
        self._status_patience = status_patience
        self._standing: dict[str, int] = {}  # of a reply in several messages, how many stand

    async def working(self, message: IncomingMessage) -> None:
        """Show that an answer is on its way. Never fails."""
        await self._status(message, self._words.status.working)

    async def deliver(self, message: IncomingMessage, reply: Reply) -> None:
        """Post the reply. Called again after a `Transient`, it goes on where it stopped."""
        private = reply.private and not is_direct(message.conversation.channel)
        try:
            await (self._privately(message, reply) if private else self._openly(message, reply))
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
        self._note(message, standing)
        return standing >= expected

    async def _openly(self, message: IncomingMessage, reply: Reply) -> None:
        conversation = message.conversation
        try:
            await self._post_all(conversation.channel, conversation.thread, message, reply, posts(reply, self._words))
        except Unshowable as error:
            _LOG.warning("posting plain text instead: %s", error)
            await self._post_all(
                conversation.channel, conversation.thread, message, reply, plain_posts(reply, self._words)
            )

    async def _privately(self, message: IncomingMessage, reply: Reply) -> None:
        """To the author alone, where they wrote; if that cannot be, in a direct message."""
        parts = posts(reply, self._words)
        try:
            for part in parts:
                await self._post_ephemeral(message, part)
        except Permanent as error:
            _LOG.warning("writing a direct message instead: %s", error)
            with mapped("conversations.open"):
                opened = await self._client.conversations_open(users=message.author.id)
            await self._post_all(str((opened.get("channel") or {}).get("id", "")), "", message, reply, parts)

    async def _post_all(
        self, channel: str, thread: str, message: IncomingMessage, reply: Reply, parts: Sequence[Post]
    ) -> None:
        for at in range(self._standing.get(message.key, 0), len(parts)):
            payload = {"key": message.key, "trace": reply.trace_id, "part": at, "parts": len(parts)}
            with mapped("chat.postMessage"):
                await self._client.chat_postMessage(
                    channel=channel,
                    thread_ts=thread or None,
                    unfurl_links=False,
                    unfurl_media=False,
                    metadata={"event_type": EVENT_TYPE, "event_payload": payload},
                    **content(parts[at]),
                )
            self._note(message, at + 1)

    async def _post_ephemeral(self, message: IncomingMessage, part: Post) -> None:
        with mapped("chat.postEphemeral"):
            await self._client.chat_postEphemeral(
                channel=message.conversation.channel,
                user=message.author.id,
                thread_ts=message.conversation.thread or None,
                **content(part),
            )

    async def _status(self, message: IncomingMessage, status: str) -> None:
        try:
            async with asyncio.timeout(self._status_patience):
                with mapped("assistant.threads.setStatus"):
                    await self._client.assistant_threads_setStatus(
                        channel_id=message.conversation.channel,
                        thread_ts=message.conversation.thread or message.id,
                        status=status,
                    )
        except (CitewellError, TimeoutError) as error:
            _LOG.debug("no status shown: %s", error)

    async def _posted_since(self, message: IncomingMessage) -> AsyncIterator[dict[str, Any]]:
        """The payloads of our own messages in this conversation since the message."""
        cursor: str | None = None
        for _ in range(_MOST_PAGES):
            response = await self._page(message, cursor)
            for posted in response.get("messages") or ():
                metadata = posted.get("metadata") or {}
                ours = self._me.bot and posted.get("bot_id") == self._me.bot
                if ours and metadata.get("event_type") == EVENT_TYPE:
                    yield metadata.get("event_payload") or {}
            cursor = (response.get("response_metadata") or {}).get("next_cursor")
            if not cursor:
                return

    async def _page(self, message: IncomingMessage, cursor: str | None) -> AsyncSlackResponse:
        conversation = message.conversation
        if conversation.thread:
            with mapped("conversations.replies"):
                return await self._client.conversations_replies(
                    channel=conversation.channel,
                    ts=conversation.thread,
                    oldest=message.id,
                    limit=_PAGE,
                    cursor=cursor,
                    include_all_metadata=True,
                )
        with mapped("conversations.history"):
            return await self._client.conversations_history(
                channel=conversation.channel, oldest=message.id, limit=_PAGE, cursor=cursor, include_all_metadata=True
            )

    def _note(self, message: IncomingMessage, standing: int) -> None:
        self._standing[message.key] = standing
        if len(self._standing) > _MOST_OPEN:
            del self._standing[next(iter(self._standing))]


def content(part: Post) -> dict[str, Any]:
    """What a message says. `link_names` off: "@here" in a text stays a word."""
    said: dict[str, Any] = {"text": part.text, "link_names": False, "parse": "none"}
    return said | {"blocks": list(part.blocks)} if part.blocks else said
