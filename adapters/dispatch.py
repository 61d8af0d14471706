"""From inbox to reply: each message gets exactly one visible outcome, through duplicates, faults and crashes."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING

from adapters.courier import Courier, Delivery
from adapters.crowd import Crowd
from adapters.lanes import Job, Lanes
from adapters.payload import from_payload, to_payload
from adapters.risk import at_risk
from adapters.settler import Settler, show
from bot.errors import Busy, Misconfigured, Transient
from memory.errors import MemoryUnavailable
from memory.inbox import InboxEntry

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine
    from datetime import datetime
    from typing import Any

    from bot.messages import IncomingMessage, Reply
    from memory.inbox import Inbox

__all__ = ["Courier", "Delivery", "Dispatcher"]

logger = logging.getLogger(__name__)

_LAST_KEYS = 2000
"""So many keys are kept whatever the clock says, or said when they came: more than come while a platform retries."""


class Dispatcher:
    """Takes messages in, has them answered, and sees the replies delivered.

    The messages of one conversation go one after another, in the order they came; `concurrency` turns run at once
    over all conversations. A turn has `deadline` seconds. A turn that fails, or was begun more than `max_attempts`
    times (it took the process with it), is answered with what `on_failure` makes of the error. A message counts as
    done only when its reply stood on the platform; what could not be delivered waits in the inbox for `resume`, and its
    reply here. Where more than `many` wait, who writes is told so; beyond `most`, messages wait in the inbox alone, and
    guests, whose inbox is this process, are told to ask again. Guests' messages go through the ephemeral inbox alone.
    Words of someone `at_risk` wait for no other turn, not even of their own conversation, and for no room.
    The keys of done messages are kept for `keep_keys`, to know a duplicate, and the last of them for longer. `clock`
    gives aware times. Logs hold keys, trace ids and the names of errors, never text.
    """

    def __init__(
        self,
        respond: Callable[[IncomingMessage], Awaitable[Reply]],
        *,
        durable: Inbox,
        ephemeral: Inbox,
        on_failure: Callable[[IncomingMessage, BaseException], Reply],
        clock: Callable[[], datetime],
        concurrency: int = 8,
        deadline: float = 60.0,
        max_attempts: int = 3,
        many: int = 16,
        most: int = 1000,
        courier: Courier | None = None,
        keep_keys: timedelta = timedelta(days=7),
        at_risk: Callable[[str], bool] = at_risk,
    ) -> None:
        self._durable = durable
        self._ephemeral = ephemeral
        self._on_failure = on_failure
        self._clock = clock
        self._slots = asyncio.Semaphore(concurrency)
        self._settler = Settler(respond, on_failure, courier or Courier(), deadline=deadline, max_attempts=max_attempts)
        self._keep_keys = keep_keys
        self._at_risk = at_risk
        self._deliveries: dict[str, Delivery] = {}
        self._lanes = Lanes(self._settle, self._spawn, self._idle)
        self._crowd = Crowd(many, most)
        self._tasks: set[asyncio.Task[Any]] = set()
        self._draining = False
        self._taking_up = asyncio.Lock()

    @property
    def busy(self) -> int:
        """How many conversations have a message that waits or runs."""
        return len(self._lanes)

    async def waiting(self) -> int:
        """How many messages have no answer yet, those included that are to be tried again. It may raise
        `MemoryUnavailable`.
        """
        return await self._durable.waiting() + await self._ephemeral.waiting()

    def register(self, platform: str, delivery: Delivery) -> None:
        """Deliver the replies of this platform so."""
        self._deliveries[platform] = delivery

    async def accept(self, message: IncomingMessage) -> bool:
        """Store and queue a message, so that the platform may be told it arrived; False for a duplicate.

        Returns before any answer. Raises `Transient` while draining: the platform is not to be told then, and brings
        the message again. Raises `MemoryUnavailable` where it cannot be stored: it is answered all the same, and is
        known when it comes again.
        """
        if self._draining:
            raise Transient("shutting down: no more messages are taken")
        if message.conversation.platform not in self._deliveries:
            msg = f"no delivery is registered for the platform {message.conversation.platform!r}"
            raise Misconfigured(msg)
        # Shielded: a caller that goes away in between must not leave the message stored and unqueued.
        return await asyncio.shield(self._spawn(self._store(message)))

    async def resume(self) -> int:
        """Queue what was accepted and is neither done nor under way, and say how much that was.

        For the start, before new messages come; calling it again now and then brings back what could not be delivered.
        """
        queued = 0
        for inbox in (self._durable, self._ephemeral):
            await inbox.forget_before(self._clock() - self._keep_keys, keep=_LAST_KEYS)
            queued += await self._take_up(inbox, again=True)
        return queued + self._crowd.left

    async def knows(self, key: str) -> bool:
        """Whether a message of this key was ever taken in, as far as keys are kept."""
        return await self._durable.knows(key) or await self._ephemeral.knows(key)

    async def amend(self, message: IncomingMessage) -> bool:
        """Answer these words in place of those that the message of this key had; False if its turn has begun."""
        async with self._taking_up:
            urgent = self._at_risk(message.text)
            if self._lanes.amend(message):
                if urgent:
                    self._lanes.hasten(message.key)
            elif not await self._is_left(message.key):
                return False
            elif urgent:
                self._crowd.left -= 1
                self._enqueue(Job(message, self._durable, resumed=True, urgent=True))
            for inbox in (self._durable, self._ephemeral):
                await inbox.amend(message.key, to_payload(message))
        return True

    async def withdraw(self, matches: Callable[[str], bool], *, spare_at_risk: bool = False) -> None:
        """Answer no message with such a key: one that waits is not asked, the reply to one that runs is not shown.

        What is being shown already stands: see `finished`. So does what will be said of files that are being taken in,
        and with `spare_at_risk`, what is said to someone at risk.
        """
        spared = await self._keys_at_risk(matches) if spare_at_risk else frozenset()

        def goes(key: str) -> bool:
            return matches(key) and key not in spared

        self._lanes.withdraw(goes)
        self._settler.withdraw(goes)
        for inbox in (self._durable, self._ephemeral):
            for entry in await inbox.pending():
                if goes(entry.key) and not self._lanes.is_at_files(entry.key):
                    await inbox.done(entry.key)

    async def finished(self, matches: Callable[[str], bool]) -> None:
        """Return once no message with such a key waits or runs."""
        await self._lanes.ended(matches)

    async def drain(self, grace: float) -> None:
        """Take no more messages, finish the turns that run, and leave the rest in the inbox.

        Guests' messages that wait are answered too, since nothing could bring them back. What runs longer than
        `grace` seconds is cut off; `resume` takes it up again.
        """
        self._draining = True
        with suppress(TimeoutError):
            async with asyncio.timeout(grace):
                while self._tasks:
                    await asyncio.wait(self._tasks)
        cut_off = tuple(self._tasks)
        for task in cut_off:
            task.cancel()
        await asyncio.gather(*cut_off, return_exceptions=True)

    async def _store(self, message: IncomingMessage) -> bool:
        inbox, other = self._durable, self._ephemeral
        if message.author.guest:
            inbox, other = other, inbox
        entry = InboxEntry(message.key, message.conversation.key, to_payload(message), self._clock())
        try:
            # Where the platform failed to say who wrote, one message may come as a guest's and again as a member's.
            if await other.knows(message.key) or not await inbox.accept(entry):
                return False
        except MemoryUnavailable:
            await self._take_unstored(message, entry)
            raise
        self._queue(self._job(message, inbox, resumed=False))
        return True

    def _queue(self, job: Job) -> None:
        """Take a new message to its conversation, or leave it where it is stored, and say so where many wait."""
        message, crowd = job.message, self._crowd
        if job.urgent:
            self._enqueue(job)
            return
        if not crowd.is_full:
            self._enqueue(job)
        elif job.inbox is self._durable:
            crowd.left += 1
            self._make_room_good()
        else:
            self._spawn(self._lanes.alone(job, self._refuse))
            return
        if crowd.is_to_be_told(message.conversation.key):
            self._spawn(show(self._deliveries[message.conversation.platform], message, waiting=True))

    async def _refuse(self, job: Job) -> None:
        reply = self._on_failure(job.message, Busy("too many messages wait"))
        await self._settler.bring(job, self._deliveries[job.message.conversation.platform], reply)

    def _make_room_good(self) -> None:
        """Take up what was left in the inbox, once there is room."""
        if self._crowd.has_room and not self._draining and not self._taking_up.locked():
            self._spawn(self._take_up_left())

    async def _is_left(self, key: str) -> bool:
        """Whether it waits in the inbox alone."""
        if not self._crowd.left or self._lanes.holds(key) or self._settler.holds(key):
            return False
        return any(entry.key == key for entry in await self._durable.pending())

    async def _keys_at_risk(self, matches: Callable[[str], bool]) -> frozenset[str]:
        """Those of unanswered messages in which someone is at risk."""
        found: set[str] = set()
        for inbox in (self._durable, self._ephemeral):
            for entry in await inbox.pending():
                if matches(entry.key) and (message := await self._restored(entry, inbox)) is not None:
                    found.update({entry.key} if self._at_risk(message.text) else ())
        return frozenset(found)

    async def _take_up_left(self) -> None:
        try:
            await self._take_up(self._durable, again=False)
        except MemoryUnavailable as error:
            logger.error("what waits in the inbox cannot be read: %s", error)  # noqa: TRY400 - the message says it all

    async def _take_up(self, inbox: Inbox, *, again: bool) -> int:
        """Queue what waits there, oldest first, as far as there is room, and say how much that was.

        What could not be delivered before is tried `again`, or left for the next time that it is.
        """
        crowd, queued = self._crowd, 0
        async with self._taking_up:
            left_before = crowd.left
            waiting = [entry for entry in await inbox.pending() if not self._lanes.holds(entry.key)]
            entries = [entry for entry in waiting if again or not self._settler.holds(entry.key)]
            for entry in entries:
                full = inbox is self._durable and crowd.waiting >= crowd.most
                if full and not again:
                    crowd.left += 1
                elif (message := await self._restored(entry, inbox)) is not None:
                    job = self._job(message, inbox, resumed=True)
                    if full and not job.urgent:
                        crowd.left += 1
                    else:
                        queued += self._enqueue(job)
            if inbox is self._durable:
                crowd.left -= left_before  # not sooner, so that nobody overtakes these
        return queued

    async def _take_unstored(self, message: IncomingMessage, entry: InboxEntry) -> None:
        """Queue it unless it was stored before: a person in crisis cannot wait until a disk is mended."""
        with suppress(MemoryUnavailable):
            if await self._durable.knows(entry.key):
                return
        if await self._ephemeral.accept(entry):
            self._queue(self._job(message, self._ephemeral, resumed=False))

    def _job(self, message: IncomingMessage, inbox: Inbox, *, resumed: bool) -> Job:
        return Job(message, inbox, resumed, self._at_risk(message.text))

    async def _restored(self, entry: InboxEntry, inbox: Inbox) -> IncomingMessage | None:
        try:
            message = from_payload(entry.payload)
        except ValueError:
            logger.error("%s cannot be read back from the inbox and is given up", entry.key)  # noqa: TRY400 - its traceback quotes the message
            await inbox.done(entry.key)
            return None
        if message.conversation.platform not in self._deliveries:
            logger.warning("%s waits in the inbox: its platform is not set up", entry.key)
            return None
        return message

    def _enqueue(self, job: Job) -> bool:
        added = self._lanes.add(job)
        self._crowd.waiting += added and not job.urgent
        return added

    def _idle(self, conversation: str | None) -> None:
        if conversation is not None:
            self._crowd.forget(conversation)
        self._make_room_good()

    def _spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _settle(self, job: Job) -> None:
        if job.urgent:
            begun = self._lanes.begun(job)
            reply = None if begun is None else await self._reply(begun)
        else:
            async with self._slots:
                self._crowd.waiting -= 1
                if self._draining and job.inbox is self._durable:
                    return
                begun = self._lanes.begun(job)
                reply = None if begun is None else await self._reply(begun)
        if begun is not None and reply is not None and not await self._is_over(begun):
            await self._settler.bring(begun, self._deliveries[begun.message.conversation.platform], reply)

    async def _reply(self, job: Job) -> Reply | None:
        if await self._is_over(job):
            return None
        return await self._settler.reply(job, self._deliveries[job.message.conversation.platform])

    async def _is_over(self, job: Job) -> bool:
        """Whether it was withdrawn, which the inbox knows then."""
        if not self._lanes.is_withdrawn(job.message.key):
            return False
        await job.inbox.done(job.message.key)
        return True
