"""What people click on in Slack, over Socket Mode and over HTTP: sources, passages in their place, reasons."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from adapters.slack.payload import SHORTCUT
from bot.messages import Reply, TurnKind
from memory.reports import Ratings, Reports
from memory.turn import Fault
from tests.doubles.slack import BOT, ApiError, Message, RateLimited, interactions
from tests.e2e.slack_rig import FACT, LINKED, UNLINKED
from tests.e2e.test_slack import AMINA, CHANNEL, DIRECT, QUESTION, WORDS, mode, rig, slack

if TYPE_CHECKING:
    from tests.e2e.slack_rig import Rig

__all__ = ["mode", "rig", "slack"]
BEN, GUEST = "U0BEN", "U0GUEST"


@pytest.fixture(autouse=True)
def _people(rig: Rig) -> None:
    rig.slack.workspace.add_user(BEN)
    rig.slack.workspace.add_user(GUEST, is_restricted=True)


async def answered(rig: Rig, *, channel: str = CHANNEL) -> tuple[Message, Message]:
    """A question of Amina's, and its answer."""
    asked, _ = await rig.slack.say(channel, AMINA, QUESTION)
    await rig.settled()
    return asked, rig.slack.workspace.posted(channel)[-1]


def buttons(blocks: list[dict[str, Any]], action: str) -> list[dict[str, Any]]:
    """The buttons of one kind in a message or modal."""
    elements = [element for block in blocks for element in block.get("elements", [])]
    elements += [block["accessory"] for block in blocks if "accessory" in block]
    return [element for element in elements if str(element.get("action_id", "")).partition(":")[0] == action]


def thumb(message: Message, *, good: bool) -> dict[str, Any]:
    [element] = buttons(message.blocks, "feedback")
    button = element["positive_button" if good else "negative_button"]
    return {"type": element["type"], "action_id": element["action_id"], **button}


async def whispered(rig: Rig, count: int = 1) -> Message:
    """The latest message that one person alone was shown, once there are so many."""
    await rig.slack.until(lambda: len(rig.slack.workspace.ephemeral) == count)
    return rig.slack.workspace.ephemeral[-1]


async def opened(rig: Rig, count: int = 1) -> dict[str, Any]:
    """The latest modal, once so many were shown."""
    await rig.slack.until(lambda: len(rig.slack.workspace.views.shown) == count)
    return rig.slack.workspace.views.shown[-1]


def said(shown: Message | dict[str, Any]) -> str:
    return json.dumps(shown.blocks if isinstance(shown, Message) else shown["blocks"], ensure_ascii=False)


# The Sources button


@pytest.mark.parametrize("user", [AMINA, BEN])
async def test_the_sources_button_shows_the_passages_to_whoever_clicks_and_to_nobody_else(rig: Rig, user: str) -> None:
    _, answer = await answered(rig)
    [button] = buttons(answer.blocks, "sources")
    await rig.slack.click(button, answer, user)
    shown = await whispered(rig)
    assert (shown.to, shown.channel, shown.thread_ts) == (user, CHANNEL, answer.thread_ts)
    for part in (LINKED.quote, "[1] Visiting hours · page 3", WORDS.sources.found_both, "#1, before reranking #2"):
        assert part in said(shown)
    assert len(rig.slack.workspace.posted(CHANNEL)) == 1


async def test_the_sources_button_shows_each_only_what_they_may_see_now(rig: Rig) -> None:
    _, answer = await answered(rig)
    [button] = buttons(answer.blocks, "sources")
    rig.shelf.collections[UNLINKED.id] = "staff"
    await rig.slack.click(button, answer, GUEST)
    shown = await whispered(rig)
    assert LINKED.quote in said(shown)
    assert UNLINKED.quote not in said(shown)
    rig.shelf.collections.clear()
    await rig.slack.click(button, answer, AMINA)
    assert (await whispered(rig, 2)).text == WORDS.sources.gone


