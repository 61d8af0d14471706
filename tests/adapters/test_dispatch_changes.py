"""Messages that are changed or taken back between their coming and their answer."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from adapters.dispatch import Courier, Dispatcher
from memory.inbox import RamInbox
from tests.adapters.platform import NOON, Platform, a_message, a_reply, failed, until

if TYPE_CHECKING:
    from bot.messages import IncomingMessage, Reply


class Talk:
    """A dispatcher whose turns wait for the gate; what it was asked and what was shown."""

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.asked: list[str] = []
        self.platform = Platform()
        self.durable, self.ephemeral = RamInbox(), RamInbox()
        self.dispatcher = Dispatcher(
            self._respond,
            durable=self.durable,
            ephemeral=self.ephemeral,
            on_failure=failed,
            clock=lambda: NOON,
            courier=Courier(sleep=lambda _: asyncio.sleep(0)),
        )
        self.dispatcher.register("slack", self.platform)

    async def _respond(self, message: IncomingMessage) -> Reply:
        self.asked.append(message.text)
        await self.gate.wait()
        return a_reply(message)

    async def ended(self) -> None:
        await until(lambda: not self.dispatcher.busy)


@pytest.fixture
def talk() -> Talk:
    return Talk()


async def running_and_waiting(talk: Talk, *, guest: bool = False) -> tuple[IncomingMessage, IncomingMessage]:
    first, second = a_message("1", guest=guest), a_message("2", guest=guest)
    await talk.dispatcher.accept(first)
    await talk.dispatcher.accept(second)
    await until(lambda: talk.asked)
    return first, second


@pytest.mark.parametrize("guest", [False, True])
async def test_a_message_that_waits_is_asked_in_its_new_words(talk: Talk, *, guest: bool) -> None:
    _, second = await running_and_waiting(talk, guest=guest)
    assert await talk.dispatcher.amend(replace(second, text="other words"))
    inbox = talk.ephemeral if guest else talk.durable
    assert "other words" in (await inbox.pending())[1].payload, "a restart must ask the new words too"
    talk.gate.set()
    await talk.ended()
    assert talk.asked == ["secret question 1", "other words"]
    assert talk.platform.order == ["1", "2"]


async def test_a_message_that_runs_was_answered_or_never_came_is_not_amended(talk: Talk) -> None:
    first, second = await running_and_waiting(talk)
    assert not await talk.dispatcher.amend(replace(first, text="other words"))
    assert not await talk.dispatcher.amend(a_message("3"))
    talk.gate.set()
    await talk.ended()
    assert not await talk.dispatcher.amend(replace(second, text="other words"))
    assert talk.asked == ["secret question 1", "secret question 2"]


@pytest.mark.parametrize("guest", [False, True])
async def test_a_message_taken_back_while_it_waits_is_never_asked(talk: Talk, *, guest: bool) -> None:
    _, second = await running_and_waiting(talk, guest=guest)
    await talk.dispatcher.withdraw(lambda key: key == second.key)
    talk.gate.set()
    await talk.ended()
    assert talk.asked == ["secret question 1"]
    assert talk.platform.order == ["1"]
    assert await talk.dispatcher.resume() == 0
    assert not await talk.dispatcher.accept(second), "its key is still known"


async def test_a_message_taken_back_while_it_runs_shows_no_reply(talk: Talk) -> None:
    first, second = await running_and_waiting(talk)
    await talk.dispatcher.withdraw(lambda key: key == first.key)
    finished = asyncio.create_task(talk.dispatcher.finished(lambda key: key == first.key))
    await asyncio.sleep(0)
    assert not finished.done()
    talk.gate.set()
    await finished
    await talk.ended()
    assert talk.platform.order == [second.id]
    assert await talk.dispatcher.resume() == 0


async def test_what_waits_for_another_try_is_taken_back_too(talk: Talk) -> None:
    waiting = a_message("1")
    talk.dispatcher.register("slack", talk.platform)
    await talk.dispatcher.accept(waiting)
    await until(lambda: talk.asked)
    await talk.dispatcher.drain(0)
    assert len(await talk.durable.pending()) == 1
    await talk.dispatcher.withdraw(lambda key: key == waiting.key)
    assert list(await talk.durable.pending()) == []


async def test_known_is_what_ever_came(talk: Talk) -> None:
    talk.gate.set()
    for message in (a_message("1"), a_message("2", guest=True)):
        assert not await talk.dispatcher.knows(message.key)
        await talk.dispatcher.accept(message)
        await talk.ended()
        assert await talk.dispatcher.knows(message.key)
