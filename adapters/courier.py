"""Brings one reply to its platform: again after what passes, never a second time after what arrived."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from adapters.waits import Waits
from bot.errors import Misconfigured, Permanent, Transient

if TYPE_CHECKING:
    from bot.messages import IncomingMessage, Reply

logger = logging.getLogger(__name__)


class Delivery(Protocol):
    """One platform, as the dispatcher needs it. Its SDK's errors come out as `Transient` or `Permanent`."""

    async def working(self, message: IncomingMessage) -> None:
        """Show that the message is being worked on. Its failure never matters, and it may be cancelled."""
        ...

    async def deliver(self, message: IncomingMessage, reply: Reply) -> None:
        """Show the reply to the message, once."""
        ...

    async def delivered(self, message: IncomingMessage) -> bool:
        """Whether a reply to the message stands there already.

        Asked only where one may: after a restart, and after a try that ended without a clear no.
        """
        ...


@runtime_checkable
class ShowsWaiting(Protocol):
    """What a `Delivery` may have besides: a sign that others come first. Without it, nothing is shown."""

    async def waiting(self, message: IncomingMessage) -> None:
        """Show it. Its failure never matters, and it may be cancelled."""
        ...


@dataclass(frozen=True, slots=True)
class Courier(Waits):
    """Delivers a reply in up to `tries` tries of `deadline` seconds each."""

    deadline: float = 30.0

    async def deliver(self, delivery: Delivery, message: IncomingMessage, reply: Reply, *, unsure: bool) -> bool:
        """Whether the message is settled: delivered, found delivered, or refused for good. False: try later.

        What the operator can mend is tried later too, and not again and again until then.

        `unsure` says that a reply may stand there already, so that the platform is asked first. Whatever is neither
        `Transient`, `Permanent` nor a time-out is raised on.
        """
        for tried in range(1, self.tries + 1):
            try:
                async with asyncio.timeout(self.deadline):
                    if not (unsure and await self._stands(delivery, message)):
                        await delivery.deliver(message, reply)
            except Misconfigured as error:
                logger.error("reply to %s waits until this is mended: %s", message.key, error)  # noqa: TRY400 - it says it all
                return False
            except Permanent as error:
                logger.error(  # noqa: TRY400 - a traceback ends in the platform's words, which may quote the reply
                    "reply to %s refused for good by the platform (%s), trace %s",
                    message.key,
                    type(error).__name__,
                    reply.trace_id,
                )
                return True
            except (Transient, TimeoutError) as error:
                retry_after = error.retry_after if isinstance(error, Transient) else None
                unsure = unsure or retry_after is None
                logger.warning("reply to %s not delivered, try %d (%s)", message.key, tried, type(error).__name__)
                if tried < self.tries:
                    await self.sleep(self.between(tried, retry_after))
            else:
                return True
        return False

    async def found(self, delivery: Delivery, message: IncomingMessage) -> bool:
        """Whether the platform says right now that a reply stands there."""
        try:
            async with asyncio.timeout(self.deadline):
                return await self._stands(delivery, message)
        except (Transient, TimeoutError) as error:
            logger.warning("cannot tell yet whether %s was answered (%s)", message.key, type(error).__name__)
            return False

    async def _stands(self, delivery: Delivery, message: IncomingMessage) -> bool:
        """False where the platform will never say, since silence is the worse fault."""
        try:
            return await delivery.delivered(message)
        except Permanent as error:
            logger.warning("cannot tell whether %s was answered (%s)", message.key, type(error).__name__)
            return False
