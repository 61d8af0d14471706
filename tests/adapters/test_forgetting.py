"""Forgetting: on a person's word, on the operator's, and by the calendar."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from adapters.forgetting import Forgetter, Forgotten, answering_forget, asks_to_forget
from adapters.payload import to_payload
from bot.messages import Author, IncomingMessage, Reply, Show, TurnKind
from bot.wording import wording
from memory.inbox import InboxEntry, RamInbox
from memory.ram import RamMemory
from tests.memory.histories import NOON, SIBLING, THREAD, a_turn

if TYPE_CHECKING:
    from memory.conversation import Conversation

WORDS = wording().forget


@pytest.mark.parametrize(
    "text",
    [
        "forget",
        "Forget.",
        "/forget",
        "forget this thread",
        "Forget this conversation!",
        "please forget our whole conversation",
        "Delete our chat, please",
        "can you delete my chat history",
        "Could you please erase this chat?",
        "I’d like you to forget everything I said",
        "forget what I've asked here",
        "forget everything",
        "wipe all of this",
        "delete all of my questions in this thread, thanks",
        "clear the conversation",
    ],
)
def test_it_is_asked_to_forget(text: str) -> None:
    assert asks_to_forget(text)


@pytest.mark.parametrize(
    "text",
    [
        "I forget to take my pill",
        "What if I forget a dose?",
        "how do I forget a bad memory",
        "How do I delete my chat history?",
        "forget it",
        "Forget that, what about children?",
        "don't forget this conversation",
        "forget me",
        "delete",
        "clear",
        "clear everything from the fridge?",
        "My father begins to forget everything",
        "remove the thread",
        "forget this thread and tell me when the clinic opens",
        "vergiss es",
        "I want to delete myself",
        "",
        "forget " * 40,
    ],
)
def test_it_is_not_asked_to_forget(text: str) -> None:
    assert not asks_to_forget(text)


def message(
    text: str, *, conversation: Conversation = THREAD, author: str = "ada", guest: bool = False
) -> IncomingMessage:
    return IncomingMessage(f"m-{text}", conversation, Author(author, guest=guest), text, NOON)


async def answered(_: IncomingMessage, _show: Show | None = None) -> Reply:
    return Reply(TurnKind.FACT, "On Tuesdays.", "t1")


async def holding(memory: RamMemory) -> RamMemory:
    await memory.record(a_turn("m1", author="ada", minutes=1))
    await memory.record(a_turn("m2", author="ben", minutes=2))
    await memory.record(a_turn("m3", author="ada", minutes=3, conversation=SIBLING))
    return memory


async def left(memory: RamMemory) -> list[str]:
    return [turn.message for conversation in (THREAD, SIBLING) for turn in await memory.turns(conversation)]


async def test_a_persons_own_turns_in_this_conversation_go_and_all_others_stay() -> None:
    memory = await holding(RamMemory())
    respond = answering_forget(answered, Forgetter([memory], RamInbox()), wording())
    reply = await respond(message("forget this thread"))
    assert (reply.kind, reply.text, reply.sources) == (TurnKind.COURTESY, WORDS.done, ())
    assert await left(memory) == ["m2", "m3"]
    assert (await respond(message("forget this thread"))).text == WORDS.none


async def test_a_guest_is_forgotten_as_a_member_is_wherever_their_turns_are() -> None:
    kept, guests = await holding(RamMemory()), await holding(RamMemory())
    respond = answering_forget(answered, Forgetter([kept, guests], RamInbox()), wording())
    await respond(message("forget", guest=True))
    assert (await left(kept), await left(guests)) == (["m2", "m3"], ["m2", "m3"])


async def test_everything_else_is_answered_as_ever() -> None:
    memory = await holding(RamMemory())
    respond = answering_forget(answered, Forgetter([memory], RamInbox()), wording())
    assert (await respond(message("I forget to take my pill"))).kind is TurnKind.FACT
    assert len(await left(memory)) == 3


async def waiting() -> RamInbox:
    inbox = RamInbox()
    for minutes, (author, conversation) in enumerate([("ada", THREAD), ("ben", THREAD), ("ada", SIBLING)]):
        one = message(f"question {minutes}", author=author, conversation=conversation)
        entry = InboxEntry(f"k{minutes}", conversation.key, to_payload(one), NOON + timedelta(minutes=minutes))
        await inbox.accept(entry)
    return inbox


@pytest.mark.parametrize(
    ("wanted", "turns", "keys"),
    [
        ({"conversation": THREAD}, ["m3"], ["k2"]),
        ({"author": "ada"}, ["m2"], ["k1"]),
        ({"conversation": THREAD, "author": "ada"}, ["m2", "m3"], ["k1", "k2"]),
        ({"author": "ada", "platform": "teams"}, ["m1", "m2", "m3"], ["k0", "k1", "k2"]),
        ({"author": "ada", "platform": "slack", "tenant": "T1"}, ["m2"], ["k1"]),
    ],
)
async def test_what_the_operator_names_goes_from_memory_and_inbox_and_nothing_else(
    wanted: dict[str, str | Conversation], turns: list[str], keys: list[str]
) -> None:
    memory, inbox = await holding(RamMemory()), await waiting()
    gone = await Forgetter([memory], inbox).matching(**wanted)  # type: ignore[arg-type]  # a table of arguments
    assert await left(memory) == turns
    assert [entry.key for entry in await inbox.pending()] == keys
    assert gone == Forgotten(3 - len(turns), 3 - len(keys))
    assert all([await inbox.knows(f"k{n}") for n in range(3)]), "none of them is taken in again"


async def test_what_is_too_old_goes_to_the_moment() -> None:
    memory, inbox = await holding(RamMemory()), await waiting()
    now = NOON + timedelta(days=90, minutes=2)
    assert await Forgetter([memory], inbox).too_old(now, keep_days=90) == Forgotten(1, 2)
    assert await left(memory) == ["m2", "m3"]
    assert [entry.key for entry in await inbox.pending()] == ["k2"]


async def test_where_nothing_is_kept_a_message_still_waits_a_day_for_its_answer() -> None:
    memory, inbox = await holding(RamMemory()), await waiting()
    now = NOON + timedelta(days=1, minutes=1)
    assert await Forgetter([memory], inbox).too_old(now, keep_days=0) == Forgotten(3, 1)
    assert [entry.key for entry in await inbox.pending()] == ["k1", "k2"]


async def test_a_message_that_cannot_be_read_goes_by_its_age_alone() -> None:
    inbox = RamInbox()
    await inbox.accept(InboxEntry("k", THREAD.key, "{", NOON))
    forgetter = Forgetter([RamMemory()], inbox)
    assert (await forgetter.matching(author="ada")).waiting == 0
    assert (await forgetter.before(NOON + timedelta(seconds=1))).waiting == 1


async def test_what_holds_words_elsewhere_is_told_each_time() -> None:
    told: list[str] = []
    forgetter = Forgetter((RamMemory(),), RamInbox(), also=lambda: told.append("forget"))
    await forgetter.matching(author="ada")
    await forgetter.own(IncomingMessage("m1", THREAD, Author("ada"), "forget", NOON))
    await forgetter.message(THREAD, author="ada", key="m1")
    await forgetter.tenant("slack", "T1")
    await forgetter.before(NOON)
    assert told == ["forget"] * 5


async def test_what_waits_of_guests_goes_with_all_else() -> None:
    members, guests = await waiting(), await waiting()
    forgetter = Forgetter([RamMemory()], members, guests=guests)
    assert (await forgetter.matching(author="ada")).waiting == 4
    assert [entry.key for inbox in (members, guests) for entry in await inbox.pending()] == ["k1", "k1"]


@pytest.mark.parametrize(("author", "kept"), [("ada", []), ("ben", ["m1"])])
async def test_what_is_being_answered_while_its_author_is_forgotten_goes_once_it_is(
    author: str, kept: list[str]
) -> None:
    memory = RamMemory()
    forgetter = Forgetter([memory], RamInbox())
    asked = IncomingMessage("1.1+2.2", THREAD, Author("ada"), "When?", NOON)

    async def answer(message: IncomingMessage, show: Show | None = None) -> Reply:
        await forgetter.matching(author=author)
        await memory.record(replace(a_turn(author="ada", conversation=THREAD), message=message.key))
        return await answered(message, show)

    await answering_forget(answer, forgetter, wording())(asked)
    assert [turn.message for turn in await memory.turns(THREAD)] == [asked.key for _ in kept]
