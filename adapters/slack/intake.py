"""Files that are taken in, in Slack: how far it is and then the report, in one message that changes, with an undo."""

from __future__ import annotations

import logging
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from adapters.courier import ShowsWaiting
from adapters.slack.blocks import FALLBACK_TEXT, Post
from adapters.slack.clicks import ON_CLICK
from adapters.slack.errors import Unshowable
from adapters.slack.kit import BUTTON_VALUE, SECTION_TEXT, actions, plain_text, section
from adapters.slack.mrkdwn import mrkdwn, plain
from adapters.slack.outlet import update
from adapters.slack.standing import metadata, telling, tells_of
from adapters.split import split
from bot.errors import CitewellError, Permanent

if TYPE_CHECKING:
    from slack_sdk.web.async_client import AsyncWebClient

    from adapters.courier import Delivery
    from adapters.slack.outlet import Outlet
    from bot.messages import IncomingMessage, Reply
    from bot.wording import Wording

_LOG = logging.getLogger(__name__)
UNDO_ACTION = "undo"
_MOST_OPEN = 100


class SlackIntake:
    """Tells how far files are, and delivers what is said of them in the end: all other replies go to `delivery`.

    The report takes the place of the message that told how far it was, under the key by which a reply is found again.
    After a crash that message is looked for in the conversation. `outlet` is the one of `delivery`, so that both keep
    to one pace.
    """

    def __init__(self, outlet: Outlet, delivery: Delivery, words: Wording) -> None:
        self._outlet = outlet
        self._delivery = delivery
        self._words = words
        self._telling: OrderedDict[str, str] = OrderedDict()

    async def tell(self, message: IncomingMessage, text: str) -> None:
        """Show how far it is. Never fails."""
        try:
            ts = self._telling.get(message.key) or await self._found(message)
            beside = telling(message.key)
            if ts is None:
                ts = await self._post(message, Post(plain(text)), beside)
            else:
                await self._outlet.update(message, ts, Post(plain(text)), beside)
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

    async def _in_place(self, message: IncomingMessage, ts: str, post: Post, beside: dict[str, Any]) -> bool:
        """Whether the report stands where it was told how far it is; False where that message is gone."""
        try:
            await self._outlet.update(message, ts, post, beside)
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

    async def _post(self, message: IncomingMessage, post: Post, beside: dict[str, Any]) -> str:
        where = message.conversation
        return await self._outlet.post(where.channel, where.thread, message, post, beside)

    async def _found(self, message: IncomingMessage) -> str | None:
        """The message in which we told how far it is, where we did before a crash."""
        where = message.conversation
        async for posted in self._outlet.ours(message, where.channel, where.thread):
            if tells_of(posted, message.key):
                return str(posted["ts"])
        return None


def report_post(reply: Reply, words: Wording) -> Post:
    """The report, with a button by which it can be undone."""
    text = mrkdwn(reply.text)
    sections = map(section, split(text, SECTION_TEXT))
    label = plain_text(words.documents.undo)
    button = {"type": "button", "action_id": UNDO_ACTION, "text": label, "value": reply.undo[:BUTTON_VALUE]}
    return Post(split(plain(reply.text), FALLBACK_TEXT)[0], (*sections, *actions([button] if reply.undo else [])))


async def replaced(client: AsyncWebClient, channel: str, ts: str, post: Post) -> bool:
    """Whether this now stands in place of a message of ours."""
    try:
        await ON_CLICK.through(lambda: update(client, channel, ts, post))
    except CitewellError as error:
        _LOG.warning("a message stays as it was: %s", error)
        return False
    return True
