"""Slack's double in this process, the product as `citewell serve` in another, and people who ask a lot between them."""

from __future__ import annotations

import asyncio
import shutil
import signal
import time
from collections import Counter
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from aiohttp import ClientError

from tests.doubles.slack import BOT, SlackDouble
from tests.e2e.serve_rig import Served

if TYPE_CHECKING:
    import random
    from collections.abc import AsyncIterator, Mapping, Sequence

    from tests.doubles.slack import Message

Mode = Literal["socket", "http"]
PEOPLE, CHANNELS = 50, 100
SLACK_WAITS = 3.0
"""Seconds after which Slack takes an event for lost and sends it again."""
SETTLED = 600.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """How many questions have no answer, one, and more than one."""

    unanswered: int
    once: int
    twice: int


@dataclass(slots=True)
class Crowd:
    """Slack with people who ask, and the process that answers; `starts` are the seconds from its start to ready."""

    slack: SlackDouble
    folder: Path
    mode: Mode
    environment: Mapping[str, str]
    stack: AsyncExitStack
    served: Served | None = None
    starts: list[float] = field(default_factory=list)
    acknowledged: list[float] = field(default_factory=list)
    sent: int = 0

    async def start(self) -> Served:
        """Start the product and wait until it answers."""
        began = time.perf_counter()
        self.served = served = await Served.start(self.folder, self._settings())
        self.stack.push_async_callback(served.end)
        await served.ready()
        self.starts.append(time.perf_counter() - began)
        self.slack.request_url = f"http://127.0.0.1:{served.port}/slack/events" if self.mode == "http" else None
        return served

    async def ask(self, text: str, number: int = 0) -> Message:
        """Somebody mentions the bot in one of the channels; nothing is sent yet."""
        return await self.slack.write(f"C{number % CHANNELS:06d}", f"U{number % PEOPLE:06d}", f"<@{BOT}> {text}")

    async def bring(self, body: dict[str, Any], *, retry: int = 0) -> None:
        """Deliver an event as Slack does: again and again until it is acknowledged."""
        while not await self._brought(body, retry):
            retry += 1
            await asyncio.sleep(0.1)

    async def settled(self, asked: Sequence[Message]) -> None:
        """Wait until each has an answer. TimeoutError if that takes too long."""
        async with asyncio.timeout(SETTLED):
            while self.outcome(asked).unanswered:  # noqa: ASYNC110 - looked at seldom, so as to cost nothing
                await asyncio.sleep(0.1)

    def outcome(self, asked: Sequence[Message]) -> Outcome:
        """How many of these have no answer, one, and more."""
        messages = self.slack.workspace.messages.values()
        answers = Counter(one.thread_ts or one.ts for channel in messages for one in channel if one.by_bot)
        return Outcome(
            unanswered=sum(answers[one.ts] == 0 for one in asked),
            once=sum(answers[one.ts] == 1 for one in asked),
            twice=sum(answers[one.ts] > 1 for one in asked),
        )

    async def kill(self) -> None:
        """The process goes without a word, as when the power fails."""
        assert self.served is not None
        self.served.signal(signal.SIGKILL)
        await self.served.ended()

    def memory(self) -> float:
        """What the process holds in memory, in MB, its share of what it maps of files among it."""
        assert self.served is not None
        status = Path(f"/proc/{self.served.process.pid}/status").read_text(encoding="utf-8")
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024

    async def _brought(self, body: dict[str, Any], retry: int) -> bool:
        began = time.perf_counter()
        self.sent += 1
        try:
            if self.mode == "http":
                async with asyncio.timeout(SLACK_WAITS):
                    ok = (await self.slack.post(body, retry=retry)).ok
            else:
                envelope = await self.slack.send(body, retry=retry)
                async with asyncio.timeout(SLACK_WAITS):
                    ok = (await self.slack.acknowledged(envelope)).ok
        except (OSError, ClientError, TimeoutError):
            return False
        if ok:
            self.acknowledged.append(1000 * (time.perf_counter() - began))
        return ok

    def _settings(self) -> dict[str, str]:
        by_mode = {
            "socket": {"SLACK_APP_TOKEN": self.slack.app_token},
            "http": {"SLACK_SIGNING_SECRET": self.slack.signing_secret},
        }
        return {
            "CITEWELL_HOME": str(self.folder),
            "CITEWELL_SLACK_API_URL": self.slack.base_url,
            "SLACK_BOT_TOKEN": self.slack.bot_token,
            **by_mode[self.mode],
            **self.environment,
        }


@asynccontextmanager
async def crowd(index: Path, folder: Path, mode: Mode = "socket", **environment: str) -> AsyncIterator[Crowd]:
    """A home of its own in `folder` with a copy of the index; every process is gone at the end."""
    await asyncio.to_thread(shutil.copytree, index.parent, folder, ignore=lambda _, names: {*names} - {index.name})
    async with SlackDouble() as slack, AsyncExitStack() as stack:
        for number in range(PEOPLE):
            slack.workspace.add_user(f"U{number:06d}", locale="en-GB", tz="Europe/London")
        yield Crowd(slack, folder, mode, environment, stack)


async def burst(
    crowd: Crowd, questions: Sequence[str], *, events: int, seconds: float, dice: random.Random
) -> list[Message]:
    """So many events over so many seconds, a third of them twins or retries of others. What was asked, all brought."""
    asked = [await crowd.ask(questions[number % len(questions)], number) for number in range(events - events // 3)]
    planned: list[tuple[float, dict[str, Any], int]] = []
    for message in asked:
        mention, _ = crowd.slack.events_of(message)
        planned.append((dice.uniform(0, seconds), mention, 0))
    for number, (at, mention, _) in enumerate(dice.sample(planned, events // 3)):
        message = next(one for one in asked if one.ts == mention["event"]["ts"])
        _, twin = crowd.slack.events_of(message)
        later = min(seconds, at + dice.uniform(0, 1))
        planned.append((later, twin, 0) if number % 2 else (later, mention, 1))
    began = time.perf_counter()

    async def one(at: float, body: dict[str, Any], retry: int) -> None:
        await asyncio.sleep(max(0.0, began + at - time.perf_counter()))
        await crowd.bring(body, retry=retry)

    await asyncio.gather(*(one(*event) for event in sorted(planned, key=lambda event: event[0])))
    return asked


async def killed_again_and_again(crowd: Crowd, times: int, seconds: float, dice: random.Random) -> None:
    """Kill it at so many moments within so many seconds, and start it anew each time."""
    moments = sorted(dice.uniform(0, seconds) for _ in range(times))
    lived = [later - earlier for earlier, later in zip([0.0, *moments], moments, strict=False)]
    for life in lived:
        await asyncio.sleep(life)
        await crowd.kill()
        await crowd.start()
