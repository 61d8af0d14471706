"""A reply, sent once: where the message stood, or to its author alone where it is private.

Teams cannot be asked what stands in a conversation. So each part of a reply is noted before it is sent, and again with
the id that it got. Where a crash or a silent connection leaves a part in between, nobody knows whether it arrived: the
person is told to ask again if they see no answer, and it is never sent a second time. Only the end of a stream, which
Teams takes once, and what a person in need is told go out again.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from adapters.teams import cards
from adapters.teams.address import Address
from adapters.teams.errors import StreamOver, Unshowable, Unsure
from adapters.teams.streams import Streams, ending
from adapters.waits import Waits
from bot.errors import CitewellError, Permanent, Transient
from bot.messages import Reply
from memory.errors import MemoryUnavailable
from memory.turn import TurnKind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from adapters.teams.connector import Sends
    from bot.messages import IncomingMessage
    from bot.wording import Wording
    from memory.outbox import Outbox


@dataclass(frozen=True, slots=True)
class _Way:
    """Where a reply goes, where that is noted, and the stream that it ends, if any."""

    to: Address
    box: Outbox
    stream: str


_LOG = logging.getLogger(__name__)
_STREAM = -1
_NOTE = 10_000
_DAY = timedelta(days=1)
_LONGEST_PAUSES = 5.0
_LONGEST_IN_NEED = 30.0
_ALONE_WITHIN = 10.0
"""Seconds for a private chat, pauses included: a third of a try of the courier's, so that time is left elsewhere."""


