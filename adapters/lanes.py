"""Each conversation's messages one after another, all conversations side by side, and what is urgent beside them."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from bot.errors import outline

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine

    from bot.messages import IncomingMessage
    from memory.inbox import Inbox

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Job:
    """A message to be settled, and where it is stored; `resumed` says that it was taken up from there.

    What is `urgent` waits for nothing: it goes beside its conversation.
    """

    message: IncomingMessage
    inbox: Inbox
    resumed: bool
    urgent: bool = False


class Lanes:
    """A worker a conversation, which comes with the first message and goes after the last.

    `settle` is called with each job in turn; what it raises is logged, and the next messages do not suffer. `spawn`
    starts a worker; `idle` is told after each message, and of each conversation in which none waits any more.
    """

    def __init__(
        self,
        settle: Callable[[Job], Awaitable[None]],
        spawn: Callable[[Coroutine[Any, Any, None]], object],
        idle: Callable[[str | None], None],
    ) -> None:
        self._settle = settle
        self._spawn = spawn
        self._idle = idle
        self._lanes: dict[str, deque[Job]] = {}
        self._active: dict[str, asyncio.Event] = {}
        self._waiting: dict[str, IncomingMessage] = {}
        self._holding: dict[str, Job] = {}
        self._withdrawn: set[str] = set()

    def __len__(self) -> int:
        return len(self._lanes)

    def holds(self, key: str) -> bool:
        """Whether the message of this key waits or runs."""
        return key in self._active

    def add(self, job: Job) -> bool:
        """Queue it; False if it waits or runs already."""
        if job.message.key in self._active:
            return False
        self._active[job.message.key] = asyncio.Event()
        self._waiting[job.message.key] = job.message
        self._line_up(job)
        return True

    def hasten(self, key: str) -> None:
        """Settle what waits under this key at once; its old place in the conversation comes to nothing."""
        if key in self._waiting and not (job := self._holding[key]).urgent:
            self._line_up(replace(job, urgent=True))

    def amend(self, message: IncomingMessage) -> bool:
        """Settle these words in place of those that wait under the same key; False if none wait there."""
        if message.key not in self._waiting:
            return False
        self._waiting[message.key] = message
        return True

    def begun(self, job: Job) -> Job | None:
        """The job as it reads now that it is its turn, whose words stay as they are from here on; None if hastened."""
        if self._holding.get(job.message.key) is not job:
            return None
        return replace(job, message=self._waiting.pop(job.message.key, job.message))

    def withdraw(self, matches: Callable[[str], bool]) -> None:
        """Note of all with such a key that nothing is to come of them.

        What has begun on files goes on: whoever sent them is to be told what was taken in, and can undo it then.
        """
        for key in filter(matches, tuple(self._active)):
            if not self.is_at_files(key):
                self._waiting.pop(key, None)
                self._withdrawn.add(key)

    def is_at_files(self, key: str) -> bool:
        """Whether the message of this key has files, and its turn has begun."""
        return key in self._holding and key not in self._waiting and bool(self._holding[key].message.files)

    def is_withdrawn(self, key: str) -> bool:
        """Whether nothing is to come of it any more."""
        return key in self._withdrawn

    async def ended(self, matches: Callable[[str], bool]) -> None:
        """Return once none with such a key waits or runs."""
        for key in filter(matches, tuple(self._active)):
            if (over := self._active.get(key)) is not None:
                await over.wait()

    async def alone(self, job: Job, work: Callable[[Job], Awaitable[None]]) -> None:
        """Do something else with a message, beside its conversation."""
        key = job.message.key
        self._active.setdefault(key, asyncio.Event())
        self._holding.setdefault(key, job)
        try:
            await work(job)
        except Exception as error:  # noqa: BLE001 - nobody waits for it
            logger.error("%s stays in the inbox: %s", key, outline(error))  # noqa: TRY400 - see outline
        finally:
            if self._holding.get(key) is job:
                self._end(key)

    def _end(self, key: str) -> None:
        del self._holding[key]
        self._waiting.pop(key, None)
        self._withdrawn.discard(key)
        self._active.pop(key).set()

    def _line_up(self, job: Job) -> None:
        """In its conversation, or in a lane of its own."""
        self._holding[job.message.key] = job
        name = f"{job.message.key} at once" if job.urgent else job.message.conversation.key
        lane = self._lanes.get(name)
        if lane is None:
            lane = self._lanes[name] = deque()
            self._spawn(self._work(name, lane))
        lane.append(job)

    async def _work(self, conversation: str, lane: deque[Job]) -> None:
        """Serve one conversation until nothing waits in it, then go away."""
        try:
            while lane:
                await self.alone(lane.popleft(), self._settle)
                self._idle(None)
        finally:
            del self._lanes[conversation]
            self._idle(conversation)
