"""Waiting for the dispatcher without waiting for luck."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adapters.dispatch import Dispatcher

PATIENCE = 60.0


async def settled(dispatcher: Dispatcher) -> None:
    """Return when no message waits or runs any more. TimeoutError if that does not come."""
    async with asyncio.timeout(PATIENCE):
        while dispatcher.busy:  # noqa: ASYNC110 - the dispatcher tells its state, not its changes
            await asyncio.sleep(0.002)
