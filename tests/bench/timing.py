"""Searches timed by turns, so that whatever else the machine does hits all alike."""

from __future__ import annotations

import asyncio
import random
import time
from typing import TYPE_CHECKING, Any, TypeAlias

from tests.bench.report import Times

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    Timed: TypeAlias = Callable[[str], Awaitable[Any]]

WARM = 3
"""Questions that are asked first and not counted."""

PAUSE = 0.03
"""Seconds before each search, in which threads that the one before left spinning come to rest."""


async def by_turns(searches: Mapping[str, Timed], questions: Sequence[str]) -> dict[str, Times]:
    """Ask each question of each search, one at a time, in an order drawn anew for every question.

    So none always follows the one that has just warmed what it reads.
    """
    names = list(searches)
    dice = random.Random(0)
    wall: dict[str, list[float]] = {name: [] for name in names}
    processor: dict[str, list[float]] = {name: [] for name in names}
    for number, question in enumerate([*questions[:WARM], *questions]):
        for name in dice.sample(names, len(names)):
            await asyncio.sleep(PAUSE)
            began, used = time.perf_counter(), time.process_time()
            await searches[name](question)
            if number >= WARM:
                wall[name].append(1000 * (time.perf_counter() - began))
                processor[name].append(1000 * (time.process_time() - used))
    return {name: Times(wall[name], processor[name]) for name in names}