async def test_a_sources_button_of_another_place_or_of_a_forgotten_answer_shows_nothing(rig: Rig) -> None:
    _, answer = await answered(rig)
    [button] = buttons(answer.blocks, "sources")
    await rig.slack.click(button, replace(answer, channel=DIRECT, thread_ts=None), AMINA)
    assert (await whispered(rig)).text == WORDS.sources.none_here
    await rig.memories.durable.forget(author=AMINA)
    await rig.slack.click(button, answer, AMINA)
    assert (await whispered(rig, 2)).text == WORDS.sources.none_here


@pytest.mark.parametrize("kind", [kind for kind in TurnKind if kind is not TurnKind.FACT])
async def test_only_answers_have_a_sources_button(rig: Rig, kind: TurnKind) -> None:
    rig.engine.reply = Reply(kind, "Some words.", "t9")
    _, answer = await answered(rig)
    assert buttons(answer.blocks, "sources") == []


async def test_slash_sources_tells_both_ranks_and_helps_when_asked(rig: Rig) -> None:
    await answered(rig)
    ack = await rig.slack.command("/sources", CHANNEL, AMINA)
    assert "#1, before reranking #2" in json.dumps(ack.payload)
    body = interactions.command_with("help", CHANNEL, AMINA)
    ack = await rig.slack.deliver(body, "slash_commands")
    assert ack.payload["response_type"] == "ephemeral"
    assert "Show sources" in ack.payload["text"]


# A passage in its place


async def from_sources(rig: Rig, user: str = AMINA) -> tuple[dict[str, Any], Message]:
    """A button "Show in its place", and the message it stands in."""
    _, answer = await answered(rig)
    [button] = buttons(answer.blocks, "sources")
    await rig.slack.click(button, answer, user)
    shown = await whispered(rig, len(rig.slack.workspace.ephemeral) + 1)
    return buttons(shown.blocks, "place")[0], replace(shown, thread_ts=answer.thread_ts)


async def test_a_passage_is_shown_in_its_place_with_what_stands_around_it(rig: Rig) -> None:
    button, message = await from_sources(rig)
    await rig.slack.click(button, message, AMINA)
    view = await opened(rig)
    text = said(view)
    for part in (f"before {LINKED.id}", f"Before. {LINKED.quote} After.", f"after {LINKED.id}", "page 3"):
        assert part in text
    assert text.index(f"before {LINKED.id}") < text.index(LINKED.quote) < text.index(f"after {LINKED.id}")
    [link] = buttons(view["blocks"], "link")
    assert link["url"] == LINKED.url
    assert (await rig.slack.deliver(interactions.click_in_view(link, view, AMINA), "interactive")).ok


async def test_a_click_is_authorised_again_and_what_has_gone_is_said_to_have_gone(rig: Rig) -> None:
    button, message = await from_sources(rig)
    rig.shelf.collections[LINKED.id] = "staff"
    await rig.slack.click(button, message, GUEST)
    view = await opened(rig)
    assert LINKED.quote not in said(view)
    assert LINKED.title not in said(view)
    assert WORDS.sources.gone in said(view)
    rig.shelf.collections.clear()
    await rig.slack.click(button, message, AMINA)
    assert WORDS.sources.gone in said(await opened(rig, 2))


@pytest.mark.parametrize("user", [AMINA, GUEST])
async def test_where_no_window_opens_the_passage_is_whispered_to_who_may_see_it(rig: Rig, user: str) -> None:
    button, message = await from_sources(rig)
    rig.shelf.collections[LINKED.id] = "staff"
    rig.slack.fail("views.open", ApiError("expired_trigger_id"))
    await rig.slack.click(button, message, user)
    shown = await whispered(rig, 2)
    assert shown.to == user
    if user == AMINA:
        assert WORDS.passage.alone in said(shown)
        assert LINKED.quote in said(shown)
    else:
        assert shown.text == WORDS.sources.gone


async def test_a_made_up_id_on_a_button_shows_nothing(rig: Rig) -> None:
    button, message = await from_sources(rig)
    await rig.slack.click({**button, "value": "staff/secret.md#1"}, message, AMINA)
    assert WORDS.sources.gone in said(await opened(rig))


# The message shortcut


