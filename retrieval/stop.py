"""Ending long work early, in good order."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Coroutine

GRACE = 5.0
"""Seconds that work in hand gets once it is to stop, for a hosted model may wait for minutes to be served again."""

Result = TypeVar("Result")


async def unless_stopped(work: Coroutine[Any, Any, Result], stop: asyncio.Event | None, grace: float) -> Result | None:
    """What the work gives, or None if it is to stop and goes on for longer than the grace."""
    if stop is None:
        return await work
    working, stopping = asyncio.create_task(work), asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({working, stopping}, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.wait({working}, timeout=grace)
        return working.result() if working.done() else None
    finally:
        working.cancel()
        stopping.cancel()
        await asyncio.gather(working, stopping, return_exceptions=True)
