"""The whole path of a Slack message, over Socket Mode and over HTTP, against the double."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
import yaml

from bot.wording import wording
from memory.errors import MemoryUnavailable
from memory.reports import Ratings, Reports
from tests.doubles.slack import BOT, ApiError, Broken, Dropped, Message, RateLimited, SlackDouble, payloads
from tests.e2e.slack_rig import CRISIS, FACT, LINKED, UNLINKED, Mode, running

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.e2e.slack_rig import Rig

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = Path(os.environ.get("SHARED_DATA", ROOT.parent / "shared")) / "slack" / "schemas"
WORDS = wording()
CHANNEL, DIRECT, AMINA = "C0WARD", "D0AMINA", "U0AMINA"
QUESTION = f"<@{BOT}> when may I visit?"


@pytest.fixture(params=["socket", "http"])
def mode(request: pytest.FixtureRequest) -> Mode:
    return cast("Mode", request.param)


@pytest.fixture
async def slack() -> AsyncIterator[SlackDouble]:
    """With the scopes of the manifest and nothing more; a request that the double refuses fails the test."""
    scopes = yaml.safe_load((ROOT / "manifest.yml").read_text(encoding="utf-8"))["oauth_config"]["scopes"]["bot"]
    async with SlackDouble(schemas=SCHEMAS if SCHEMAS.is_dir() else None, scopes=scopes) as slack:
        yield slack
        assert slack.rejections == []


@pytest.fixture
async def rig(slack: SlackDouble, mode: Mode, tmp_path: Path) -> AsyncIterator[Rig]:
    async with running(slack, mode, tmp_path) as rig:
        yield rig


async def test_a_mention_gets_one_answer_in_its_thread_with_source_buttons(rig: Rig) -> None:
    asked, acks = await rig.slack.say(CHANNEL, AMINA, QUESTION)
    await rig.settled()
    (answer,) = rig.slack.workspace.posted(CHANNEL)
    assert [ack.ok for ack in acks] == [True, True]
    assert answer.thread_ts == asked.ts
    assert answer.blocks[0]["text"]["text"] == "Visitors are *welcome* from 2 to 8 pm. [1]"
    link, passage = _buttons(answer)
    assert (link["text"]["text"], link["url"]) == ("[1] Visiting hours · page 3", LINKED.url)
    assert (passage["text"]["text"], passage["value"]) == ("[2] Flu clinic", UNLINKED.id)
    assert [heard.text for heard in rig.engine.asked] == ["when may I visit?"]


async def test_a_status_shows_while_the_answer_is_sought(rig: Rig) -> None:
    rig.engine.gate.clear()
    asked, _ = await rig.slack.say(CHANNEL, AMINA, QUESTION)
    await rig.slack.until(lambda: rig.slack.workspace.statuses)
    assert rig.slack.workspace.statuses == [(CHANNEL, asked.ts, WORDS.status.working)]
    assert rig.slack.workspace.posted(CHANNEL) == []
    rig.engine.gate.set()
    await rig.settled()
    assert len(rig.slack.workspace.posted(CHANNEL)) == 1


async def test_a_status_that_slack_refuses_costs_no_answer(rig: Rig) -> None:
    rig.engine.gate.clear()
    rig.slack.fail("assistant.threads.setStatus", ApiError("not_allowed"))
    await rig.slack.say(CHANNEL, AMINA, QUESTION)
    await rig.slack.until(lambda: rig.slack.called("assistant.threads.setStatus"))
    rig.engine.gate.set()
    await rig.settled()
    assert len(rig.slack.workspace.posted(CHANNEL)) == 1


async def test_a_direct_message_is_answered_where_it_was_written(rig: Rig) -> None:
    await rig.slack.say(DIRECT, AMINA, "when may I visit?")
    await rig.settled()
    (answer,) = rig.slack.workspace.posted(DIRECT)
    assert answer.thread_ts is None


async def test_a_thread_in_a_direct_message_is_a_conversation_of_its_own(rig: Rig) -> None:
    first, _ = await rig.slack.say(DIRECT, AMINA, "when may I visit?")
    await rig.slack.say(DIRECT, AMINA, "and children?", thread=first.ts)
    await rig.settled()
    assert [heard.conversation.thread for heard in rig.engine.asked] == ["", first.ts]
    assert [answer.thread_ts for answer in rig.slack.workspace.posted(DIRECT)] == [None, first.ts]


async def test_a_thread_follow_up_needs_no_mention(rig: Rig) -> None:
    asked, _ = await rig.slack.say(CHANNEL, AMINA, QUESTION)
    await rig.settled()
    await rig.slack.say(CHANNEL, AMINA, "and for children?", thread=asked.ts)
    await rig.settled()
    assert len(rig.slack.workspace.posted(CHANNEL, thread=asked.ts)) == 2
    assert rig.engine.asked[0].conversation == rig.engine.asked[1].conversation


async def test_a_follow_up_that_comes_before_the_first_answer_is_answered_too(rig: Rig) -> None:
    rig.engine.gate.clear()
    asked, _ = await rig.slack.say(CHANNEL, AMINA, QUESTION)
    await rig.slack.say(CHANNEL, AMINA, "and for children?", thread=asked.ts)
    rig.engine.gate.set()
    await rig.settled()
    assert len(rig.slack.workspace.posted(CHANNEL, thread=asked.ts)) == 2


async def test_a_thread_is_remembered_over_a_restart(slack: SlackDouble, mode: Mode, tmp_path: Path) -> None:
    async with running(slack, mode, tmp_path) as rig:
        asked, _ = await slack.say(CHANNEL, AMINA, QUESTION)
        await rig.settled()
    async with running(slack, mode, tmp_path) as rig:
        await slack.say(CHANNEL, AMINA, "and for children?", thread=asked.ts)
        await rig.settled()
    assert len(slack.workspace.posted(CHANNEL, thread=asked.ts)) == 2


@pytest.mark.parametrize("text", ["what do you think?", f"<@{BOT}x> hello", "<@U0BEN> when may I visit?"])
async def test_other_threads_are_left_alone(rig: Rig, text: str) -> None:
    root = await rig.slack.write(CHANNEL, AMINA, "lunch?")
    _, acks = await rig.slack.say(CHANNEL, AMINA, text, thread=root.ts)
    await rig.settled()
    assert [ack.ok for ack in acks] == [True]
    assert rig.engine.asked == []


async def test_a_reply_in_our_thread_to_another_person_is_left_alone(rig: Rig) -> None:
    asked, _ = await rig.slack.say(CHANNEL, AMINA, QUESTION)
    await rig.slack.say(CHANNEL, AMINA, "<@U0BEN> did you know?", thread=asked.ts)
    await rig.settled()
    assert len(rig.engine.asked) == 1


async def test_twin_events_and_retries_get_one_answer(rig: Rig) -> None:
    asked = await rig.slack.write(CHANNEL, AMINA, QUESTION)
    events = rig.slack.events_of(asked)
    for retry in (0, 1, 2):
        for event in events:
            assert (await rig.slack.deliver(event, retry=retry)).ok
        await rig.settled()
    assert len(rig.slack.workspace.posted(CHANNEL)) == 1
    assert len(rig.engine.asked) == 1


async def test_events_that_come_at_the_same_time_get_one_answer(rig: Rig) -> None:
    asked = await rig.slack.write(CHANNEL, AMINA, QUESTION)
    events = rig.slack.events_of(asked)
    acks = await asyncio.gather(*(rig.slack.deliver(event) for event in [*events, *events]))
    await rig.settled()
    assert all(ack.ok for ack in acks)
    assert len(rig.slack.workspace.posted(CHANNEL)) == 1


async def test_a_rate_limit_is_waited_out_and_gives_one_answer(rig: Rig) -> None:
    rig.slack.fail("chat.postMessage", RateLimited(7), RateLimited(3))
    await rig.slack.say(CHANNEL, AMINA, QUESTION)
    await rig.settled()
    assert len(rig.slack.workspace.posted(CHANNEL)) == 1
    assert [int(wait) for wait in rig.waits] in ([7, 3], [8, 3], [7, 4], [8, 4])


@pytest.mark.parametrize("fault", [Broken(after_the_fact=True), Dropped()])
async def test_an_error_after_the_fact_gives_no_second_answer(rig: Rig, fault: Broken | Dropped) -> None:
    rig.slack.fail("chat.postMessage", fault)
    await rig.slack.say(CHANNEL, AMINA, QUESTION)
    await rig.settled()
    assert len(rig.slack.workspace.posted(CHANNEL)) == 1
    assert len(rig.slack.called("chat.postMessage")) == 1


async def test_an_error_after_the_fact_gives_no_second_answer_in_a_direct_message(rig: Rig) -> None:
    rig.slack.fail("chat.postMessage", Broken(after_the_fact=True))
    await rig.slack.say(DIRECT, AMINA, "when may I visit?")
    await rig.settled()
    assert len(rig.slack.workspace.posted(DIRECT)) == 1


async def test_a_server_error_is_tried_again(rig: Rig) -> None:
    rig.slack.fail("chat.postMessage", Broken(), Broken())
    await rig.slack.say(CHANNEL, AMINA, QUESTION)
    await rig.settled()
    assert len(rig.slack.workspace.posted(CHANNEL)) == 1


async def test_a_long_answer_comes_whole_in_order_and_ends_with_its_sources(rig: Rig) -> None:
    sentences = [f"Sentence number {number} of a long answer." for number in range(700)]
    rig.engine.reply = replace(FACT, text=" ".join(sentences))
    rig.slack.fail("chat.postMessage", *[RateLimited(1)] * 2)
    await rig.slack.say(CHANNEL, AMINA, QUESTION)
    await rig.settled()
    answers = rig.slack.workspace.posted(CHANNEL)
    shown = " ".join(
        block["text"]["text"] for answer in answers for block in answer.blocks if block["type"] == "section"
    )
    assert shown == " ".join(sentences)
    assert [bool(_buttons(answer)) for answer in answers] == [False] * (len(answers) - 1) + [True]


async def test_an_error_between_two_parts_repeats_none(rig: Rig) -> None:
    rig.engine.reply = replace(FACT, text="A sentence that helps to fill the message. " * 700)
    rig.slack.fail("chat.postMessage", None, Broken(after_the_fact=True), RateLimited(1))
    await rig.slack.say(CHANNEL, AMINA, QUESTION)
    await rig.settled()
    parts = [_metadata(answer)["part"] for answer in rig.slack.workspace.posted(CHANNEL)]
    assert parts == list(range(len(parts)))


@pytest.mark.parametrize("error", ["invalid_blocks", "msg_too_long", "msg_blocks_too_long"])
async def test_refused_blocks_become_plain_text(rig: Rig, error: str) -> None:
    rig.slack.fail("chat.postMessage", ApiError(error))
    await rig.slack.say(CHANNEL, AMINA, QUESTION)
    await rig.settled()
    (answer,) = rig.slack.workspace.posted(CHANNEL)
    assert answer.blocks == []
    assert "Visitors are welcome from 2 to 8 pm. [1]" in answer.text
    assert cast("str", LINKED.url) in answer.text


async def test_a_closed_channel_ends_the_message_with_a_line_for_the_operator(
    rig: Rig, caplog: pytest.LogCaptureFixture
) -> None:
    rig.slack.fail("chat.postMessage", ApiError("is_archived"))
    await rig.slack.say(CHANNEL, AMINA, QUESTION)
    await rig.settled()
    assert rig.slack.workspace.posted(CHANNEL) == []
    assert "is_archived: the channel is archived" in caplog.text


async def test_a_crisis_in_a_channel_is_answered_to_its_author_alone(rig: Rig) -> None:
    rig.engine.reply = CRISIS
    asked, _ = await rig.slack.say(CHANNEL, AMINA, f"<@{BOT}> words of distress")
    await rig.settled()
    (answer,) = rig.slack.workspace.ephemeral
    assert (answer.channel, answer.thread_ts, answer.to) == (CHANNEL, None, AMINA)
    assert "116 123" in json.dumps(answer.blocks)
    assert [button["url"] for button in _buttons(answer)] == ["https://www.samaritans.org"]
    assert rig.slack.workspace.posted(CHANNEL) == []
    assert rig.slack.workspace.statuses[-1] == (CHANNEL, asked.ts, "")


async def test_a_crisis_in_a_thread_is_answered_in_that_thread(rig: Rig) -> None:
    rig.engine.reply = CRISIS
    root = await rig.slack.write(CHANNEL, "U0BEN", "good morning")
    await rig.slack.say(CHANNEL, AMINA, f"<@{BOT}> words of distress", thread=root.ts)
    await rig.settled()
    (answer,) = rig.slack.workspace.ephemeral
    assert (answer.channel, answer.thread_ts, answer.to) == (CHANNEL, root.ts, AMINA)


async def test_a_crisis_that_cannot_be_answered_in_the_channel_comes_as_a_direct_message(rig: Rig) -> None:
    rig.engine.reply = CRISIS
    rig.slack.fail("chat.postEphemeral", ApiError("user_not_in_channel"))
    await rig.slack.say(CHANNEL, AMINA, f"<@{BOT}> words of distress")
    await rig.settled()
    assert rig.slack.workspace.posted(CHANNEL) == []
    (answer,) = rig.slack.workspace.posted(f"D{AMINA}")
    assert "116 123" in json.dumps(answer.blocks)


async def test_a_crisis_in_a_direct_message_is_answered_there(rig: Rig) -> None:
    rig.engine.reply = CRISIS
    await rig.slack.say(DIRECT, AMINA, "words of distress")
    await rig.settled()
    assert len(rig.slack.workspace.posted(DIRECT)) == 1
    assert rig.slack.workspace.ephemeral == []


async def test_slash_sources_shows_my_last_answer_here_to_me_alone(rig: Rig) -> None:
    await rig.slack.say(CHANNEL, AMINA, QUESTION)
    await rig.settled()
    ack = await rig.slack.command("/sources", CHANNEL, AMINA)
    shown = json.dumps(ack.payload, ensure_ascii=False)
    assert ack.payload["response_type"] == "ephemeral"
    assert LINKED.quote in shown
    assert "[1] Visiting hours · page 3" in shown
    assert WORDS.sources.found_both in shown
    assert len(rig.slack.workspace.posted(CHANNEL)) == 1


@pytest.mark.parametrize(("channel", "user"), [("C0OTHER", AMINA), (CHANNEL, "U0BEN")])
async def test_slash_sources_knows_no_answer_of_another_channel_or_person(rig: Rig, channel: str, user: str) -> None:
    rig.slack.workspace.add_user("U0BEN")
    await rig.slack.say(CHANNEL, AMINA, QUESTION)
    await rig.settled()
    ack = await rig.slack.command("/sources", channel, user)
    assert ack.payload["text"] == WORDS.sources.none


async def test_slash_sources_shows_only_what_may_still_be_seen(rig: Rig) -> None:
    await rig.slack.say(CHANNEL, AMINA, QUESTION)
    await rig.settled()
    del rig.shelf.collections[LINKED.id]
    shown = json.dumps((await rig.slack.command("/sources", CHANNEL, AMINA)).payload)
    assert LINKED.quote not in shown
    assert UNLINKED.quote in shown
    rig.shelf.collections.clear()
    assert (await rig.slack.command("/sources", CHANNEL, AMINA)).payload["text"] == WORDS.sources.gone


async def test_sources_in_a_thread_are_posted_there_and_become_no_turn(rig: Rig) -> None:
    asked, _ = await rig.slack.say(CHANNEL, AMINA, QUESTION)
    await rig.settled()
    turns = await rig.memories.durable.turns(rig.engine.asked[0].conversation)
    await rig.slack.say(CHANNEL, AMINA, f"<@{BOT}> sources", thread=asked.ts)
    await rig.settled()
    _, shown = rig.slack.workspace.posted(CHANNEL, thread=asked.ts)
    assert LINKED.quote in json.dumps(shown.blocks)
    assert len(rig.engine.asked) == 1
    assert await rig.memories.durable.turns(rig.engine.asked[0].conversation) == turns


@pytest.mark.parametrize("restricted", [False, True])
async def test_sources_in_a_thread_are_those_of_its_last_answer_whoever_asked(rig: Rig, *, restricted: bool) -> None:
    rig.slack.workspace.add_user("U0BEN", is_restricted=restricted)
    asked, _ = await rig.slack.say(CHANNEL, "U0BEN", QUESTION)
    await rig.settled()
    await rig.slack.say(CHANNEL, AMINA, f"<@{BOT}> sources", thread=asked.ts)
    await rig.settled()
    assert LINKED.quote in json.dumps(rig.slack.workspace.posted(CHANNEL, thread=asked.ts)[-1].blocks)


async def test_sources_asked_at_once_wait_for_the_answer_before_them(rig: Rig) -> None:
    rig.engine.gate.clear()
    await rig.slack.say(DIRECT, AMINA, "when may I visit?")
    await rig.slack.say(DIRECT, AMINA, "Sources!")
    rig.engine.gate.set()
    await rig.settled()
    _, shown = rig.slack.workspace.posted(DIRECT)
    assert LINKED.quote in json.dumps(shown.blocks)


async def test_sources_without_an_answer_say_so(rig: Rig) -> None:
    await rig.slack.say(DIRECT, AMINA, "sources")
    await rig.settled()
    (answer,) = rig.slack.workspace.posted(DIRECT)
    assert answer.text == WORDS.sources.none


async def test_a_passage_button_shows_the_passage_to_whoever_clicks(rig: Rig) -> None:
    answer = await _answered(rig)
    link, passage = _buttons(answer)
    assert (await rig.slack.click(link, answer, AMINA)).ok
    assert (await rig.slack.click(passage, answer, AMINA)).ok
    await rig.slack.until(lambda: rig.slack.workspace.views.shown)
    (shown,) = rig.slack.workspace.views.shown
    assert f"Before. {UNLINKED.quote} After." in json.dumps(shown["blocks"])
    assert rig.slack.workspace.ephemeral == []


async def test_odd_titles_and_addresses_cost_no_buttons(rig: Rig) -> None:
    odd = [
        replace(LINKED, url="HTTPS://X"),
        replace(LINKED, n=2, title="Long\n\x00\u202e& " * 40_000),
        replace(UNLINKED, n=3, url="https://clinic.example/a b"),
    ]
    rig.engine.reply = replace(FACT, sources=tuple(odd))
    answer = await _answered(rig)
    assert [button["action_id"] for button in _buttons(answer)] == ["passage:1", "link:2", "passage:3"]
    assert len(rig.slack.called("chat.postMessage")) == 1
    ack = await rig.slack.command("/sources", CHANNEL, AMINA)
    assert f"[2] {LINKED.title}" in json.dumps(ack.payload["blocks"])


async def test_a_button_of_an_older_version_is_acknowledged_and_does_nothing(
    rig: Rig, caplog: pytest.LogCaptureFixture
) -> None:
    answer = await _answered(rig)
    button = {"type": "button", "action_id": "show_source", "value": UNLINKED.id}
    assert (await rig.slack.click(button, answer, AMINA)).ok
    assert rig.slack.workspace.ephemeral == []
    assert caplog.text == ""


async def test_a_passage_out_of_reach_is_not_shown(rig: Rig) -> None:
    rig.slack.workspace.add_user("U0GUEST", is_restricted=True)
    answer = await _answered(rig)
    rig.shelf.collections[UNLINKED.id] = "staff"
    await rig.slack.click(_buttons(answer)[1], answer, "U0GUEST")
    await rig.slack.until(lambda: rig.slack.workspace.views.shown)
    (shown,) = rig.slack.workspace.views.shown
    assert WORDS.sources.gone in json.dumps(shown["blocks"])
    assert UNLINKED.quote not in json.dumps(shown["blocks"])


async def test_a_person_of_another_workspace_clicks_as_a_guest(rig: Rig) -> None:
    answer = await _answered(rig)
    rig.shelf.collections[UNLINKED.id] = "staff"
    await rig.slack.click(_buttons(answer)[1], answer, AMINA, team="T0PARTNER")
    await rig.slack.until(lambda: rig.slack.workspace.views.shown)
    assert WORDS.sources.gone in json.dumps(rig.slack.workspace.views.shown[0]["blocks"])


async def test_a_thumb_down_is_noted_once_for_whoever_gives_it_and_can_be_taken_back(rig: Rig) -> None:
    answer = await _answered(rig)
    reports = Reports(rig.file)
    rig.slack.workspace.add_user("U0BEN")
    for person, good in ((AMINA, False), (AMINA, False), ("U0BEN", True)):
        assert (await rig.slack.click(_thumb(answer, good=good), answer, person)).ok
    await rig.slack.until(lambda: rig.slack.workspace.ephemeral and len(rig.slack.workspace.views.shown) == 2)
    assert [shown.text for shown in rig.slack.workspace.ephemeral] == [WORDS.feedback.thanks]
    assert await reports.ratings() == Ratings(good=1, bad=1)
    assert [one.trace_id for one in await reports.marked_down()] == ["t1"]
    await rig.slack.click(_thumb(answer, good=True), answer, AMINA)
    await rig.slack.until(lambda: len(rig.slack.workspace.ephemeral) == 2)
    assert list(await reports.marked_down()) == []


async def test_a_guests_thumb_is_never_written(rig: Rig) -> None:
    rig.slack.workspace.add_user("U0GUEST", is_restricted=True)
    answer = await _answered(rig)
    await rig.slack.click(_thumb(answer, good=False), answer, "U0GUEST")
    await rig.slack.click(_thumb(answer, good=False), answer, AMINA, team="T0PARTNER")
    await rig.slack.until(lambda: len(rig.slack.workspace.ephemeral) == 2)
    assert await Reports(rig.file).ratings() == Ratings(good=0, bad=0)


async def test_a_thumb_counts_in_the_place_of_the_answer_alone_and_while_it_is_kept(rig: Rig) -> None:
    answer = await _answered(rig)
    elsewhere = replace(answer, channel=DIRECT, thread_ts=None)
    await rig.slack.click(_thumb(answer, good=False), elsewhere, AMINA)
    await rig.slack.until(lambda: len(rig.slack.workspace.ephemeral) == 1)
    await rig.memories.durable.forget(author=AMINA)
    await rig.slack.click(_thumb(answer, good=False), answer, AMINA)
    await rig.slack.until(lambda: len(rig.slack.workspace.ephemeral) == 2)
    assert [shown.text for shown in rig.slack.workspace.ephemeral] == [WORDS.feedback.gone] * 2
    assert await Reports(rig.file).ratings() == Ratings(good=0, bad=0)


async def test_a_command_of_a_workspace_that_we_are_not_in_shows_nothing(rig: Rig) -> None:
    await rig.slack.say(CHANNEL, AMINA, QUESTION)
    await rig.settled()
    body = payloads.command("/sources", CHANNEL, AMINA, team="T0PARTNER")
    ack = await rig.slack.deliver(body, "slash_commands")
    assert ack.ok
    assert not ack.payload


@pytest.mark.parametrize(
    "more",
    [
        {"subtype": "message_changed"},
        {"subtype": "message_deleted"},
        {"subtype": "channel_join"},
        {"subtype": "bot_message", "bot_id": "B0OTHER"},
        {"bot_id": "B0OTHER"},
        {"user": BOT},
        {"hidden": True},
    ],
)
async def test_bots_edits_and_joins_are_acknowledged_and_ignored(rig: Rig, more: dict[str, Any]) -> None:
    event = payloads.message(DIRECT, AMINA, "when may I visit?", "1764500000.000900") | more
    assert (await rig.slack.deliver(payloads.callback(event))).ok
    await rig.settled()
    assert rig.engine.asked == []


@pytest.mark.parametrize(
    ("profile", "more"),
    [
        ({"is_restricted": True}, {}),
        ({"is_ultra_restricted": True}, {}),
        ({"is_stranger": True}, {}),
        ({"team_id": "T0PARTNER"}, {}),
        ({}, {"user_team": "T0PARTNER"}),
    ],
)
async def test_a_guest_leaves_no_row_behind(rig: Rig, profile: dict[str, Any], more: dict[str, Any]) -> None:
    rig.slack.workspace.add_user("U0GUEST", **profile)
    await rig.slack.say(CHANNEL, "U0GUEST", QUESTION, **more)
    await rig.settled()
    assert len(rig.slack.workspace.posted(CHANNEL)) == 1
    await rig.file.open()
    assert _rows(rig.file.path) == 0


async def test_an_author_whom_slack_will_not_name_is_a_guest(rig: Rig) -> None:
    rig.slack.fail("users.info", Broken(), Broken())
    await rig.slack.say(CHANNEL, AMINA, QUESTION)
    await rig.settled()
    assert rig.engine.asked[0].author.guest
    assert len(rig.slack.workspace.posted(CHANNEL)) == 1


async def test_locale_and_time_zone_come_with_the_message(rig: Rig) -> None:
    await rig.slack.say(DIRECT, AMINA, "when may I visit?")
    await rig.settled()
    author = rig.engine.asked[0].author
    assert (author.locale, author.timezone, author.guest) == ("en-GB", "Europe/London", False)


async def test_nothing_is_acknowledged_before_it_is_stored(rig: Rig) -> None:
    """While the store is held, a message that needs none is acknowledged: the way back to Slack is open."""
    asked = await rig.slack.write(DIRECT, AMINA, "when may I visit?")
    unrelated = payloads.callback(payloads.message(CHANNEL, AMINA, "lunch?", "1764500000.000900"))
    rig.door.gate.clear()
    waiting = asyncio.create_task(rig.slack.deliver(rig.slack.events_of(asked)[0]))
    await rig.door.reached.wait()
    assert (await rig.slack.deliver(unrelated)).ok
    assert not waiting.done()
    rig.door.gate.set()
    assert (await waiting).ok
    await rig.settled()
    assert len(rig.slack.workspace.posted(DIRECT)) == 1


async def test_what_cannot_be_stored_is_not_acknowledged_and_answered_when_it_comes_again(
    rig: Rig, mode: Mode, caplog: pytest.LogCaptureFixture
) -> None:
    asked = await rig.slack.write(DIRECT, AMINA, "when may I visit?")
    (event,) = rig.slack.events_of(asked)
    unrelated = payloads.callback(payloads.message(CHANNEL, AMINA, "lunch?", "1764500000.000900"))
    rig.door.fault = MemoryUnavailable("the disk is full")
    if mode == "http":
        assert (await rig.slack.deliver(event)).status == 500
    else:
        envelope = await rig.slack.send(event)
        await rig.door.reached.wait()
        assert (await rig.slack.deliver(unrelated)).ok
        assert not rig.slack.is_acknowledged(envelope)
    rig.door.fault = None
    assert (await rig.slack.deliver(event, retry=1)).ok
    await rig.settled()
    assert len(rig.slack.workspace.posted(DIRECT)) == 1
    assert "the disk is full" in caplog.text
    assert "when may I visit" not in caplog.text


async def test_logs_never_hold_what_people_wrote(rig: Rig, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    rig.slack.fail("chat.postMessage", Broken(), ApiError("invalid_blocks"))
    await rig.slack.say(CHANNEL, AMINA, QUESTION)
    await rig.settled()
    await rig.slack.command("/sources", CHANNEL, AMINA)
    for secret in ("when may I visit", "welcome", LINKED.quote, rig.slack.bot_token, rig.slack.app_token):
        assert secret not in caplog.text


async def _answered(rig: Rig) -> Message:
    await rig.slack.say(CHANNEL, AMINA, QUESTION)
    await rig.settled()
    return rig.slack.workspace.posted(CHANNEL)[-1]


def _metadata(message: Message) -> dict[str, Any]:
    assert message.metadata is not None
    return cast("dict[str, Any]", message.metadata["event_payload"])


def _buttons(message: Message) -> list[dict[str, Any]]:
    elements = [element for block in message.blocks if block["type"] == "actions" for element in block["elements"]]
    return [element for element in elements if element["action_id"] != "sources:0"]


def _thumb(message: Message, *, good: bool) -> dict[str, Any]:
    """What Slack sends of a click on one of the two."""
    [element] = [
        element for block in message.blocks if block["type"] == "context_actions" for element in block["elements"]
    ]
    button = element["positive_button" if good else "negative_button"]
    return {"type": element["type"], "action_id": element["action_id"], **button}


def _rows(database: Path) -> int:
    with sqlite3.connect(database) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        kept = [name for name in tables if name in {"turns", "conversations", "inbox", "sources"}]
        assert kept
        total = sum(connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in kept)
    connection.close()
    return int(total)
