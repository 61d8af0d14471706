"""What every store does when a tenant leaves: all of it goes, and nothing of any other."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.forgetting import Forgetter, Forgotten
from adapters.payload import to_payload
from bot.messages import Author, IncomingMessage
from memory.conversation import Conversation
from memory.file import MemoryFile
from memory.inbox import InboxEntry, RamInbox, SqliteInbox
from memory.ram import RamMemory
from memory.sqlite import SqliteMemory
from tests.memory.histories import NOON, a_turn

if TYPE_CHECKING:
    from pathlib import Path

    from memory.inbox import Inbox
    from memory.store import Memory

HERE, THERE = Conversation("slack", "T1", "C1", "1"), Conversation("slack", "T10", "C1", "1")
ELSEWHERE = Conversation("teams", "T1", "C1", "1")
ALL = (HERE, THERE, ELSEWHERE)


@pytest.fixture(params=["sqlite", "ram"])
def stores(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Memory, Inbox]:
    if request.param == "ram":
        return RamMemory(), RamInbox()
    file = MemoryFile(tmp_path / "memory.db")
    return SqliteMemory(file), SqliteInbox(file)


def message(conversation: Conversation, number: int = 1) -> IncomingMessage:
    return IncomingMessage(f"{number}", conversation, Author("ada"), "words", NOON)


async def fill(memory: Memory, inbox: Inbox) -> None:
    for where in ALL:
        await memory.record(a_turn("m1", conversation=where))
        await memory.rate("trace-m1", place=where.place, author="ben", good=False)
        for number in (1, 2):
            one = message(where, number)
            await inbox.accept(InboxEntry(one.key, where.key, to_payload(one), NOON))
        await inbox.done(message(where, 2).key)


async def test_a_tenant_goes_with_its_turns_and_messages_and_their_keys(stores: tuple[Memory, Inbox]) -> None:
    memory, inbox = stores
    await fill(memory, inbox)
    assert await Forgetter([memory], inbox).tenant("slack", "T1") == Forgotten(turns=1, waiting=1)
    assert [len(await memory.turns(where)) for where in ALL] == [0, 1, 1]
    assert [await inbox.knows(message(where, number).key) for where in ALL for number in (1, 2)] == [False] * 2 + [
        True
    ] * 4
    assert await Forgetter([memory], inbox).tenant("slack", "T1") == Forgotten(turns=0, waiting=0)
    await inbox.close()
    await memory.close()


async def test_a_tenant_alone_or_a_platform_alone_names_nobody(stores: tuple[Memory, Inbox]) -> None:
    memory, inbox = stores
    await fill(memory, inbox)
    for given_ in ({"platform": "slack"}, {"tenant": "T1"}):
        with pytest.raises(ValueError, match="say whose"):
            await memory.forget(**given_)  # type: ignore[arg-type]  # a table of arguments
    assert [len(await memory.turns(where)) for where in ALL] == [1, 1, 1]
    await inbox.close()
    await memory.close()


async def test_what_is_answered_while_its_tenant_leaves_goes_when_it_is_answered() -> None:
    memory = RamMemory()
    forgetter = Forgetter([memory], RamInbox())
    async with forgetter.answering(message(HERE)), forgetter.answering(message(THERE)):
        await forgetter.tenant("slack", "T1")
        for where in (HERE, THERE):
            await memory.record(a_turn("m1", conversation=where))
    assert [len(await memory.turns(where)) for where in (HERE, THERE)] == [0, 1]
    async with forgetter.answering(message(HERE)):
        await memory.record(a_turn("m1", conversation=HERE))
    assert len(await memory.turns(HERE)) == 1, "it has come back"


ids = st.text(st.characters(codec="utf-8"), max_size=8)


@given(ids, ids, ids, ids, ids)
def test_no_place_of_another_tenant_begins_as_ones_own_do(
    platform: str, tenant: str, other: str, channel: str, thread: str
) -> None:
    beginning = Conversation.of_tenant(platform, tenant)
    assert Conversation(platform, tenant, channel, thread).key.startswith(beginning)
    assert Conversation(platform, other, channel).place.startswith(beginning) is (other == tenant)
    assert re.fullmatch(r"[^:]*:[^:]*:", beginning)
