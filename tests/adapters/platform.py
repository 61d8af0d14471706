"""A platform in a test: it shows replies, fails as scripted, and can be asked what it shows."""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from bot.messages import Author, IncomingMessage, Reply
from memory.conversation import Conversation
from memory.turn import TurnKind

if TYPE_CHECKING:
    from collections.abc import Callable

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def a_message(name: str = "1", *, thread: str = "t1", guest: bool = False, platform: str = "slack") -> IncomingMessage:
    return IncomingMessage(
        id=name,
        conversation=Conversation(platform, "T1", "C1", thread),
        author=Author("ada", guest=guest),
        text=f"secret question {name}",
        received_at=NOON + timedelta(seconds=int(name)),
    )


def a_reply(message: IncomingMessage, *, kind: TurnKind = TurnKind.FACT) -> Reply:
    return Reply(kind, f"secret {kind} to {message.id}", f"trace-{message.id}")


def failed(message: IncomingMessage, error: BaseException) -> Reply:
    return Reply(TurnKind.ERROR, f"{type(error).__name__}: {error}", f"trace-{message.id}")


@dataclass
class Fault:
    """One try to deliver that fails with `error`, having shown the reply or not."""

    error: BaseException
    shown: bool = False


@dataclass
class Platform:
    """A `Delivery`. `faults` are met in turn by tries to deliver, `unsure` by questions whether one arrived."""

    shown: dict[str, list[Reply]] = field(default_factory=lambda: defaultdict(list))
    order: list[str] = field(default_factory=list)
    worked_on: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    faults: deque[Fault | None] = field(default_factory=deque)
    unsure: deque[BaseException | None] = field(default_factory=deque)
    tries: int = 0

    async def working(self, message: IncomingMessage) -> None:
        self.worked_on.append(message.id)

    async def deliver(self, message: IncomingMessage, reply: Reply) -> None:
        self.tries += 1
        await asyncio.sleep(0)
        fault = self.faults.popleft() if self.faults else None
        if fault is None or fault.shown:
            self.shown[message.id].append(reply)
            self.order.append(message.id)
            await asyncio.sleep(0)
        if fault is not None:
            raise fault.error

    async def delivered(self, message: IncomingMessage) -> bool:
        self.asked.append(message.id)
        await asyncio.sleep(0)
        error = self.unsure.popleft() if self.unsure else None
        if error is not None:
            raise error
        return message.id in self.shown


async def until(true: Callable[[], object]) -> None:
    """Let everything else go on until it is true; give up after some seconds."""
    async with asyncio.timeout(20):
        while not true():  # noqa: ASYNC110 - what tests wait for has no event of its own
            await asyncio.sleep(0.001)
