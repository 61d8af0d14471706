"""Answers of a platform's that are kept for a while, and asked for once however many wait for them."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

T = TypeVar("T")


class Kept(Generic[T]):
    """What `ask` says of a key, for `ttl` seconds of `clock`; a failure is raised to all who wait, and is not kept.

    Whoever stops waiting stops nobody else: the answer is there for the next.
    """

    def __init__(
        self,
        ask: Callable[[str], Awaitable[T]],
        clock: Callable[[], float],
        *,
        ttl: float,
        capacity: int = 10_000,
    ) -> None:
        self._ask = ask
        self._clock = clock
        self._ttl = ttl
        self._capacity = capacity
        self._known: OrderedDict[str, tuple[float, T]] = OrderedDict()
        self._asking: dict[str, asyncio.Task[T]] = {}

    async def of(self, key: str) -> T:
        """The answer, kept or fresh. Raises what `ask` raises."""
        known = self._known.get(key)
        if known is not None and self._clock() < known[0]:
            return known[1]
        asking = self._asking.get(key)
        if asking is None:
            asking = self._asking[key] = asyncio.create_task(self._fresh(key))
            asking.add_done_callback(lambda task: self._done(key, task))
        return await asyncio.shield(asking)

    async def close(self) -> None:
        """Stop asking."""
        asking = tuple(self._asking.values())
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)

    async def _fresh(self, key: str) -> T:
        answer = await self._ask(key)
        self._known[key] = self._clock() + self._ttl, answer
        self._known.move_to_end(key)
        if len(self._known) > self._capacity:
            self._known.popitem(last=False)
        return answer

    def _done(self, key: str, task: asyncio.Task[T]) -> None:
        del self._asking[key]
        if not task.cancelled():
            task.exception()  # nobody may be waiting any more
