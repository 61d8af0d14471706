"""Many activities at once, brought again and again, to a `citewell serve --local` that is killed meanwhile."""

from __future__ import annotations

import asyncio
import random
import signal
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import aiohttp

from bot.wording import wording
from tests.doubles.teams.people import AMINA, BJORN
from tests.doubles.teams.server import CHANNEL
from tests.e2e.serve_rig import Served, free_port

if TYPE_CHECKING:
    from pathlib import Path

    from tests.doubles.teams import TeamsDouble

_PATIENCE = 60.0
_NOTE = wording().error.interrupted


@dataclass(slots=True)
class Outcome:
    """What became of it all. `acknowledged` are seconds, one an activity that was taken at its first try."""

    acknowledged: list[float] = field(default_factory=list)
    deliveries: int = 0
    kills: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)
    asked: list[str] = field(default_factory=list)

    @property
    def duplicates(self) -> list[str]:
        """Conversations in which an answer stands twice."""
        return [where for where, count in self.answers.items() if count > 1]

    @property
    def silent(self) -> list[str]:
        """Those in which nothing stands."""
        return [where for where in self.asked if not self.answers[where] + self.notes[where]]

    def percentile(self, share: float) -> float:
        """Of the acknowledgements, in seconds."""
        ordered = sorted(self.acknowledged)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


class Load:
    """Sends `count` questions, each in a thread of its own, `rate` a second; some come twice, and all until taken."""

    def __init__(self, teams: TeamsDouble, home: Path, *, text: str, seed: int = 7) -> None:
        self._teams = teams
        self._home = home
        self._text = text
        self._chance = random.Random(seed)
        self._port = free_port()
        self._served: Served | None = None
        self._outcome = Outcome()

    async def run(self, count: int, *, rate: float, again: float, kills: int) -> Outcome:
        """All of them sent, and everything answered. `again` is the share that Teams brings once more."""
        await self._start()
        async with aiohttp.ClientSession() as session:
            sending: list[asyncio.Task[None]] = []
            for number in range(count):
                sending.append(asyncio.create_task(self._send(session, again)))
                if kills and number % (count // kills) == count // kills - 1:
                    await asyncio.sleep(self._chance.random() * 0.5)
                    await self._kill()
                await asyncio.sleep(1 / rate)
            await asyncio.gather(*sending)
            await self._answered()
        assert self._served is not None
        self._served.signal(signal.SIGTERM)
        await self._served.ended()
        return self._outcome

    async def _send(self, session: aiohttp.ClientSession, again: float) -> None:
        activity = self._teams.message(CHANNEL, self._chance.choice([AMINA, BJORN]), self._text)
        self._outcome.asked.append(activity["conversation"]["id"])
        await self._bring(session, activity)
        if self._chance.random() < again:
            await asyncio.sleep(self._chance.random())
            await self._bring(session, activity)

    async def _bring(self, session: aiohttp.ClientSession, activity: dict[str, Any]) -> None:
        """Until it is taken, as Teams does."""
        async with asyncio.timeout(_PATIENCE):
            while True:
                began = time.perf_counter()
                self._outcome.deliveries += 1
                try:
                    async with session.post(self._endpoint, json=activity) as got:
                        if got.status == 200:
                            self._outcome.acknowledged.append(time.perf_counter() - began)
                            return
                except aiohttp.ClientError:
                    pass
                await asyncio.sleep(0.1)

    async def _answered(self) -> None:
        async with asyncio.timeout(_PATIENCE):
            while True:
                said = [(one.conversation, one.text == _NOTE) for one in self._teams.messages()]
                self._outcome.answers = Counter(where for where, note in said if not note)
                self._outcome.notes = Counter(where for where, note in said if note)
                if not self._outcome.silent:
                    return
                await asyncio.sleep(0.2)

    async def _kill(self) -> None:
        assert self._served is not None
        self._outcome.kills += 1
        self._served.signal(signal.SIGKILL)
        await self._served.ended()
        await self._start()

    async def _start(self) -> None:
        environment = {
            "CITEWELL_HOME": str(self._home),
            "CITEWELL_EMBEDDER": "none",
            "CITEWELL_RERANKER": "none",
            "CITEWELL_PORT": str(self._port),
        }
        self._served = await Served.start(self._home, environment, "--local")
        await self._served.ready()

    @property
    def _endpoint(self) -> str:
        return f"http://127.0.0.1:{self._port}/api/messages"
