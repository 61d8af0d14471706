"""Many messages at once: none is lost or overtaken, memory is bounded, and people are told that they wait."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.courier import Courier
from adapters.dispatch import Dispatcher
from bot.errors import Misconfigured, Transient
from memory.inbox import RamInbox
from tests.adapters.platform import NOON, Fault, Platform, a_message, a_reply, failed, until
from tests.adapters.test_dispatch import Turns, idle, no_wait

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from bot.messages import IncomingMessage, Reply


class Told(Platform):
    """A platform that can say that others come first."""

    def __init__(self) -> None:
        super().__init__()
        self.waited: list[str] = []

    async def waiting(self, message: IncomingMessage) -> None:
        self.waited.append(message.id)


class Stage:
    def __init__(
        self,
        respond: Callable[[IncomingMessage], Awaitable[Reply]],
        platform: Platform | None = None,
        *,
        many: int = 100,
        most: int = 100,
        concurrency: int = 1,
        durable: RamInbox | None = None,
    ) -> None:
        self.platform = platform or Told()
        self.durable = durable or RamInbox()
        self.ephemeral = RamInbox()
        self.dispatcher = Dispatcher(
            respond,
            durable=self.durable,
            ephemeral=self.ephemeral,
            on_failure=failed,
            clock=lambda: NOON,
            concurrency=concurrency,
            many=many,
            most=most,
            courier=Courier(tries=2, sleep=no_wait, chance=lambda: 0.0),
        )
        self.dispatcher.register("slack", self.platform)

    async def settled(self) -> None:
        await idle(self.dispatcher)
        assert [*await self.durable.pending(), *await self.ephemeral.pending()] == []


def messages(count: int, *, guest: bool = False) -> list[IncomingMessage]:
    return [a_message(str(number), thread=f"t{number}", guest=guest) for number in range(count)]


async def test_who_comes_when_many_wait_is_told_once_a_conversation() -> None:
    platform, turns = Told(), Turns(shut=True)
    stage = Stage(turns, platform, many=2)
    for message in (*messages(4), a_message("9", thread="t3")):
        await stage.dispatcher.accept(message)
    await until(lambda: platform.waited)
    assert platform.waited == ["3"], "the first runs, two may wait; one more in t3 knows already"
    for name in "01239":
        turns.gate(name).set()
    await stage.settled()


async def test_a_platform_that_shows_no_waiting_is_not_asked_to() -> None:
    turns = Turns()
    stage = Stage(turns, Platform(), many=0)
    for message in messages(3):
        await stage.dispatcher.accept(message)
    await stage.settled()
    assert sorted(stage.platform.order) == ["0", "1", "2"]


async def test_what_comes_beyond_the_bound_waits_in_the_inbox_and_is_answered_in_its_order() -> None:
    turns = Turns(shut=True)
    stage = Stage(turns, most=3)
    for message in messages(20):
        assert await stage.dispatcher.accept(message)
    await until(lambda: turns.begun)
    assert stage.dispatcher.busy <= 4, "no more than the bound is held beside what runs"
    for number in range(20):
        turns.gate(str(number)).set()
    await stage.settled()
    assert stage.platform.order == [str(number) for number in range(20)]


async def test_a_guest_beyond_the_bound_is_told_to_ask_again() -> None:
    turns = Turns(shut=True)
    stage = Stage(turns, most=2)
    for message in messages(4, guest=True):
        await stage.dispatcher.accept(message)
        turns.gate(message.id)
        await asyncio.sleep(0)
    await until(lambda: stage.platform.shown)
    assert stage.platform.shown["3"][0].text.startswith("Busy")
    for gate in turns.gates.values():
        gate.set()
    await stage.settled()
    assert {name: len(replies) for name, replies in stage.platform.shown.items()} == dict.fromkeys("0123", 1)


@settings(max_examples=60, deadline=None)
@given(
    sent=st.lists(st.tuples(st.integers(0, 30), st.integers(0, 3), st.integers(0, 4)), max_size=40),
    most=st.integers(1, 4),
)
async def test_everything_is_answered_once_and_in_order_whatever_the_bound(
    sent: list[tuple[int, int, int]], most: int
) -> None:
    stage = Stage(Turns(), most=most, concurrency=2)
    accepted: list[IncomingMessage] = []
    for number, thread, later in sent:
        message = a_message(str(number), thread=f"t{thread}")
        if await stage.dispatcher.accept(message):
            accepted.append(message)
        for _ in range(later):
            await asyncio.sleep(0)
    await stage.settled()
    assert {name: len(replies) for name, replies in stage.platform.shown.items()} == {m.id: 1 for m in accepted}
    for thread in range(4):
        names = [m.id for m in accepted if m.conversation.thread == f"t{thread}"]
        assert [name for name in stage.platform.order if name in names] == names


async def test_a_reply_that_could_not_get_out_is_kept_and_no_turn_runs_twice_for_it() -> None:
    turns = Turns()
    stage = Stage(turns)
    stage.platform.faults = deque([Fault(Transient("down"))] * 20)
    await stage.dispatcher.accept(a_message())
    for _ in range(9):
        await idle(stage.dispatcher)
        await stage.dispatcher.resume()
    stage.platform.faults.clear()
    await idle(stage.dispatcher)
    await stage.dispatcher.resume()
    await stage.settled()
    assert turns.begun == ["1"]
    assert stage.platform.shown["1"] == [a_reply(a_message())]


async def test_what_the_operator_has_to_mend_is_not_tried_again_at_once_and_not_given_up() -> None:
    stage = Stage(Turns())
    stage.platform.faults = deque([Fault(Misconfigured("token_revoked: put a new token in"))] * 8)
    await stage.dispatcher.accept(a_message())
    for tries in range(1, 9):
        await idle(stage.dispatcher)
        assert stage.platform.tries == tries
        await stage.dispatcher.resume()
    await stage.settled()
    assert stage.platform.order == ["1"]


async def test_the_bound_holds_at_the_start_too() -> None:
    first = Stage(Turns(shut=True))
    for message in messages(9):
        await first.dispatcher.accept(message)
    await first.dispatcher.drain(0)
    turns = Turns(shut=True)
    second = Stage(turns, most=2, durable=first.durable)
    assert await second.dispatcher.resume() == 9
    await until(lambda: turns.begun)
    assert second.dispatcher.busy <= 3
    for number in range(9):
        turns.gate(str(number)).set()
    await second.settled()
    assert second.platform.order == [str(number) for number in range(9)]
