"""From inbox to reply: each message gets exactly one visible outcome, through duplicates, faults and crashes."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from adapters.courier import Courier, Delivery
from adapters.payload import from_payload, to_payload
from bot.errors import Misconfigured, Permanent, Transient, outline
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


@dataclass(frozen=True, slots=True)
class _Job:
    message: IncomingMessage
    inbox: Inbox
    resumed: bool


class Dispatcher:
    """Takes messages in, has them answered, and sees the replies delivered.

    The messages of one conversation go one after another, in the order they came; `concurrency` turns run at once
    over all conversations. A turn has `deadline` seconds. A turn that fails, or was begun more than `max_attempts`
    times (it took the process with it), is answered with what `on_failure` makes of the error. A message counts as
    done only when its reply stood on the platform; what could not be delivered waits in the inbox for `resume`.
    Guests' messages go through the ephemeral inbox alone. The keys of done messages are kept for `keep_keys`, to know
    a duplicate. `clock` gives aware times. Logs hold keys, trace ids and the names of errors, never text.
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
        courier: Courier | None = None,
        keep_keys: timedelta = timedelta(days=7),
    ) -> None:
        self._respond = respond
        self._durable = durable
        self._ephemeral = ephemeral
        self._on_failure = on_failure
        self._clock = clock
        self._slots = asyncio.Semaphore(concurrency)
        self._deadline = deadline
        self._max_attempts = max_attempts
        self._courier = courier or Courier()
        self._keep_keys = keep_keys
        self._deliveries: dict[str, Delivery] = {}
        self._lanes: dict[str, deque[_Job]] = {}
        self._active: dict[str, asyncio.Event] = {}
        self._waiting: dict[str, IncomingMessage] = {}
        self._withdrawn: set[str] = set()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._draining = False

    @property
    def busy(self) -> int:
        """How many conversations have a message that waits or runs."""
        return len(self._lanes)

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
            await inbox.forget_before(self._clock() - self._keep_keys)
            for entry in await inbox.pending():
                message = await self._restored(entry, inbox)
                if message is not None:
                    queued += self._enqueue(_Job(message, inbox, resumed=True))
        return queued

    async def knows(self, key: str) -> bool:
        """Whether a message of this key was ever taken in, as far as keys are kept."""
        return await self._durable.knows(key) or await self._ephemeral.knows(key)

    async def amend(self, message: IncomingMessage) -> bool:
        """Answer these words in place of those that the message of this key had; False if its turn has begun."""
        if message.key not in self._waiting:
            return False
        self._waiting[message.key] = message
        for inbox in (self._durable, self._ephemeral):
            await inbox.amend(message.key, to_payload(message))
        return True

    async def withdraw(self, matches: Callable[[str], bool]) -> None:
        """Answer no message with such a key: one that waits is not asked, the reply to one that runs is not shown.

        What is being shown already stands: see `finished`.
        """
        for key in filter(matches, tuple(self._active)):
            self._waiting.pop(key, None)
            self._withdrawn.add(key)
        for inbox in (self._durable, self._ephemeral):
            for entry in await inbox.pending():
                if matches(entry.key):
                    await inbox.done(entry.key)

    async def finished(self, matches: Callable[[str], bool]) -> None:
        """Return once no message with such a key waits or runs."""
        for key in filter(matches, tuple(self._active)):
            if (ended := self._active.get(key)) is not None:
                await ended.wait()

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
        self._enqueue(_Job(message, inbox, resumed=False))
        return True

    async def _take_unstored(self, message: IncomingMessage, entry: InboxEntry) -> None:
        """Queue it unless it was stored before: a person in crisis cannot wait until a disk is mended."""
        with suppress(MemoryUnavailable):
            if await self._durable.knows(entry.key):
                return
        if await self._ephemeral.accept(entry):
            self._enqueue(_Job(message, self._ephemeral, resumed=False))

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

    def _enqueue(self, job: _Job) -> bool:
        if job.message.key in self._active:
            return False
        self._active[job.message.key] = asyncio.Event()
        self._waiting[job.message.key] = job.message
        conversation = job.message.conversation.key
        lane = self._lanes.get(conversation)
        if lane is None:
            lane = self._lanes[conversation] = deque()
            self._spawn(self._work(conversation, lane))
        lane.append(job)
        return True

    def _spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _work(self, conversation: str, lane: deque[_Job]) -> None:
        """Serve one conversation until nothing waits in it, then go away."""
        try:
            while lane:
                job = lane.popleft()
                try:
                    await self._settle(job)
                except Exception as error:  # noqa: BLE001 - the next messages of the conversation must not suffer
                    logger.error("%s stays in the inbox: %s", job.message.key, outline(error))  # noqa: TRY400 - see outline
                finally:
                    self._left(job.message.key)
        finally:
            del self._lanes[conversation]

    def _left(self, key: str) -> None:
        self._waiting.pop(key, None)
        self._withdrawn.discard(key)
        self._active.pop(key).set()

    async def _settle(self, job: _Job) -> None:
        message = job.message
        delivery = self._deliveries[message.conversation.platform]
        async with self._slots:
            if self._draining and job.inbox is self._durable:
                return
            message = self._waiting.pop(message.key, message)  # its words may have been changed while it waited
            if message.key in self._withdrawn:
                await job.inbox.done(message.key)
                return
            attempt = await job.inbox.begin(message.key)
            if not attempt:
                return
            if attempt > 2 * self._max_attempts:
                logger.error("%s is given up: even its failure reply did not get out", message.key)
                await job.inbox.done(message.key)
                return
            if job.resumed and await self._courier.found(delivery, message):
                await job.inbox.done(message.key)
                return
            reply = await self._answer(delivery, message, attempt)
        if message.key in self._withdrawn:
            await job.inbox.done(message.key)
            return
        if await self._deliver(delivery, message, reply, unsure=job.resumed):
            await job.inbox.done(message.key)

    async def _answer(self, delivery: Delivery, message: IncomingMessage, attempt: int) -> Reply:
        if attempt > self._max_attempts:
            msg = f"begun {self._max_attempts} times and never finished"
            logger.error("%s was %s", message.key, msg)
            return self._on_failure(message, Permanent(msg))
        working = asyncio.create_task(_show_working(delivery, message))
        try:
            async with asyncio.timeout(self._deadline):
                return await self._respond(message)
        except (Exception, asyncio.CancelledError) as error:
            task = asyncio.current_task()
            if isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling():
                raise  # the dispatcher is being cut off; any other cancellation is a fault of the turn
            logger.error("the turn for %s failed: %s", message.key, outline(error))  # noqa: TRY400 - see outline
            return self._on_failure(message, error)
        finally:
            working.cancel()
            await asyncio.wait({working})

    async def _deliver(self, delivery: Delivery, message: IncomingMessage, reply: Reply, *, unsure: bool) -> bool:
        try:
            return await self._courier.deliver(delivery, message, reply, unsure=unsure)
        except Exception as error:  # noqa: BLE001 - a reply that breaks its translator must not end in silence
            logger.error("the reply to %s broke: %s", message.key, outline(error))  # noqa: TRY400 - see outline
            apology = self._on_failure(message, error)
            return await self._courier.deliver(delivery, message, apology, unsure=True)


async def _show_working(delivery: Delivery, message: IncomingMessage) -> None:
    try:
        await delivery.working(message)
    except Exception as error:  # noqa: BLE001 - a missing sign of work is no reason to do no work
        logger.info("no sign of work for %s: %s", message.key, outline(error))
