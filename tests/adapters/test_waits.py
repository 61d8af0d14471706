from __future__ import annotations

from collections import deque

import pytest

from adapters.waits import Waits
from bot.errors import Permanent, Transient


class Call:
    def __init__(self, *faults: Exception) -> None:
        self.faults = deque(faults)
        self.slept: list[float] = []
        self.waits = Waits(tries=3, first=1, most=60, sleep=self._sleep, chance=lambda: 0.0)

    async def __call__(self) -> str:
        if self.faults:
            raise self.faults.popleft()
        return "there"

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


async def test_what_passes_is_tried_again_after_the_wait_that_was_asked_for() -> None:
    call = Call(Transient("slow down", retry_after=7), Transient("down"))
    assert await call.waits.through(call) == "there"
    assert call.slept == [7, 2]


async def test_tries_are_bounded() -> None:
    call = Call(*[Transient("down")] * 9)
    with pytest.raises(Transient):
        await call.waits.through(call)
    assert (len(call.faults), call.slept) == (6, [1, 2])


async def test_what_does_not_pass_is_not_tried_again() -> None:
    call = Call(Permanent("no"))
    with pytest.raises(Permanent):
        await call.waits.through(call)
    assert call.slept == []
