"""Never silent, never twice: random messages, duplicates, faults, failing turns and crashes, one after another."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.dispatch import Courier, Dispatcher
from bot.errors import Transient
from memory.inbox import RamInbox
from tests.adapters.platform import NOON, Fault, Platform, a_message, a_reply, failed, until

if TYPE_CHECKING:
    from bot.messages import IncomingMessage, Reply
    from memory.inbox import Inbox

FAULTS: list[Fault | None] = [
    None,
    Fault(Transient("slow down", retry_after=1)),
    Fault(Transient("down")),
    Fault(Transient("connection lost"), shown=True),
    Fault(KeyError("blocks")),
    Fault(KeyError("ts"), shown=True),
]
DOUBTS: list[BaseException | None] = [None, Transient("down"), Transient("slow down", retry_after=1)]

sent = st.integers(0, 5)
turns_of_the_loop = st.integers(0, 12)
events = st.lists(
    st.one_of(
        st.tuples(st.just("send"), sent),
        st.tuples(st.just("wait"), turns_of_the_loop),
        st.tuples(st.just("crash"), st.just(0)),
        st.tuples(st.just("resume"), st.just(0)),
    ),
    min_size=2,
    max_size=25,
)


async def no_wait(_: float) -> None:
    await asyncio.sleep(0)


async def idle(dispatcher: Dispatcher) -> None:
    await until(lambda: not dispatcher.busy)


def a_life(durable: Inbox, platform: Platform, broken: set[int]) -> Dispatcher:
    async def respond(message: IncomingMessage) -> Reply:
        await asyncio.sleep(0)
        if int(message.id) in broken:
            raise LookupError
        return a_reply(message)

    dispatcher = Dispatcher(
        respond,
        durable=durable,
        ephemeral=RamInbox(),
        on_failure=failed,
        clock=lambda: NOON,
        concurrency=2,
        max_attempts=1000,
        courier=Courier(tries=2, sleep=no_wait, chance=lambda: 0.0),
    )
    dispatcher.register("slack", platform)
    return dispatcher


@settings(max_examples=150, deadline=None)
@given(
    events=events,
    faults=st.lists(st.sampled_from(FAULTS), max_size=12),
    doubts=st.lists(st.sampled_from(DOUBTS), max_size=6),
    broken=st.sets(sent, max_size=2),
)
async def test_every_accepted_message_gets_exactly_one_reply(
    events: list[tuple[str, int]],
    faults: list[Fault | None],
    doubts: list[BaseException | None],
    broken: set[int],
) -> None:
    durable = RamInbox()
    platform = Platform(faults=deque(faults), unsure=deque(doubts))
    life = a_life(durable, platform, broken)
    accepted: set[str] = set()
    for event, number in events:
        match event:
            case "send":
                message = a_message(str(number), thread=f"t{number % 3}")
                assert await life.accept(message) == (message.id not in accepted)
                accepted.add(message.id)
            case "wait":
                for _ in range(number):
                    await asyncio.sleep(0)
            case "crash":
                await life.drain(0)
                life = a_life(durable, platform, broken)
                await life.resume()
            case _:
                await life.resume()
    while await durable.pending():
        await life.resume()
        await idle(life)
    await life.drain(0)
    assert {name: len(replies) for name, replies in platform.shown.items()} == dict.fromkeys(accepted, 1)
