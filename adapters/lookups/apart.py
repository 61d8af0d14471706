"""An operator's own code, run where it can hold up nobody: in threads that nothing waits for."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import partial
from threading import Lock, Thread
from typing import TYPE_CHECKING, TypeVar

from bot.lookup import LookupFailed

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

AT_ONCE = 4


class Apart:
    """Runs what blocks, each call in a daemon thread of its own, `AT_ONCE` of them.

    A call whose caller has stopped waiting goes on in its thread until it ends by itself, and what it gives is dropped:
    Python cannot stop a thread. Until then it counts, so code that hangs every time hangs in `AT_ONCE` threads and is
    not called any more; the process does not wait for them when it ends.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._running = 0
        self._lock = Lock()

    async def run(self, work: Callable[[], T]) -> T:
        """What it returns. `LookupFailed` names the type of what it raised, or says that too many calls hang."""
        with self._lock:
            if self._running >= AT_ONCE:
                raise LookupFailed(f"{self._name}: {AT_ONCE} earlier calls have not ended, so it is not called again")
            self._running += 1
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[T] = loop.create_future()
        Thread(target=self._work, args=(work, loop, ended), name=self._name, daemon=True).start()
        return await ended

    def _work(self, work: Callable[[], T], loop: asyncio.AbstractEventLoop, ended: asyncio.Future[T]) -> None:
        end: Callable[[], None]
        try:
            end = partial(_give, ended, work())
        except LookupFailed as error:
            end = partial(_fail, ended, error)
        except BaseException as error:  # noqa: BLE001 - whatever it does, SystemExit too, it does to this call alone
            end = partial(_fail, ended, LookupFailed(f"{self._name} broke: {type(error).__name__}"))
        with self._lock:
            self._running -= 1
        with suppress(RuntimeError):  # the loop is closed: nobody waits
            loop.call_soon_threadsafe(end)


def _give(ended: asyncio.Future[T], result: T) -> None:
    if not ended.cancelled():
        ended.set_result(result)


def _fail(ended: asyncio.Future[T], fault: LookupFailed) -> None:
    if not ended.cancelled():
        ended.set_exception(fault)
