"""Trying a hosted model again: in growing steps, never before it said to, and not for ever."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from retrieval.errors import ModelUnavailable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Backoff:
    """How often to try, and how long to pause: `first` seconds, then twice as long each time, at most `longest`."""

    attempts: int
    first: float
    longest: float

    def pause(self, failures: int, jitter: float, retry_after: float | None) -> float | None:
        """Seconds until the next try after so many failures, or None to give up. `jitter` is in [0, 1).

        Without a word from the other side, half of the step is certain and half left to chance, so that many who
        failed together do not come back together. A wait that the other side asked for is kept whole, with up to
        `first` seconds on top; one longer than `longest` is the caller's to decide.
        """
        if failures >= self.attempts:
            return None
        if retry_after is None:
            step = min(self.longest, self.first * 2.0 ** (failures - 1))
            return step * (1 + jitter) / 2
        return retry_after + self.first * jitter if retry_after <= self.longest else None


@dataclass(frozen=True, slots=True)
class Retry:
    """A backoff with what it needs of the world: `sleep` takes seconds, `jitter` gives numbers in [0, 1)."""

    backoff: Backoff
    sleep: Callable[[float], Awaitable[None]]
    jitter: Callable[[], float]

    async def __call__(self, ask: Callable[[], Awaitable[Result]]) -> Result:
        """What `ask` gives, asked again after each ModelUnavailable; the last one is raised, any other at once."""
        failures = 0
        while True:
            try:
                return await ask()
            except ModelUnavailable as error:
                failures += 1
                pause = self.backoff.pause(failures, self.jitter(), error.retry_after)
                if pause is None:
                    raise
            await self.sleep(pause)
