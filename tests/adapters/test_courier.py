from __future__ import annotations

import asyncio
import logging
from collections import deque
from typing import TYPE_CHECKING

import pytest

from adapters.courier import Courier
from bot.errors import Permanent, Transient
from tests.adapters.platform import Fault, Platform, a_message, a_reply

if TYPE_CHECKING:
    from bot.messages import IncomingMessage, Reply

MESSAGE = a_message()
REPLY = a_reply(MESSAGE)


class Waits(list[float]):
    """Notes how long it would have slept."""

    async def __call__(self, seconds: float) -> None:
        self.append(seconds)


@pytest.fixture
def waits() -> Waits:
    return Waits()


def a_courier(waits: Waits, *, chance: float = 0.0, tries: int = 4, deadline: float = 30.0) -> Courier:
    return Courier(tries=tries, first=1, most=3, deadline=deadline, sleep=waits, chance=lambda: chance)


async def test_a_reply_is_delivered_without_questions(waits: Waits) -> None:
    platform = Platform()
    assert await a_courier(waits).deliver(platform, MESSAGE, REPLY, unsure=False)
    assert (platform.shown, platform.asked, waits) == ({"1": [REPLY]}, [], [])


async def test_what_passes_is_tried_again_after_doubling_waits_up_to_the_most(waits: Waits) -> None:
    platform = Platform(faults=deque([Fault(Transient("down"))] * 3))
    assert await a_courier(waits).deliver(platform, MESSAGE, REPLY, unsure=False)
    assert platform.shown == {"1": [REPLY]}
    assert waits == [1, 2, 3]


async def test_chance_leaves_off_up_to_half_of_a_wait(waits: Waits) -> None:
    platform = Platform(faults=deque([Fault(Transient("down"))]))
    await a_courier(waits, chance=0.8).deliver(platform, MESSAGE, REPLY, unsure=False)
    assert waits == pytest.approx([0.6])


@pytest.mark.parametrize(("chance", "expected"), [(0.0, 30.0), (0.5, 30.5)])
async def test_the_wait_that_the_platform_asked_for_is_never_cut_short(
    waits: Waits, chance: float, expected: float
) -> None:
    platform = Platform(faults=deque([Fault(Transient("slow down", retry_after=30))]))
    assert await a_courier(waits, chance=chance).deliver(platform, MESSAGE, REPLY, unsure=False)
    assert waits == [expected]


async def test_tries_are_bounded_and_the_message_stays_unsettled(waits: Waits) -> None:
    platform = Platform(faults=deque([Fault(Transient("down"))] * 9))
    assert not await a_courier(waits, tries=3).deliver(platform, MESSAGE, REPLY, unsure=False)
    assert platform.tries == 3
    assert len(waits) == 2, "nothing is waited for after the last try"


async def test_a_reply_that_arrived_in_spite_of_the_fault_is_not_sent_again(waits: Waits) -> None:
    platform = Platform(faults=deque([Fault(Transient("connection lost"), shown=True)]))
    assert await a_courier(waits).deliver(platform, MESSAGE, REPLY, unsure=False)
    assert platform.shown == {"1": [REPLY]}


async def test_a_rate_limit_is_a_clear_no_and_costs_no_question(waits: Waits) -> None:
    platform = Platform(faults=deque([Fault(Transient("slow down", retry_after=1))]))
    await a_courier(waits).deliver(platform, MESSAGE, REPLY, unsure=False)
    assert platform.asked == []


async def test_a_doubt_outlasts_a_later_rate_limit(waits: Waits) -> None:
    platform = Platform(
        faults=deque([Fault(Transient("connection lost"), shown=True)]),
        unsure=deque([Transient("slow down", retry_after=1), None]),
    )
    assert await a_courier(waits).deliver(platform, MESSAGE, REPLY, unsure=False)
    assert platform.shown == {"1": [REPLY]}


async def test_a_doubt_that_the_platform_never_clears_ends_in_a_reply(waits: Waits) -> None:
    platform = Platform(unsure=deque([Permanent("no right to read")]))
    assert await a_courier(waits).deliver(platform, MESSAGE, REPLY, unsure=True)
    assert platform.shown == {"1": [REPLY]}


async def test_a_refusal_for_good_settles_it_and_is_logged_by_key_without_text(
    waits: Waits, caplog: pytest.LogCaptureFixture
) -> None:
    platform = Platform(faults=deque([Fault(Permanent(f"cannot post: {REPLY.text}"))]))
    with caplog.at_level(logging.DEBUG):
        assert await a_courier(waits).deliver(platform, MESSAGE, REPLY, unsure=False)
    assert platform.tries == 1
    assert MESSAGE.key in caplog.text
    assert REPLY.trace_id in caplog.text
    assert "secret" not in caplog.text


async def test_a_try_that_hangs_is_cut_off_and_tried_again(waits: Waits) -> None:
    class Hangs(Platform):
        async def deliver(self, message: IncomingMessage, reply: Reply) -> None:
            if not self.tries:
                self.tries += 1
                await asyncio.Event().wait()
            await super().deliver(message, reply)

    platform = Hangs()
    assert await a_courier(waits, deadline=0.01).deliver(platform, MESSAGE, REPLY, unsure=False)
    assert platform.shown == {"1": [REPLY]}


@pytest.mark.parametrize("error", [Transient("down"), Permanent("no right to read")])
async def test_what_cannot_be_told_counts_as_not_found(waits: Waits, error: Exception) -> None:
    platform = Platform(shown={"1": [REPLY]}, unsure=deque([error]))
    assert not await a_courier(waits).found(platform, MESSAGE)
    assert await a_courier(waits).found(platform, MESSAGE)
