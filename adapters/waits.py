"""Trying again after what passes."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from random import SystemRandom
from typing import TYPE_CHECKING, TypeVar

from bot.errors import Transient

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Waits:
    """Up to `tries` tries.

    The wait in between doubles from `first` up to `most` seconds, and a random half of it is left off, so that many
    do not come back at once; where the platform said how long to wait, that is waited, and a little more. `chance`
    gives a uniform number in [0, 1).
    """

    tries: int = 6
    first: float = 1.0
    most: float = 60.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = field(default_factory=lambda: SystemRandom().random)

    def between(self, tried: int, retry_after: float | None) -> float:
        """Seconds to wait after so many tries."""
        if retry_after is not None:
            return retry_after + self.first * self.chance()
        return min(self.most, self.first * 2.0 ** (tried - 1)) * (1 - self.chance() / 2)

    async def through(self, call: Callable[[], Awaitable[T]]) -> T:
        """What the call gives in the end; for calls that may be made twice. Raises what the last try raises."""
        tried = 1
        while True:
            try:
                return await call()
            except Transient as error:
                if tried >= self.tries:
                    raise
                await self.sleep(self.between(tried, error.retry_after))
            tried += 1
