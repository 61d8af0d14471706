"""One message a second a channel, which is what Slack allows for long: kept to, it never has to refuse one."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from typing import TYPE_CHECKING

from bot.errors import Transient

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

_MOST_KNOWN = 10_000


class Pace:
    """Gives every message to a channel a moment of its own, `interval` seconds after the one before it.

    A moment within `patience` seconds is waited for. One that is later raises `Transient`, which says how long it is
    until then, and is kept for whoever comes again under the same key. `clock` counts seconds and never goes back.
    """

    def __init__(
        self,
        *,
        interval: float = 1.0,
        patience: float = 10.0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._interval = interval
        self._patience = patience
        self._clock = clock
        self._sleep = sleep
        self._free: OrderedDict[str, float] = OrderedDict()
        self._kept: OrderedDict[tuple[str, str], float] = OrderedDict()

    async def turn(self, channel: str, key: str) -> None:
        """Wait until the message of this key may go out in this channel."""
        now = self._clock()
        at = self._kept.pop((channel, key), None)
        if at is None:
            at = max(now, self._free.get(channel, now))
            self._take(channel, at + self._interval)
        wait = at - now
        if wait > self._patience:
            self._kept[channel, key] = at
            if len(self._kept) > _MOST_KNOWN:
                self._kept.popitem(last=False)
            raise Transient("others come first in this channel", retry_after=wait)
        if wait > 0:
            await self._sleep(wait)

    def pause(self, channel: str, seconds: float) -> None:
        """Slack asks for so long a pause there: nobody is to run into that a second time."""
        self._take(channel, max(self._clock() + seconds, self._free.get(channel, 0.0)))

    def _take(self, channel: str, until: float) -> None:
        self._free[channel] = until
        self._free.move_to_end(channel)
        if len(self._free) > _MOST_KNOWN:
            self._free.popitem(last=False)
