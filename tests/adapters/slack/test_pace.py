"""One message a second a channel."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.slack.pace import Pace
from bot.errors import Transient


class Time:
    """A clock that sleeping moves on."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


def a_pace(time: Time, *, patience: float = 10.0) -> Pace:
    return Pace(interval=1.0, patience=patience, clock=time, sleep=time.sleep)


@given(st.lists(st.tuples(st.sampled_from("ab"), st.floats(0, 3)), max_size=30))
async def test_no_two_messages_of_a_channel_go_out_within_a_second(sent: list[tuple[str, float]]) -> None:
    time, went = Time(), list[tuple[str, float]]()
    pace = a_pace(time)
    for number, (channel, later) in enumerate(sent):
        time.now += later
        await pace.turn(channel, str(number))
        went.append((channel, time.now))
    for channel in "ab":
        moments = [at for where, at in went if where == channel]
        assert all(after - before >= 0.999 for before, after in itertools.pairwise(moments))


async def test_other_channels_are_not_waited_for() -> None:
    time = Time()
    pace = a_pace(time)
    for channel in "abc":
        await pace.turn(channel, "1")
    assert time.now == 100.0


async def test_a_moment_far_off_is_kept_for_whoever_comes_again() -> None:
    time = Time()
    pace = Pace(interval=1.0, patience=0.5, clock=time, sleep=time.sleep)
    await pace.turn("a", "1")
    waits = {}
    for key in ("2", "3"):
        with pytest.raises(Transient) as raised:
            await pace.turn("a", key)
        waits[key] = raised.value.retry_after
    assert waits == {"2": 1.0, "3": 2.0}
    time.now = 102.0
    await pace.turn("a", "3")
    await pace.turn("a", "2")
    assert time.now == 102.0


async def test_a_pause_that_slack_asks_for_holds_for_all_of_the_channel() -> None:
    time = Time()
    pace = a_pace(time)
    await pace.turn("a", "1")
    pace.pause("a", 7)
    await pace.turn("a", "2")
    assert time.now == 107.0
