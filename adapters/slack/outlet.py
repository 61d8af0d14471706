"""The calls by which something is shown in Slack, each once, at the pace of its channel."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from adapters.slack.again import asked_at
from adapters.slack.blocks import content
from adapters.slack.errors import mapped
from adapters.slack.standing import file_name
from adapters.slack.workspaces import home
from bot.errors import CitewellError, Transient

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from slack_sdk.web.async_client import AsyncWebClient
    from slack_sdk.web.async_slack_response import AsyncSlackResponse

    from adapters.slack.blocks import Post
    from adapters.slack.pace import Pace
    from adapters.slack.workspaces import Workspaces
    from bot.messages import IncomingMessage
    from bot.wording.surfaces import PostingWords

_LOG = logging.getLogger(__name__)
_PAGE = 200
_MOST_PAGES = 20


class Outlet:
    """Shows things and finds them again. Raises `Transient` (with Slack's Retry-After), `Permanent` or `Misconfigured`.

    What is for all to see keeps to the `pace`; what one person alone sees has no such limit. A status that Slack does
    not take within `status_patience` seconds is not shown.
    """

    def __init__(self, workspaces: Workspaces, pace: Pace, *, status_patience: float) -> None:
        self._workspaces = workspaces
        self._pace = pace
        self._status_patience = status_patience

    async def post(
        self, channel: str, thread: str, message: IncomingMessage, part: Post, beside: dict[str, Any]
    ) -> str:
        """For all in a channel or thread, with `beside` as its metadata; its timestamp."""
        place = _place(message, channel)
        await self._pace.turn(place, message.key)
        client = (await home(self._workspaces, message)).client
        try:
            with mapped("chat.postMessage"):
                posted = await client.chat_postMessage(
                    channel=channel,
                    thread_ts=thread or None,
                    unfurl_links=False,
                    unfurl_media=False,
                    metadata=beside,
                    **content(part),
                )
        except Transient as error:
            if error.retry_after is not None:
                self._pace.pause(place, error.retry_after)
            raise
        return str(posted["ts"])

    async def update(self, message: IncomingMessage, ts: str, part: Post, beside: dict[str, Any]) -> None:
        """In place of a message of ours where the message stood. Slack counts these apart from what is posted."""
        client = (await home(self._workspaces, message)).client
        await update(client, message.conversation.channel, ts, part, beside)

    async def upload(self, channel: str, thread: str, message: IncomingMessage, text: str, words: PostingWords) -> None:
        """The same as a file, which Slack makes a message of."""
        await self._pace.turn(_place(message, channel), message.key)
        client = (await home(self._workspaces, message)).client
        with mapped("files.completeUploadExternal"):
            await client.files_upload_v2(
                content=text,
                filename=file_name(message.key),
                title=words.file_title,
                initial_comment=words.file,
                channel=channel,
                thread_ts=thread or None,
            )

    async def ephemeral(self, message: IncomingMessage, part: Post) -> None:
        """Where the message stood. Slack shows nobody what goes into a thread before anyone has replied there."""
        thread = message.conversation.thread
        client = (await home(self._workspaces, message)).client
        with mapped("chat.postEphemeral"):
            await client.chat_postEphemeral(
                channel=message.conversation.channel,
                user=message.author.id,
                thread_ts=thread if thread and thread != asked_at(message) else None,
                **content(part),
            )

    async def status(self, message: IncomingMessage, status: str) -> bool:
        """Whether Slack took it. What stands under no message has no place for one."""
        thread = message.conversation.thread or asked_at(message)
        if not thread:
            return False
        try:
            async with asyncio.timeout(self._status_patience):
                client = (await home(self._workspaces, message)).client
                with mapped("assistant.threads.setStatus"):
                    await client.assistant_threads_setStatus(
                        channel_id=message.conversation.channel,
                        thread_ts=thread,
                        status=status,
                    )
        except (CitewellError, TimeoutError) as error:
            _LOG.debug("no status shown: %s", error)
            return False
        return True

    async def direct_channel(self, message: IncomingMessage) -> str:
        """Where its author is written to directly."""
        client = (await home(self._workspaces, message)).client
        with mapped("conversations.open"):
            opened = await client.conversations_open(users=message.author.id)
        return str((opened.get("channel") or {}).get("id", ""))

    async def ours(self, message: IncomingMessage, channel: str, thread: str) -> AsyncIterator[dict[str, Any]]:
        """Our own messages in a place since a message that stands there, or at its time anywhere else."""
        here = await home(self._workspaces, message)
        since = asked_at(message) or f"{message.received_at.timestamp():.6f}"
        cursor: str | None = None
        for _ in range(_MOST_PAGES):
            response = await _page(here.client, channel, thread, since, cursor)
            for posted in response.get("messages") or ():
                if here.me.bot and posted.get("bot_id") == here.me.bot:
                    yield posted
            cursor = (response.get("response_metadata") or {}).get("next_cursor")
            if not cursor:
                return


async def update(
    client: AsyncWebClient, channel: str, ts: str, part: Post, beside: dict[str, Any] | None = None
) -> None:
    """Put this in place of a message of ours, whole: no blocks of it stay. Raises our errors."""
    said = content(part)
    said.setdefault("blocks", [])
    with mapped("chat.update"):
        await client.chat_update(channel=channel, ts=ts, metadata=beside, **said)


async def _page(
    client: AsyncWebClient, channel: str, thread: str, since: str, cursor: str | None
) -> AsyncSlackResponse:
    if thread:
        with mapped("conversations.replies"):
            return await client.conversations_replies(
                channel=channel, ts=thread, oldest=since, limit=_PAGE, cursor=cursor, include_all_metadata=True
            )
    with mapped("conversations.history"):
        return await client.conversations_history(
            channel=channel, oldest=since, limit=_PAGE, cursor=cursor, include_all_metadata=True
        )


def _place(message: IncomingMessage, channel: str) -> str:
    return f"{message.conversation.tenant}:{channel}"
