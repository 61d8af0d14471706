"""Files that are taken in, in Slack: how far it is and then the report, in one message that changes, with an undo."""

from __future__ import annotations

import logging
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from adapters.courier import ShowsWaiting
from adapters.slack.blocks import FALLBACK_TEXT, Post, content
from adapters.slack.clicks import ON_CLICK
from adapters.slack.errors import Unshowable, mapped
from adapters.slack.kit import BUTTON_VALUE, SECTION_TEXT
from adapters.slack.mrkdwn import mrkdwn, plain
from adapters.slack.standing import metadata
from adapters.slack.workspaces import home
from adapters.split import split
from bot.errors import CitewellError, Permanent

if TYPE_CHECKING:
    from slack_sdk.web.async_client import AsyncWebClient

    from adapters.courier import Delivery
    from adapters.slack.workspaces import Workspaces
    from bot.messages import IncomingMessage, Reply
    from bot.wording import Wording

_LOG = logging.getLogger(__name__)
UNDO_ACTION = "undo"
_TELLING = "citewell_intake"
_MOST_OPEN = 100


class SlackIntake:
    """Tells how far files are, and delivers what is said of them in the end: all other replies go to `delivery`.

    The report takes the place of the message that told how far it was, under the key by which a reply is found again.
    After a crash that message is looked for in the conversation.
    """

    def __init__(self, workspaces: Workspaces, delivery: Delivery, words: Wording) -> None:
        self._workspaces = workspaces
        self._delivery = delivery
        self._words = words
        self._telling: OrderedDict[str, str] = OrderedDict()

    async def tell(self, message: IncomingMessage, text: str) -> None:
        """Show how far it is. Never fails."""
        try:
            ts = self._telling.get(message.key) or await self._found(message)
            beside = {"event_type": _TELLING, "event_payload": {"key": message.key}}
            if ts is None:
                ts = await self._post(message, Post(plain(text)), beside)
            else:
                await self._update(message, ts, Post(plain(text)), beside)
            self._telling[message.key] = ts
            if len(self._telling) > _MOST_OPEN:
                self._telling.popitem(last=False)
        except CitewellError as error:
            _LOG.info("no sign of work for %s: %s", message.key, error)

    async def working(self, message: IncomingMessage) -> None:
        """Show that an answer is on its way; of files, what tells how far it is will do."""
        if not message.files:
            await self._delivery.working(message)

    async def waiting(self, message: IncomingMessage) -> None:
        """Show that others come first."""
        if isinstance(self._delivery, ShowsWaiting):
            await self._delivery.waiting(message)

    async def delivered(self, message: IncomingMessage) -> bool:
        """Whether the whole reply to this message stands already."""
        return await self._delivery.delivered(message)

    async def deliver(self, message: IncomingMessage, reply: Reply) -> None:
        """Post the reply, in place of what told of its coming where there is such a message."""
        ts = self._telling.get(message.key) or (await self._left_behind(message) if message.files else None)
        if ts is None and not reply.undo:
            await self._delivery.deliver(message, reply)
            return
        beside = metadata(message.key, reply.trace_id, 0, 1, plain_from=None)
        post = report_post(reply, self._words)
        if ts is None or not await self._in_place(message, ts, post, beside):
            try:
                await self._post(message, post, beside)
            except Unshowable:
                await self._delivery.deliver(message, reply)
        self._telling.pop(message.key, None)

    async def _in_place(self, message: IncomingMessage, ts: str, post: Post, metadata: dict[str, Any]) -> bool:
        """Whether the report stands where it was told how far it is; False where that message is gone."""
        try:
            await self._update(message, ts, post, metadata)
        except Permanent as error:
            _LOG.warning("the report on %s goes out anew: %s", message.key, error)
            return False
        return True

    async def _left_behind(self, message: IncomingMessage) -> str | None:
        try:
            return await self._found(message)
        except CitewellError as error:
            _LOG.warning("cannot tell whether something stands about %s: %s", message.key, error)
            return None

    async def _update(self, message: IncomingMessage, ts: str, post: Post, metadata: dict[str, Any]) -> None:
        here = await home(self._workspaces, message)
        await _update(here.client, message.conversation.channel, ts, post, metadata)

    async def _post(self, message: IncomingMessage, post: Post, metadata: dict[str, Any]) -> str:
        here = await home(self._workspaces, message)
        with mapped("chat.postMessage"):
            posted = await here.client.chat_postMessage(
                channel=message.conversation.channel,
                thread_ts=message.conversation.thread or None,
                unfurl_links=False,
                unfurl_media=False,
                metadata=metadata,
                **content(post),
            )
        return str(posted["ts"])

    async def _found(self, message: IncomingMessage) -> str | None:
        """The message in which we told how far it is, where we did before a crash."""
        where, thread = message.conversation.channel, message.conversation.thread
        client = (await home(self._workspaces, message)).client
        if thread:
            with mapped("conversations.replies"):
                page = await client.conversations_replies(
                    channel=where, ts=thread, oldest=message.id, limit=200, include_all_metadata=True
                )
        else:
            with mapped("conversations.history"):
                page = await client.conversations_history(
                    channel=where, oldest=message.id, limit=200, include_all_metadata=True
                )
        for one in page.get("messages") or ():
            metadata = one.get("metadata") or {}
            ours = metadata.get("event_type") == _TELLING and one.get("bot_id")
            if ours and (metadata.get("event_payload") or {}).get("key") == message.key:
                return str(one["ts"])
        return None


def report_post(reply: Reply, words: Wording) -> Post:
    """The report, with a button by which it can be undone."""
    text = mrkdwn(reply.text)
    sections = [
        {"type": "section", "text": {"type": "mrkdwn", "text": part, "verbatim": True}}
        for part in split(text, SECTION_TEXT)
    ]
    label = {"type": "plain_text", "text": words.documents.undo, "emoji": False}
    button = {"type": "button", "action_id": UNDO_ACTION, "text": label, "value": reply.undo[:BUTTON_VALUE]}
    actions = [{"type": "actions", "elements": [button]}] if reply.undo else []
    return Post(split(plain(reply.text), FALLBACK_TEXT)[0], (*sections, *actions))


async def replaced(client: AsyncWebClient, channel: str, ts: str, post: Post) -> bool:
    """Whether this now stands in place of a message of ours."""
    try:
        await ON_CLICK.through(lambda: _update(client, channel, ts, post, None))
    except CitewellError as error:
        _LOG.warning("a message stays as it was: %s", error)
        return False
    return True


async def _update(client: AsyncWebClient, channel: str, ts: str, post: Post, metadata: dict[str, Any] | None) -> None:
    said = content(post)
    said.setdefault("blocks", [])
    with mapped("chat.update"):
        await client.chat_update(channel=channel, ts=ts, metadata=metadata, **said)
