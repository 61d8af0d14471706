"""SIGINT and SIGTERM as an event, for work that ends in good order."""

from __future__ import annotations

import asyncio
import signal
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stopped_by_signal() -> Iterator[asyncio.Event]:
    """An event that is set by the first SIGINT or SIGTERM; after the block they do again what they did before."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    # Windows has no handlers on the loop: there Ctrl-C raises KeyboardInterrupt, as it does outside this block.
    with suppress(NotImplementedError):
        for number in _SIGNALS:
            loop.add_signal_handler(number, stop.set)
    try:
        yield stop
    finally:
        with suppress(NotImplementedError):
            for number in _SIGNALS:
                loop.remove_signal_handler(number)