async def test_the_shortcut_shows_what_stands_behind_an_answer_its_question_and_its_thread(rig: Rig) -> None:
    asked, answer = await answered(rig)
    aside = await rig.slack.write(CHANNEL, BEN, "thanks, all", thread=asked.ts)
    for count, message in enumerate((answer, asked, aside), start=1):
        await rig.slack.deliver(interactions.shortcut(SHORTCUT, message, BEN), "interactive")
        assert LINKED.quote in said(await opened(rig, count))
    assert rig.slack.workspace.ephemeral == []


async def test_the_shortcut_tells_two_answers_of_one_thread_apart(rig: Rig) -> None:
    asked, first = await answered(rig)
    other = replace(FACT, trace_id="t7", sources=(replace(UNLINKED, n=1),))
    rig.engine.reply = other
    follow_up, _ = await rig.slack.say(CHANNEL, AMINA, "and the flu clinic?", thread=asked.ts)
    await rig.settled()
    second = rig.slack.workspace.posted(CHANNEL)[-1]
    for count, (message, linked) in enumerate([(first, 1), (second, 0), (asked, 1), (follow_up, 0)], start=1):
        await rig.slack.deliver(interactions.shortcut(SHORTCUT, message, AMINA), "interactive")
        assert (LINKED.quote in said(await opened(rig, count))) == bool(linked)


async def test_the_shortcut_in_a_direct_message_and_where_nothing_was_answered(rig: Rig) -> None:
    asked, answer = await answered(rig, channel=DIRECT)
    for count, message in enumerate((answer, asked), start=1):
        await rig.slack.deliver(interactions.shortcut(SHORTCUT, message, AMINA), "interactive")
        assert LINKED.quote in said(await opened(rig, count))
    lunch = await rig.slack.write("C0LUNCH", BEN, "lunch?")
    await rig.slack.deliver(interactions.shortcut(SHORTCUT, lunch, AMINA), "interactive")
    assert WORDS.sources.none_here in said(await opened(rig, 3))


async def test_from_the_shortcuts_modal_a_passage_opens_on_top_and_is_authorised_there_too(rig: Rig) -> None:
    _, answer = await answered(rig)
    await rig.slack.deliver(interactions.shortcut(SHORTCUT, answer, GUEST), "interactive")
    view = await opened(rig)
    [first, second] = buttons(view["blocks"], "place")
    rig.shelf.collections[UNLINKED.id] = "staff"
    await rig.slack.deliver(interactions.click_in_view(first, view, GUEST), "interactive")
    assert f"before {LINKED.id}" in said(await opened(rig, 2))
    assert len(rig.slack.workspace.views.stack) == 2
    await rig.slack.deliver(interactions.click_in_view(second, view, GUEST), "interactive")
    assert WORDS.sources.gone in said(await opened(rig, 3))


async def test_where_the_shortcut_opens_no_window_it_says_so(rig: Rig) -> None:
    _, answer = await answered(rig)
    rig.slack.fail("views.open", ApiError("expired_trigger_id"))
    await rig.slack.deliver(interactions.shortcut(SHORTCUT, answer, AMINA), "interactive")
    shown = await whispered(rig)
    assert (shown.text, shown.to) == (WORDS.passage.not_opened, AMINA)


async def test_another_apps_shortcut_is_acknowledged_and_does_nothing(rig: Rig) -> None:
    _, answer = await answered(rig)
    assert (await rig.slack.deliver(interactions.shortcut("other", answer, AMINA), "interactive")).ok
    assert rig.slack.workspace.views.shown == []


# Why an answer was marked down


async def asked_why(rig: Rig, user: str = AMINA) -> dict[str, Any]:
    _, answer = await answered(rig)
    await rig.slack.click(thumb(answer, good=False), answer, user)
    return await opened(rig)


def given(fault: Fault | None = None, comment: str | None = None) -> dict[str, dict[str, Any]]:
    option = None if fault is None else {"value": fault.value, "text": {"type": "plain_text", "text": "x"}}
    return {
        "fault": {"type": "radio_buttons", "selected_option": option},
        "comment": {"type": "plain_text_input", "value": comment},
    }