class TeamsDelivery:
    """Sends replies. Raises `Transient` (with Teams' Retry-After, cut short for someone in need), `Permanent` or
    `Misconfigured`.

    What is noted of guests' messages stays in `guests`, which is in RAM. Once a day, what was noted longer than `keep`
    ago is dropped. `platform_id` tells the id by which Teams' connector knows an author. `alone` says how often and
    when a chat with one person is tried, before what was meant for it stands where it was asked for.
    """

    def __init__(
        self,
        sends: Sends,
        words: Wording,
        *,
        durable: Outbox,
        guests: Outbox,
        now: Callable[[], datetime],
        streams: Streams | None = None,
        keep: timedelta = timedelta(days=90),
        platform_id: Callable[[str], str] = str,
        alone: Waits | None = None,
    ) -> None:
        self._sends = sends
        self._words = words
        self._durable = durable
        self._guests = guests
        self._now = now
        self._streams = streams or Streams(sends)
        self._keep = keep
        self._platform_id = platform_id
        self._alone = alone or Waits(tries=3, first=1.5, most=1.5)
        self._tidied: datetime | None = None

    def outbox(self, *, guest: bool) -> Outbox:
        """Where what goes to this kind of person is noted."""
        return self._guests if guest else self._durable

    async def working(self, message: IncomingMessage) -> None:
        """Show that an answer is on its way: as a message being written where Teams can, else as typing."""
        box = self.outbox(guest=message.author.guest)
        to = await self._address(message)
        if to.kind != "personal":
            await self._streams.pause()
            await self._sends.send(to, {"type": "typing"})
            return

        async def note(stream: str) -> None:
            await box.begin(message.key, _STREAM, of=0, trace="", at=self._now())
            await box.stands(message.key, _STREAM, stream)

        await self._streams.begin(message.key, to, self._words.status.working, note)

    async def deliver(self, message: IncomingMessage, reply: Reply) -> None:
        """Send the reply. Called again after a `Transient`, it goes on where it stopped."""
        await self._streams.id_of(message.key)  # its id is noted by now, if there is one
        box = self.outbox(guest=message.author.guest)
        await self._tidy()
        try:
            await self._deliver(message, reply, await self._address(message), box)
        except Permanent as error:
            _LOG.error("the reply to %s cannot be sent: %s", message.key, error)
            raise
        except Transient as error:
            if reply.kind is not TurnKind.CRISIS or error.retry_after is None:
                raise
            raise Transient(str(error), retry_after=min(error.retry_after, _LONGEST_IN_NEED)) from error

    async def delivered(self, message: IncomingMessage) -> bool:
        """Whether the whole reply was sent and is known to stand, or the person was told to ask again."""
        parts = await self.outbox(guest=message.author.guest).parts(message.key)
        standing = [part for part in parts if part.n >= 0 and part.sent_as]
        return any(part.n == _NOTE or len(standing) >= part.of for part in standing)

    async def close(self) -> None:
        """Let go of what is under way."""
        await self._streams.close()

    async def _tidy(self) -> None:
        now = self._now()
        if self._tidied is not None and now - self._tidied < _DAY:
            return
        self._tidied = now
        try:
            await self._guests.forget_before(now - self._keep)
            await self._durable.forget_before(now - self._keep)
        except MemoryUnavailable as error:
            _LOG.warning("what was noted long ago cannot be dropped now: %s", error)

    async def _deliver(self, message: IncomingMessage, reply: Reply, to: Address, box: Outbox) -> None:
        noted = await box.parts(message.key)
        stream = next((part.sent_as for part in noted if part.n == _STREAM), "")
        unsure = next((part.n for part in noted if part.n >= 0 and not part.sent_as), None)
        repeatable = reply.kind is TurnKind.CRISIS or (stream and unsure == 0)
        if unsure is not None and not repeatable:
            _LOG.warning("nobody knows whether the reply to %s arrived: they are told to ask again", message.key)
            await self._tell(message, self._words.error.interrupted, to, box)
            return
        if reply.private and to.kind != "personal":
            if await self._sent_alone(message, reply, to, box):
                return
            if reply.kind is not TurnKind.CRISIS:  # public help is better than none; public rows about somebody are not
                await self._tell(message, self._words.error.not_alone, to, box)
                return
            stream = ""
        await self._show(message, reply, _Way(to, box, stream))

    async def _sent_alone(self, message: IncomingMessage, reply: Reply, of: Address, box: Outbox) -> bool:
        """Whether it stands in the chat with the author. Whatever goes wrong there, nobody in need is kept waiting."""
        try:
            async with asyncio.timeout(_ALONE_WITHIN):
                await self._send_alone(message, reply, of, box)
        except (CitewellError, TimeoutError) as error:
            said = error if isinstance(error, CitewellError) else "it took too long"
            _LOG.warning("the private reply to %s goes where it was asked for: %s", message.key, said)
            return False
        return True

    async def _send_alone(self, message: IncomingMessage, reply: Reply, of: Address, box: Outbox) -> None:
        """What may pass is tried again, with pauses of a few seconds in all: elsewhere others read it too.

        Where nobody knows whether it arrived, only what someone in need is told goes there again.
        """
        paused = 0.0
        for tried in itertools.count(1):
            try:
                alone = await self._sends.chat_with(self._platform_id(message.author.id), of)
                await self._show(message, reply, _Way(alone, box, ""))
            except Transient as error:
                pause = self._alone.between(tried, error.retry_after)
                paused += pause
                once = isinstance(error, Unsure) and reply.kind is not TurnKind.CRISIS
                if once or tried >= self._alone.tries or paused > _LONGEST_PAUSES:
                    raise
                await self._alone.sleep(pause)
            else:
                return

    async def _show(self, message: IncomingMessage, reply: Reply, way: _Way) -> None:
        """Its activities, or plain text where Teams cannot show them."""
        try:
            shown = cards.activities(reply, self._words, retry=message.id)
            await self._send_all(message, reply, _checked(shown), way)
        except Unshowable as error:
            _LOG.warning("sending plain text instead: %s", error)
            plain = cards.plain_activities(reply, self._words)
            await self._send_all(message, reply, plain, way)

    async def _send_all(
        self, message: IncomingMessage, reply: Reply, activities: Sequence[dict[str, Any]], way: _Way
    ) -> None:
        """Those parts that are not known to stand."""
        box = way.box
        noted = {part.n: part.sent_as for part in await box.parts(message.key)}
        for n, activity in enumerate(activities):
            if noted.get(n):
                continue
            await box.begin(message.key, n, of=len(activities), trace=reply.trace_id, at=self._now())
            try:
                sent_as = await self._send(way.to, activity, way.stream if n == 0 else "", again=n in noted)
            except Unsure:
                raise
            except CitewellError:
                await box.failed(message.key, n)  # Teams said no, so it surely does not stand
                raise
            await box.stands(message.key, n, sent_as or f"part {n}")

    async def _send(self, to: Address, activity: dict[str, Any], stream: str, *, again: bool) -> str:
        """`again` says that the same may have been sent before: a stream that is finished then ended with it."""
        if not stream:
            return await self._sends.send(to, activity)
        try:
            return await self._sends.send(to, ending(activity, stream)) or stream
        except StreamOver as error:
            if again and error.finished:
                return stream
            return await self._sends.send(to, activity)

    async def _tell(self, message: IncomingMessage, words: str, to: Address, box: Outbox) -> None:
        """In place of the reply, or of what is left of it, whatever of it stands."""
        await box.begin(message.key, _NOTE, of=1, trace="", at=self._now())
        note = Reply(TurnKind.ERROR, words, trace_id="")
        [activity] = cards.activities(note, self._words, retry=message.id)
        sent_as = await self._sends.send(to, activity)
        await box.stands(message.key, _NOTE, sent_as or "note")

    async def _address(self, message: IncomingMessage) -> Address:
        stored = await self.outbox(guest=message.author.guest).address(message.conversation.place)
        if stored is None or (address := Address.read(stored)) is None:
            raise Permanent("it is not known where the reply goes: its place has no address")
        return address.in_thread(message.conversation.thread)


def _checked(activities: Sequence[Mapping[str, Any]]) -> Sequence[dict[str, Any]]:
    """Those activities. `Unshowable`, before anything is sent, where one is too big for Teams."""
    if any(cards.too_big(dict(activity)) for activity in activities):
        raise Unshowable("larger than Teams takes")
    return [dict(activity) for activity in activities]
