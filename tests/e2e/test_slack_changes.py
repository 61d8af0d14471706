"""Questions that are edited or deleted in Slack, over Socket Mode and over HTTP."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from bot.messages import Reply, TurnKind
from memory.summary import Summary
from tests.doubles.slack import BOT, ApiError, Message, interactions
from tests.e2e.slack_rig import CRISIS, FACT
from tests.e2e.test_slack import AMINA, CHANNEL, DIRECT, QUESTION, WORDS, mode, rig, slack
from tests.e2e.test_slack_surfaces import BEN, GUEST, answered, buttons, whispered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory.turn import Turn
    from tests.e2e.slack_rig import Rig

__all__ = ["mode", "rig", "slack"]
EDITED = "1764500900.000000"


@pytest.fixture(autouse=True)
def _people(rig: Rig) -> None:
    rig.slack.workspace.add_user(BEN)
    rig.slack.workspace.add_user(GUEST, is_restricted=True)


async def edit(rig: Rig, message: Message, text: str, *, at: str | None = EDITED, **more: Any) -> None:
    """Amina edits a message, in Slack and as Slack tells of it."""
    assert (await rig.slack.change(interactions.changed(message, text, at, **more))).ok
    message.text = text


async def delete(rig: Rig, message: Message, *, replied_to: bool = False) -> None:
    told = interactions.tombstone(message) if replied_to else interactions.deleted(message)
    if replied_to:
        message.text = "This message was deleted."
    else:
        rig.slack.workspace.messages[message.channel].remove(message)
    assert (await rig.slack.change(told)).ok


def asked_of(rig: Rig) -> list[str]:
    return [message.text for message in rig.engine.asked]


async def turns(rig: Rig) -> Sequence[Turn]:
    where = rig.engine.asked[0].conversation
    return [turn for guest in (False, True) for turn in await rig.memories.of(guest=guest).turns(where)]


async def busy_with_another(rig: Rig) -> Message:
    """A question that waits behind another one in the same thread."""
    rig.engine.gate.clear()
    first, _ = await rig.slack.say(CHANNEL, AMINA, QUESTION)
    waiting, _ = await rig.slack.say(CHANNEL, AMINA, "and for childern?", thread=first.ts)
    await rig.slack.until(lambda: rig.engine.asked)
    return waiting


# Edits


async def test_a_question_edited_before_its_turn_is_asked_as_it_reads_now(rig: Rig) -> None:
    waiting = await busy_with_another(rig)
    await edit(rig, waiting, "and for children?")
    rig.engine.gate.set()
    await rig.settled()
    assert asked_of(rig) == ["when may I visit?", "and for children?"]
    assert len(rig.slack.workspace.posted(CHANNEL)) == 2
    assert rig.slack.workspace.ephemeral == []


async def test_a_question_edited_to_address_somebody_else_before_its_turn_is_not_asked(rig: Rig) -> None:
    waiting = await busy_with_another(rig)
    await edit(rig, waiting, f"<@{BEN}> and for children?")
    rig.engine.gate.set()
    await rig.settled()
    assert asked_of(rig) == ["when may I visit?"]
    assert len(rig.slack.workspace.posted(CHANNEL)) == 1


@pytest.mark.parametrize("channel", [CHANNEL, DIRECT])
async def test_a_question_edited_after_its_answer_is_asked_again_if_its_author_wants_that(
    rig: Rig, channel: str
) -> None:
    asked, _ = await answered(rig, channel=channel)
    await edit(rig, asked, f"<@{BOT}> when may children visit?")
    note = await whispered(rig)
    assert (note.text, note.to) == (WORDS.again.edited, AMINA)
    assert note.thread_ts == (asked.ts if channel == CHANNEL else None)
    assert asked_of(rig) == ["when may I visit?"]
    [button] = buttons(note.blocks, "again")
    for _ in range(2):
        await rig.slack.click(button, note, AMINA)
        await rig.slack.until(lambda: len(rig.slack.workspace.posted(channel)) == 2)
        await rig.settled()
    assert asked_of(rig) == ["when may I visit?", "when may children visit?"]
    assert rig.engine.asked[0].conversation == rig.engine.asked[1].conversation
    assert len(rig.slack.workspace.posted(channel)) == 2
    assert len(rig.slack.workspace.ephemeral) == 1


async def test_a_question_edited_while_it_is_answered_is_told_of_once_the_answer_stands(rig: Rig) -> None:
    rig.engine.gate.clear()
    asked, _ = await rig.slack.say(CHANNEL, AMINA, QUESTION)
    await rig.slack.until(lambda: rig.engine.asked)
    await edit(rig, asked, f"<@{BOT}> when may children visit?")
    assert rig.slack.workspace.ephemeral == []
    rig.engine.gate.set()
    assert (await whispered(rig)).text == WORDS.again.edited
    assert len(rig.slack.workspace.posted(CHANNEL)) == 1


async def test_an_edit_that_comes_again_is_told_of_once_and_each_edit_once(rig: Rig) -> None:
    asked, _ = await answered(rig)
    event = interactions.changed(asked, f"<@{BOT}> when may children visit?", EDITED)
    for _ in range(3):
        await rig.slack.change(event)
    await whispered(rig)
    await edit(rig, asked, f"<@{BOT}> when may dogs visit?", at="1764500901.000000")
    await whispered(rig, 2)
    assert len(rig.engine.asked) == 1


async def test_previews_and_spaces_are_no_edits(rig: Rig) -> None:
    asked, answer = await answered(rig)
    await edit(rig, asked, asked.text, at=None, attachments=[{"title": "A page"}])
    await edit(rig, asked, f"{asked.text} ", at=EDITED)
    await edit(rig, asked, f"<@{BOT}> something else", at=None)
    await edit(rig, asked, f"<@{BOT}> when may children visit?", at="1764500901.000000")
    await rig.slack.click(buttons(answer.blocks, "sources")[0], answer, AMINA)
    await rig.slack.until(lambda: len(rig.slack.workspace.ephemeral) >= 2)
    shown = sorted(message.text for message in rig.slack.workspace.ephemeral)
    assert shown == sorted([WORDS.again.edited, WORDS.sources.heading])
    assert len(rig.engine.asked) == 1


async def test_our_own_edits_and_those_of_bots_are_no_edits(rig: Rig) -> None:
    asked, answer = await answered(rig)
    await edit(rig, answer, "other words", at=EDITED)
    await edit(rig, asked, f"<@{BOT}> other words", bot_id="B0OTHER")
    await rig.settled()
    assert rig.slack.workspace.ephemeral == []
    assert len(rig.engine.asked) == 1


async def test_a_mention_that_is_edited_in_is_a_question_once_with_both_its_events(rig: Rig) -> None:
    message, _ = await rig.slack.say(CHANNEL, AMINA, "when may I visit?")
    assert rig.engine.asked == []
    await edit(rig, message, QUESTION)
    for event in rig.slack.events_of(message):
        await rig.slack.deliver(event)
    await rig.settled()
    assert asked_of(rig) == ["when may I visit?"]
    assert len(rig.slack.workspace.posted(CHANNEL)) == 1
    assert rig.slack.workspace.ephemeral == []


@pytest.mark.parametrize("text", ["lunch at 1?", f"<@{BEN}> lunch?"])
async def test_edits_of_what_is_not_for_us_are_left_alone(rig: Rig, text: str) -> None:
    message, _ = await rig.slack.say(CHANNEL, AMINA, "lunch?")
    await edit(rig, message, text)
    old = await rig.slack.write(CHANNEL, AMINA, "when may I visit?")
    await edit(rig, old, QUESTION, at="1769900000.000000")
    await rig.settled()
    assert rig.engine.asked == []
    assert rig.slack.workspace.ephemeral == []


async def test_words_of_someone_at_risk_that_are_edited_in_are_answered_at_once(rig: Rig) -> None:
    asked, _ = await answered(rig)
    rig.engine.reply = CRISIS
    await edit(rig, asked, f"<@{BOT}> I want to kill myself")
    await rig.settled()
    assert asked_of(rig)[1:] == ["I want to kill myself"]
    (shown,) = rig.slack.workspace.ephemeral
    assert "116 123" in json.dumps(shown.blocks)
    await edit(rig, asked, f"<@{BOT}> I want to kill myself!", at="1764500901.000000")
    await rig.settled()
    assert len(rig.slack.workspace.ephemeral) == 1, "the lines stand already"


async def test_an_edit_after_a_crisis_reply_is_met_with_no_note(rig: Rig) -> None:
    rig.engine.reply = CRISIS
    asked, _ = await rig.slack.say(CHANNEL, AMINA, f"<@{BOT}> words of distress")
    await rig.settled()
    await edit(rig, asked, f"<@{BOT}> other words")
    await answered(rig, channel=DIRECT)
    sent = [call.arguments["text"] for call in rig.slack.called("chat.postEphemeral")]
    assert WORDS.again.edited not in sent
    assert [(turn.kind, turn.question) for turn in await turns(rig)] == [(TurnKind.CRISIS, "")]


async def test_nobody_else_can_ask_an_edited_question_again(rig: Rig) -> None:
    asked, _ = await answered(rig)
    await edit(rig, asked, f"<@{BOT}> when may children visit?")
    note = await whispered(rig)
    await rig.slack.click(buttons(note.blocks, "again")[0], note, BEN)
    assert (await whispered(rig, 2)).text == WORDS.again.not_yours
    assert len(rig.engine.asked) == 1


# Deletions


@pytest.mark.parametrize(("channel", "replied_to"), [(CHANNEL, True), (DIRECT, False), (DIRECT, True)])
async def test_a_deleted_question_is_forgotten_with_its_answer(rig: Rig, channel: str, *, replied_to: bool) -> None:
    asked, _ = await answered(rig, channel=channel)
    await delete(rig, asked, replied_to=replied_to)
    await rig.slack.until(lambda: rig.slack.workspace.posted(channel) == [])
    assert await turns(rig) == []


async def test_with_a_question_goes_what_was_asked_again_of_it_and_the_summary(rig: Rig) -> None:
    rig.engine.reply = Reply(TurnKind.ERROR, "broken", "t0")
    asked, error = await answered(rig)
    rig.engine.reply = FACT
    await rig.slack.click(buttons(error.blocks, "retry")[0], error, AMINA)
    await rig.slack.until(lambda: len(rig.slack.workspace.posted(CHANNEL)) == 2)
    await rig.settled()
    where = rig.engine.asked[0].conversation
    assert await rig.memories.durable.keep_summary(where, Summary("said", ("t1",)), instead_of=None)
    await delete(rig, asked, replied_to=True)
    await rig.slack.until(lambda: rig.slack.workspace.posted(CHANNEL) == [])
    assert await turns(rig) == []
    assert await rig.memories.durable.summary(where) is None


async def test_other_peoples_questions_in_the_thread_stay_with_their_answers(rig: Rig) -> None:
    asked, _ = await answered(rig)
    rig.engine.reply = replace(FACT, trace_id="t5")
    await rig.slack.say(CHANNEL, BEN, "and for children?", thread=asked.ts)
    await rig.settled()
    await delete(rig, asked, replied_to=True)
    await rig.slack.until(lambda: rig.slack.called("chat.delete"))
    [left] = rig.slack.workspace.posted(CHANNEL)[-1:]
    await rig.slack.click(buttons(left.blocks, "sources")[0], left, BEN)
    await whispered(rig)
    assert rig.slack.workspace.posted(CHANNEL) == [left]
    assert len(rig.slack.called("chat.delete")) == 1
    assert [turn.author for turn in await turns(rig)] == [BEN]


async def test_a_deleted_question_that_waits_is_not_asked(rig: Rig) -> None:
    waiting = await busy_with_another(rig)
    await delete(rig, waiting)
    rig.engine.gate.set()
    await rig.settled()
    assert asked_of(rig) == ["when may I visit?"]
    assert len(rig.slack.workspace.posted(CHANNEL)) == 1
    assert await rig.dispatcher.resume() == 0


async def test_a_question_deleted_while_it_is_answered_gets_no_answer_and_leaves_nothing(rig: Rig) -> None:
    rig.engine.gate.clear()
    asked, _ = await rig.slack.say(DIRECT, AMINA, "when may I visit?")
    await rig.slack.until(lambda: rig.engine.asked)
    await delete(rig, asked)
    rig.engine.gate.set()
    await rig.settled()
    await rig.slack.until(lambda: rig.slack.called("conversations.history"))
    assert rig.slack.workspace.posted(DIRECT) == []
    assert await turns(rig) == []


async def test_where_slack_deletes_no_answer_its_words_are_taken_out(rig: Rig) -> None:
    asked, answer = await answered(rig)
    rig.slack.fail("chat.delete", ApiError("cant_delete_message"))
    await delete(rig, asked, replied_to=True)
    await rig.slack.until(lambda: answer.text == WORDS.again.withdrawn)
    assert FACT.sources[0].quote not in json.dumps(answer.blocks)


async def test_deletions_of_what_is_not_for_us_ask_slack_nothing(rig: Rig) -> None:
    message, _ = await rig.slack.say(CHANNEL, AMINA, "lunch?")
    await delete(rig, message)
    _, answer = await answered(rig)
    await delete(rig, answer)
    await rig.settled()
    assert rig.slack.called("conversations.replies") == []
    assert rig.slack.called("chat.delete") == []
    assert len(await turns(rig)) == 1


async def test_a_guests_deleted_question_is_forgotten_too_and_nothing_of_it_was_written(rig: Rig) -> None:
    asked, _ = await rig.slack.say(CHANNEL, GUEST, QUESTION)
    await rig.settled()
    await delete(rig, asked, replied_to=True)
    await rig.slack.until(lambda: rig.slack.workspace.posted(CHANNEL) == [])
    assert await turns(rig) == []


async def test_a_deletion_in_another_place_forgets_nothing_here(rig: Rig) -> None:
    asked, _ = await answered(rig)
    elsewhere = replace(asked, channel="C0OTHER")
    await rig.slack.change(interactions.deleted(elsewhere))
    await rig.slack.change(interactions.deleted(replace(asked, user=BEN)))
    await rig.settled()
    assert len(await turns(rig)) == 1


async def test_edits_and_deletions_of_others_messages_cost_no_write_and_no_look_up(rig: Rig) -> None:
    message, _ = await rig.slack.say(CHANNEL, BEN, "lunch?")
    await rig.file.open()
    before = rig.file.path.with_name(f"{rig.file.path.name}-wal").read_bytes()
    await edit(rig, message, "lunch at 1?")
    await delete(rig, message)
    assert rig.file.path.with_name(f"{rig.file.path.name}-wal").read_bytes() == before
    assert rig.slack.called("users.info") == []
