"""Signals as events: SIGINT and SIGTERM for work that ends in good order, SIGHUP for reading settings again."""

from __future__ import annotations

import asyncio
import signal
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@dataclass(slots=True)
class Stopping:
    """`event` is set by the first signal, which `by` names."""

    event: asyncio.Event = field(default_factory=asyncio.Event)
    by: signal.Signals | None = None

    def stop(self, number: signal.Signals) -> None:
        """Note the signal that came, and set the event."""
        self.by = self.by or number
        self.event.set()


@contextmanager
def stopped_by_signal() -> Iterator[Stopping]:
    """What the first SIGINT or SIGTERM stops; after the block they do again what they did before."""
    stopping = Stopping()
    loop = asyncio.get_running_loop()
    # Windows has no handlers on the loop: there Ctrl-C raises KeyboardInterrupt, as it does outside this block.
    with suppress(NotImplementedError):
        for number in _SIGNALS:
            loop.add_signal_handler(number, stopping.stop, number)
    try:
        yield stopping
    finally:
        with suppress(NotImplementedError):
            for number in _SIGNALS:
                loop.remove_signal_handler(number)


@contextmanager
def told_by_hangup() -> Iterator[asyncio.Event]:
    """An event that SIGHUP sets: whoever waits for it clears it. Without that signal (Windows) it is never set."""
    event, loop = asyncio.Event(), asyncio.get_running_loop()
    number = getattr(signal, "SIGHUP", None)
    if number is None:
        yield event
        return
    loop.add_signal_handler(number, event.set)
    try:
        yield event
    finally:
        loop.remove_signal_handler(number)