async def test_a_reason_is_asked_for_and_stored_with_the_mark(rig: Rig) -> None:
    view = await asked_why(rig)
    assert WORDS.feedback.invitation in said(view)
    assert await Reports(rig.file).ratings() == Ratings(good=0, bad=1), "the mark stands without a reason"
    ack = await rig.slack.deliver(
        interactions.submission(view, AMINA, given(Fault.OUT_OF_DATE, " The ward has moved. ")), "interactive"
    )
    assert ack.payload["response_action"] == "update"
    assert WORDS.feedback.thanks in said(ack.payload["view"])
    [marked] = await Reports(rig.file).marked_down()
    assert (marked.faults, marked.comments) == ((Fault.OUT_OF_DATE,), ("The ward has moved.",))
    assert await Reports(rig.file).ratings() == Ratings(good=0, bad=1)
    assert rig.slack.workspace.ephemeral == []


async def test_a_reason_may_be_left_empty(rig: Rig) -> None:
    view = await asked_why(rig)
    ack = await rig.slack.deliver(interactions.submission(view, AMINA, given()), "interactive")
    assert WORDS.feedback.thanks in said(ack.payload["view"])
    [marked] = await Reports(rig.file).marked_down()
    assert (marked.faults, marked.comments) == ((), ())


async def test_a_reason_for_an_answer_that_was_forgotten_meanwhile_is_not_kept(rig: Rig) -> None:
    view = await asked_why(rig)
    await rig.memories.durable.forget(author=AMINA)
    ack = await rig.slack.deliver(interactions.submission(view, AMINA, given(Fault.WRONG, "words")), "interactive")
    assert WORDS.feedback.gone in said(ack.payload["view"])
    assert list(await Reports(rig.file).marked_down()) == []


async def test_where_no_window_opens_a_thumb_down_is_thanked_for_all_the_same(rig: Rig) -> None:
    _, answer = await answered(rig)
    rig.slack.fail("views.open", ApiError("expired_trigger_id"))
    await rig.slack.click(thumb(answer, good=False), answer, AMINA)
    assert (await whispered(rig)).text == WORDS.feedback.thanks
    assert await Reports(rig.file).ratings() == Ratings(good=0, bad=1)


async def test_a_guest_is_asked_for_no_reason_and_one_that_is_sent_all_the_same_is_not_written(rig: Rig) -> None:
    view = await asked_why(rig)
    await rig.slack.say(CHANNEL, GUEST, QUESTION)
    await rig.settled()
    its_own = rig.slack.workspace.posted(CHANNEL)[-1]
    await rig.slack.click(thumb(its_own, good=False), its_own, GUEST)
    assert (await whispered(rig)).text == WORDS.feedback.thanks
    assert len(rig.slack.workspace.views.shown) == 1
    await rig.slack.deliver(interactions.submission(view, GUEST, given(Fault.WRONG, "words")), "interactive")
    [marked] = await Reports(rig.file).marked_down()
    assert (marked.faults, marked.comments) == ((), ())


async def test_a_comment_of_someone_at_risk_goes_where_such_words_go_and_is_not_kept(rig: Rig) -> None:
    view = await asked_why(rig)
    words = "I want to kill myself"
    await rig.slack.deliver(interactions.submission(view, AMINA, given(Fault.OTHER, words)), "interactive")
    await rig.settled()
    assert rig.engine.asked[-1].text == words
    assert rig.engine.asked[-1].author.id == AMINA
    [marked] = await Reports(rig.file).marked_down()
    assert marked.comments == ()


async def test_a_modal_of_another_version_is_acknowledged_and_does_nothing(rig: Rig) -> None:
    view = await asked_why(rig)
    for odd in ({**view, "private_metadata": "nonsense"}, {**view, "callback_id": "other"}):
        assert (await rig.slack.deliver(interactions.submission(odd, AMINA, given(Fault.WRONG)), "interactive")).ok
    [marked] = await Reports(rig.file).marked_down()
    assert marked.faults == ()


# Asking again after an error


ERROR = Reply(TurnKind.ERROR, WORDS.error.general.format(reference="t0"), "t0")


