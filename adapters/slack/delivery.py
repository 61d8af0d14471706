"""A reply, posted once: in its thread, or to its author alone where it is private.

What Slack does not take in one form goes out in the next: with blocks, as plain text cut at paragraphs, as a file, and
last as a sentence that says so. Every step goes on where the ones before it stopped, in this process or the next.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias, assert_never

from adapters.slack.blocks import file_text, note, plain_posts, posts, told
from adapters.slack.errors import Closed, Unshowable
from adapters.slack.events import is_direct
from adapters.slack.outlet import Outlet
from adapters.slack.pace import Pace
from adapters.slack.standing import Standing, found, metadata
from bot.errors import CitewellError, Permanent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.slack.alerts import Alerts
    from adapters.slack.blocks import Post
    from adapters.slack.workspaces import Workspaces
    from bot.messages import IncomingMessage, Reply
    from bot.wording import Wording

_LOG = logging.getLogger(__name__)
_MOST_OPEN = 1000

Privately: TypeAlias = Literal["ephemeral", "dm", "both"]
"""How a reply to one person alone goes out: where the message stood and for them only, as a direct message, or both."""


class SlackDelivery:
    """Posts replies. Raises `Transient` (with Slack's Retry-After), `Permanent` or `Misconfigured`.

    Every posted message carries the key of the message it answers as metadata, by which it is found again. A reply
    to one person alone goes out `privately` and is not found again: after a crash its author may see it twice. Where
    there are `alerts`, someone is told before a reply that asks for it goes out, and it says so only if that was done.
    Messages to one channel go out at a `pace`, through one `outlet`, which is for all else that is said there, too. Who
    asked in a channel that is closed to us is told so directly. A status that Slack does not take within
    `status_patience` seconds is not shown.
    """

    def __init__(
        self,
        workspaces: Workspaces,
        words: Wording,
        *,
        privately: Privately = "ephemeral",
        alerts: Alerts | None = None,
        pace: Pace | None = None,
        status_patience: float = 2.0,
    ) -> None:
        self.outlet = Outlet(workspaces, pace or Pace(), status_patience=status_patience)
        self._privately: Privately = privately
        self._alerts = alerts
        self._words = words
        self._standing: dict[str, Standing] = {}  # of replies that are under way

    async def working(self, message: IncomingMessage) -> None:
        """Show that an answer is on its way. Never fails."""
        await self.outlet.status(message, self._words.status.working)

    async def waiting(self, message: IncomingMessage) -> None:
        """Show that others come first; to its author alone where there is no place for a status. Never fails."""
        if await self.outlet.status(message, self._words.status.waiting):
            return
        try:
            await self.outlet.ephemeral(message, note(self._words.status.waiting))
        except CitewellError as error:
            _LOG.debug("nobody was told to wait: %s", error)

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
            if private or not isinstance(error, Closed) or not await self._told_elsewhere(message, error):
                raise
        self._standing.pop(message.key, None)
        if private or not message.conversation.thread:
            await self.outlet.status(message, "")

    async def delivered(self, message: IncomingMessage) -> bool:
        """Whether the whole reply to this message stands already. Raises what `deliver` raises."""
        where = message.conversation
        posted = [one async for one in self.outlet.ours(message, where.channel, where.thread)]
        standing, whole = found(message.key, posted)
        if standing.parts >= self._standing.get(message.key, Standing()).parts:  # what went elsewhere is not among them
            self._note(message, standing)
        return whole

    async def _openly(self, message: IncomingMessage, reply: Reply) -> None:
        await self._post_in_some_form(message.conversation.channel, message.conversation.thread, message, reply)

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
        try:
            for part in posts(reply, self._words):
                await self.outlet.ephemeral(message, part)
        except Unshowable as error:
            _LOG.warning("posting plain text instead: %s", error)
            for part in plain_posts(reply, self._words):
                await self.outlet.ephemeral(message, part)

    async def _directly(self, message: IncomingMessage, reply: Reply) -> None:
        await self._post_in_some_form(await self.outlet.direct_channel(message), "", message, reply)

    async def _post_in_some_form(self, channel: str, thread: str, message: IncomingMessage, reply: Reply) -> None:
        """With blocks; what Slack does not take so as plain text, as a file, or not at all, which is said then."""
        standing = self._standing.get(message.key, Standing())
        if standing.plain_from is None:
            try:
                return await self._post_all(channel, thread, message, reply, posts(reply, self._words))
            except Unshowable as error:
                _LOG.warning("posting plain text instead: %s", error)
                standing = self._standing.get(message.key, Standing())
        plain_from = standing.parts if standing.plain_from is None else standing.plain_from
        try:
            pieces = plain_posts(reply, self._words, since=plain_from)
            return await self._post_all(channel, thread, message, reply, pieces, plain_from=plain_from)
        except Unshowable as error:
            _LOG.warning("posting a file instead: %s", error)
        try:
            return await self.outlet.upload(
                channel, thread, message, file_text(reply, self._words), self._words.posting
            )
        except Permanent as error:
            _LOG.error("the answer to %s can be shown in no form: %s", message.key, error)
        at = self._standing.get(message.key, Standing()).parts
        said = note(self._words.posting.refused)
        return await self._post_all(channel, thread, message, reply, [said], plain_from=at)

    async def _post_all(
        self,
        channel: str,
        thread: str,
        message: IncomingMessage,
        reply: Reply,
        parts: Sequence[Post],
        *,
        plain_from: int | None = None,
    ) -> None:
        """Those that do not stand yet; where `plain_from` is given, `parts` begin with the one of that number."""
        first = plain_from or 0
        for at in range(self._standing.get(message.key, Standing()).parts, first + len(parts)):
            beside = metadata(message.key, reply.trace_id, at, first + len(parts), plain_from=plain_from)
            await self.outlet.post(channel, thread, message, parts[at - first], beside)
            self._note(message, Standing(at + 1, plain_from))

    async def _told_elsewhere(self, message: IncomingMessage, error: Closed) -> bool:
        """Whether its author knows from a direct message that their channel is closed to us. The answer stays here."""
        words = self._words.posting
        said = (words.archived if error.archived else words.closed).format(channel=f"<#{message.conversation.channel}>")
        if is_direct(message.conversation.channel):
            return False
        try:
            channel = await self.outlet.direct_channel(message)
            posted = [one async for one in self.outlet.ours(message, channel, "")]
            if not found(message.key, posted)[1]:
                beside = metadata(message.key, "", 0, 1, plain_from=None)
                await self.outlet.post(channel, "", message, told(said), beside)
        except Permanent as refused:
            _LOG.error("nor can its author be told: %s", refused)
            return False
        return True

    def _note(self, message: IncomingMessage, standing: Standing) -> None:
        self._standing[message.key] = standing
        if len(self._standing) > _MOST_OPEN:
            del self._standing[next(iter(self._standing))]
