"""Words of someone at risk wait for no other turn, and are answered exactly once all the same."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.dispatch import Courier, Dispatcher
from memory.inbox import RamInbox
from tests.adapters.platform import NOON, Platform, a_message, a_reply, failed, until

if TYPE_CHECKING:
    from bot.messages import IncomingMessage, Reply

RISK = "I want to kill myself tonight"


class Talk:
    """One turn at a time, each of which waits for the gate, unless it is about someone at risk."""

    def __init__(self, *, most: int = 1, durable: RamInbox | None = None) -> None:
        self.gate = asyncio.Event()
        self.asked: list[str] = []
        self.platform = Platform()
        self.durable, self.ephemeral = durable or RamInbox(), RamInbox()
        self.dispatcher = Dispatcher(
            self._respond,
            durable=self.durable,
            ephemeral=self.ephemeral,
            on_failure=failed,
            clock=lambda: NOON,
            concurrency=1,
            many=1_000,
            most=most,
            courier=Courier(sleep=lambda _: asyncio.sleep(0)),
        )
        self.dispatcher.register("slack", self.platform)

    async def _respond(self, message: IncomingMessage) -> Reply:
        self.asked.append(message.text)
        if message.text != RISK:
            await self.gate.wait()
        return a_reply(message)

    async def filled(self, count: int) -> list[IncomingMessage]:
        """So many messages in two conversations, the first of which runs."""
        sent = [a_message(str(number), thread=f"t{number % 2}") for number in range(count)]
        for message in sent:
            await self.dispatcher.accept(message)
        await until(lambda: self.asked)
        return sent

    async def ended(self) -> None:
        self.gate.set()
        await until(lambda: not self.dispatcher.busy)
        assert [*await self.durable.pending(), *await self.ephemeral.pending()] == []
        assert {id_: len(replies) for id_, replies in self.platform.shown.items() if len(replies) != 1} == {}


def at_risk(name: str, *, thread: str = "t0", guest: bool = False) -> IncomingMessage:
    return replace(a_message(name, thread=thread, guest=guest), text=RISK)


@pytest.mark.parametrize("guest", [False, True])
@pytest.mark.parametrize("thread", ["t0", "t1", "t9"])
async def test_nobody_at_risk_waits_for_a_turn_or_for_room(thread: str, *, guest: bool) -> None:
    talk = Talk()
    await talk.filled(6)
    await talk.dispatcher.accept(at_risk("90", thread=thread, guest=guest))
    await until(lambda: talk.platform.order)
    assert talk.platform.order == ["90"], "before the turn that runs in its own conversation, and all that wait"
    await talk.ended()
    assert sorted(talk.platform.order, key=int) == ["0", "1", "2", "3", "4", "5", "90"]


@pytest.mark.parametrize("name", ["1", "2", "5"], ids=["waits for a turn", "waits behind another", "left in the inbox"])
async def test_a_message_that_waits_is_answered_at_once_when_it_is_changed_into_such_words(name: str) -> None:
    talk = Talk(most=3)
    sent = await talk.filled(6)
    assert await talk.dispatcher.amend(replace(sent[int(name)], text=RISK))
    await until(lambda: talk.platform.order)
    assert talk.platform.order == [name]
    await talk.ended()
    assert sorted(talk.platform.order) == ["0", "1", "2", "3", "4", "5"]
    assert talk.asked.count(RISK) == 1


async def test_after_a_restart_those_at_risk_come_first() -> None:
    before = Talk()
    await before.filled(4)
    await before.dispatcher.drain(0)
    await before.durable.amend(a_message("3", thread="t1").key, (await stored(at_risk("3", thread="t1"))))
    talk = Talk(durable=before.durable)
    await talk.dispatcher.resume()
    await until(lambda: talk.platform.order)
    assert talk.platform.order == ["3"]
    await talk.ended()
    assert sorted(talk.platform.order) == ["0", "1", "2", "3"]


async def stored(message: IncomingMessage) -> str:
    talk = Talk()
    await talk.dispatcher.accept(message)
    payload = (await talk.durable.pending())[0].payload
    await talk.ended()
    return payload


async def test_one_that_was_hastened_and_then_taken_back_is_not_shown() -> None:
    talk = Talk(most=10)
    sent = await talk.filled(3)
    await talk.dispatcher.amend(replace(sent[2], text=RISK))
    await talk.dispatcher.withdraw(lambda key: key == sent[2].key)
    await talk.ended()
    assert talk.platform.order.count("2") == 0


@settings(max_examples=60, deadline=None)
@given(
    steps=st.lists(
        st.tuples(st.sampled_from(["say", "risk", "edit", "twice", "resume", "withdraw"]), st.integers(0, 7)),
        max_size=25,
    ),
    most=st.integers(1, 4),
)
def test_each_is_answered_once_however_they_come_change_and_go(steps: list[tuple[str, int]], most: int) -> None:
    async def play() -> None:
        talk = Talk(most=most)
        gone: set[str] = set()
        for step, number in steps:
            plain = a_message(str(number), thread=f"t{number % 3}")
            risky = at_risk(str(number), thread=f"t{number % 3}")
            match step:
                case "say" | "twice":
                    await talk.dispatcher.accept(plain)
                case "risk":
                    await talk.dispatcher.accept(risky)
                case "edit":
                    await talk.dispatcher.amend(risky)
                case "resume":
                    await talk.dispatcher.resume()
                case "withdraw":
                    await talk.dispatcher.withdraw(lambda key, one=plain.key: key == one)  # type: ignore[misc]  # a default binds it
                    gone.add(plain.id)
        came = {str(number) for step, number in steps if step in {"say", "twice", "risk"}}
        await talk.ended()
        assert came - gone <= set(talk.platform.order) <= came

    asyncio.run(play())