async def failed(rig: Rig, *, channel: str = CHANNEL) -> tuple[Message, Message]:
    rig.engine.reply = ERROR
    asked, error = await answered(rig, channel=channel)
    rig.engine.reply = FACT
    return asked, error


@pytest.mark.parametrize("channel", [CHANNEL, DIRECT])
async def test_try_again_asks_the_same_question_once_however_often_it_is_clicked(rig: Rig, channel: str) -> None:
    asked, error = await failed(rig, channel=channel)
    [button] = buttons(error.blocks, "retry")
    await asyncio.gather(*(rig.slack.click(button, error, AMINA) for _ in range(3)))
    await rig.slack.until(lambda: len(rig.slack.workspace.posted(channel)) == 2)
    await rig.settled()
    await rig.slack.click(button, error, AMINA)
    await rig.slack.until(lambda: len(rig.slack.called("users.info")) >= 1)
    await rig.settled()
    assert [message.text for message in rig.engine.asked] == ["when may I visit?"] * 2
    assert rig.engine.asked[1].conversation == rig.engine.asked[0].conversation
    assert len(rig.slack.workspace.posted(channel)) == 2
    assert rig.slack.workspace.posted(channel)[1].thread_ts == (asked.ts if channel == CHANNEL else None)
    assert rig.slack.workspace.ephemeral == []


async def test_only_who_asked_can_try_again(rig: Rig) -> None:
    _, error = await failed(rig)
    await rig.slack.click(buttons(error.blocks, "retry")[0], error, BEN)
    shown = await whispered(rig)
    assert (shown.text, shown.to) == (WORDS.again.not_yours, BEN)
    assert len(rig.engine.asked) == 1


async def test_a_question_that_has_gone_cannot_be_tried_again(rig: Rig) -> None:
    asked, error = await failed(rig)
    rig.slack.workspace.messages[CHANNEL].remove(asked)
    await rig.slack.click(buttons(error.blocks, "retry")[0], error, AMINA)
    assert (await whispered(rig)).text == WORDS.again.gone
    assert len(rig.engine.asked) == 1


async def test_a_second_error_can_be_tried_again_too(rig: Rig) -> None:
    _, error = await failed(rig)
    rig.engine.reply = ERROR
    await rig.slack.click(buttons(error.blocks, "retry")[0], error, AMINA)
    await rig.slack.until(lambda: len(rig.slack.workspace.posted(CHANNEL)) == 2)
    await rig.settled()
    rig.engine.reply = FACT
    second = rig.slack.workspace.posted(CHANNEL)[1]
    await rig.slack.click(buttons(second.blocks, "retry")[0], second, AMINA)
    await rig.slack.until(lambda: len(rig.slack.workspace.posted(CHANNEL)) == 3)
    assert [message.text for message in rig.engine.asked] == ["when may I visit?"] * 3


async def test_what_fails_on_the_way_is_said(rig: Rig) -> None:
    _, error = await failed(rig)
    rig.slack.fail("conversations.replies", *[RateLimited(0)] * 4)
    await rig.slack.click(buttons(error.blocks, "retry")[0], error, AMINA)
    assert (await whispered(rig)).text == WORDS.again.failed


async def test_a_message_that_is_too_long_is_not_offered_again(rig: Rig) -> None:
    rig.engine.reply = Reply(TurnKind.ERROR, WORDS.error.too_long, "t0")
    _, error = await answered(rig)
    assert buttons(error.blocks, "retry") == []


# Words


@pytest.mark.parametrize("channel", [CHANNEL, DIRECT])
async def test_sources_are_shown_to_who_asks_in_a_thread_and_in_a_direct_message(rig: Rig, channel: str) -> None:
    asked, _ = await answered(rig, channel=channel)
    thread = asked.ts if channel == CHANNEL else None
    await rig.slack.say(channel, AMINA, f"<@{BOT}> sources" if thread else "sources", thread=thread)
    await rig.settled()
    shown = rig.slack.workspace.posted(channel)[-1]
    assert LINKED.quote in said(shown)
    assert shown.thread_ts == thread
    [button, _] = buttons(shown.blocks, "place")
    await rig.slack.click(button, shown, AMINA)
    assert f"before {LINKED.id}" in said(await opened(rig))
