"""Trying again: how often, how long between, and when not."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.errors import ModelRefused, ModelUnavailable, RetrievalError
from retrieval.retry import Backoff, Retry

BACKOFF = Backoff(attempts=5, first=1.0, longest=6.0)


@dataclass
class World:
    """Failures to come, then an answer; and how long was slept."""

    failures: list[RetrievalError]
    jitter: float = 0.0
    slept: list[float] = field(default_factory=list)
    asked: int = 0

    async def ask(self) -> str:
        self.asked += 1
        if self.failures:
            raise self.failures.pop(0)
        return "answer"

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    async def run(self) -> str:
        return await Retry(BACKOFF, self.sleep, lambda: self.jitter)(self.ask)


async def test_what_succeeds_is_asked_once() -> None:
    world = World([])
    assert await world.run() == "answer"
    assert (world.asked, world.slept) == (1, [])


async def test_pauses_double_up_to_the_longest() -> None:
    world = World([ModelUnavailable("busy")] * 4, jitter=1.0)
    assert await world.run() == "answer"
    assert world.slept == [1.0, 2.0, 4.0, 6.0]


async def test_the_last_failure_is_raised_when_the_tries_are_used_up() -> None:
    failures: list[RetrievalError] = [ModelUnavailable(str(number)) for number in range(9)]
    world = World(failures)
    with pytest.raises(ModelUnavailable, match="4"):
        await world.run()
    assert world.asked == 5


async def test_what_has_to_be_mended_is_not_asked_again() -> None:
    world = World([ModelRefused("key")])
    with pytest.raises(ModelRefused):
        await world.run()
    assert (world.asked, world.slept) == (1, [])


async def test_a_wait_that_was_asked_for_is_kept() -> None:
    world = World([ModelUnavailable("busy", retry_after=5.0)], jitter=0.5)
    await world.run()
    assert world.slept == [5.5]


async def test_a_wait_longer_than_allowed_ends_it_at_once() -> None:
    world = World([ModelUnavailable("busy", retry_after=7.0)])
    with pytest.raises(ModelUnavailable):
        await world.run()
    assert (world.asked, world.slept) == (1, [])


@given(st.integers(1, 4), st.floats(0, 1, exclude_max=True), st.none() | st.floats(0, 6))
def test_no_pause_is_shorter_than_asked_for_or_half_a_step(failures: int, jitter: float, asked: float | None) -> None:
    pause = BACKOFF.pause(failures, jitter, asked)
    step = min(6.0, 2.0 ** (failures - 1))
    assert pause is not None
    assert (step / 2 if asked is None else asked) <= pause <= (step if asked is None else asked + 1.0)
