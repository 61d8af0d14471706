"""One message from its turn to its outcome."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from typing import TYPE_CHECKING

from adapters.courier import ShowsWaiting
from bot.errors import Permanent, outline

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from adapters.courier import Courier, Delivery
    from adapters.lanes import Job
    from bot.messages import IncomingMessage, Reply

logger = logging.getLogger(__name__)
_MOST_UNDELIVERED = 1000


class Settler:
    """Has a message answered, and its reply brought. What could not be brought is kept for the next time, so that no
    turn runs twice for it; after a restart one does.
    """

    def __init__(
        self,
        respond: Callable[[IncomingMessage], Awaitable[Reply]],
        on_failure: Callable[[IncomingMessage, BaseException], Reply],
        courier: Courier,
        *,
        deadline: float,
        max_attempts: int,
    ) -> None:
        self._respond = respond
        self._on_failure = on_failure
        self._courier = courier
        self._deadline = deadline
        self._max_attempts = max_attempts
        self._undelivered: OrderedDict[str, Reply] = OrderedDict()

    def holds(self, key: str) -> bool:
        """Whether there is a reply to it that could not be brought."""
        return key in self._undelivered

    def withdraw(self, matches: Callable[[str], bool]) -> None:
        """Let go of the replies to messages with such a key."""
        for key in filter(matches, tuple(self._undelivered)):
            del self._undelivered[key]

    async def reply(self, job: Job, delivery: Delivery) -> Reply | None:
        """What is to be brought; None where nothing is left to do, which the inbox knows then."""
        message = job.message
        attempt = await job.inbox.begin(message.key)
        if not attempt:
            self._undelivered.pop(message.key, None)
            return None
        if attempt > 2 * self._max_attempts:
            logger.error("%s is given up: even its failure reply did not get out", message.key)
            await job.inbox.done(message.key)
            return None
        if job.resumed and await self._courier.found(delivery, message):
            await job.inbox.done(message.key)
            return None
        return self._undelivered.pop(message.key, None) or await self._answer(delivery, message, attempt)

    async def bring(self, job: Job, delivery: Delivery, reply: Reply) -> None:
        """Deliver it, or keep it."""
        if await self._deliver(delivery, job.message, reply, unsure=job.resumed):
            await job.inbox.done(job.message.key)
            return
        self._undelivered[job.message.key] = reply
        if len(self._undelivered) > _MOST_UNDELIVERED:
            self._undelivered.popitem(last=False)
        await job.inbox.give_back(job.message.key)

    async def _answer(self, delivery: Delivery, message: IncomingMessage, attempt: int) -> Reply:
        if attempt > self._max_attempts:
            msg = f"begun {self._max_attempts} times and never finished"
            logger.error("%s was %s", message.key, msg)
            return self._on_failure(message, Permanent(msg))
        working = asyncio.create_task(show(delivery, message))
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


async def show(delivery: Delivery, message: IncomingMessage, *, waiting: bool = False) -> None:
    """A sign of work, or that others come first where the platform has one for that."""
    try:
        if not waiting:
            await delivery.working(message)
        elif isinstance(delivery, ShowsWaiting):
            await delivery.waiting(message)
    except Exception as error:  # noqa: BLE001 - a missing sign of work is no reason to do no work
        logger.info("no sign of work for %s: %s", message.key, outline(error))
