"""Finding an answer again, and posting it once."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from adapters.slack.client import identify, web_client
from adapters.slack.delivery import SlackDelivery
from adapters.slack.pace import Pace
from adapters.slack.standing import EVENT_TYPE
from adapters.slack.workspaces import OneWorkspace, Workspace
from bot.errors import Misconfigured, Permanent, Transient
from bot.messages import Author, IncomingMessage, Reply, TurnKind
from bot.wording import wording
from memory.conversation import Conversation
from tests.doubles.slack import TEAM, ApiError, Broken, Message, RateLimited, SlackDouble, Stuck

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

CHANNEL, DIRECT, AMINA = "C0WARD", "D0AMINA", "U0AMINA"
REPLY = Reply(TurnKind.FACT, "Visitors are welcome from 2 to 8 pm.", "t1")
LONG = Reply(TurnKind.FACT, "A sentence that helps to fill a message. " * 700, "t1")


@pytest.fixture
async def slack() -> AsyncIterator[SlackDouble]:
    async with SlackDouble() as slack:
        yield slack
        assert slack.rejections == []


@pytest.fixture
async def delivery(slack: SlackDouble) -> SlackDelivery:
    return await _delivery(slack)


async def _delivery(slack: SlackDouble) -> SlackDelivery:
    return SlackDelivery(await _workspaces(slack), wording(), pace=Pace(interval=0))


async def _workspaces(slack: SlackDouble) -> OneWorkspace:
    client = web_client(slack.bot_token, base_url=slack.base_url)
    return OneWorkspace(Workspace(await identify(client), client))


async def _asked(slack: SlackDouble, channel: str = CHANNEL) -> IncomingMessage:
    written = await slack.write(channel, AMINA, "when?")
    thread = "" if channel == DIRECT else written.ts
    where = Conversation("slack", TEAM, channel, thread)
    return IncomingMessage(written.ts, where, Author(AMINA), "when?", datetime(2026, 11, 30, tzinfo=UTC))


@pytest.mark.parametrize("channel", [CHANNEL, DIRECT])
async def test_an_answer_is_found_again_by_another_process(slack: SlackDouble, channel: str) -> None:
    message = await _asked(slack, channel)
    assert not await (await _delivery(slack)).delivered(message)
    await (await _delivery(slack)).deliver(message, REPLY)
    assert await (await _delivery(slack)).delivered(message)


@pytest.mark.parametrize("channel", [CHANNEL, DIRECT])
async def test_the_answer_to_another_message_is_another_answer(
    slack: SlackDouble, delivery: SlackDelivery, channel: str
) -> None:
    first, second = await _asked(slack, channel), await _asked(slack, channel)
    await delivery.deliver(first, REPLY)
    assert not await delivery.delivered(second)


async def test_an_answer_is_found_behind_hundreds_of_messages(slack: SlackDouble, delivery: SlackDelivery) -> None:
    message = await _asked(slack)
    for _ in range(450):
        await slack.write(CHANNEL, "U0BEN", "chat", thread=message.id)
    await delivery.deliver(message, REPLY)
    assert await delivery.delivered(message)
    assert len(slack.called("conversations.replies")) == 3


async def test_another_app_cannot_pass_for_our_answer(slack: SlackDouble, delivery: SlackDelivery) -> None:
    message = await _asked(slack)
    metadata = {"event_type": EVENT_TYPE, "event_payload": {"key": message.key}}
    forged = Message(CHANNEL, slack.workspace.next_ts(), "U0BEN", "x", message.id, metadata=metadata)
    slack.workspace.messages[CHANNEL].append(forged)
    assert not await delivery.delivered(message)


async def test_half_an_answer_is_not_an_answer_and_is_finished(slack: SlackDouble, delivery: SlackDelivery) -> None:
    message = await _asked(slack)
    slack.fail("chat.postMessage", None, Broken())
    with pytest.raises(Transient):
        await delivery.deliver(message, LONG)
    later = await _delivery(slack)
    assert not await later.delivered(message)
    await later.deliver(message, LONG)
    assert await later.delivered(message)
    shown = "".join(
        block["text"]["text"]
        for answer in slack.workspace.posted(CHANNEL)
        for block in answer.blocks
        if block["type"] == "section"
    )
    assert "".join(shown.split()) == "".join(LONG.text.split())


async def test_a_rate_limit_passes_on_how_long_to_wait(slack: SlackDouble, delivery: SlackDelivery) -> None:
    slack.fail("chat.postMessage", RateLimited(9))
    with pytest.raises(Transient) as raised:
        await delivery.deliver(await _asked(slack), REPLY)
    assert raised.value.retry_after == 9.0


@pytest.mark.parametrize(("error", "kind"), [("something_new", Permanent), ("token_revoked", Misconfigured)])
async def test_what_cannot_be_mended_by_trying_again_says_so(
    slack: SlackDouble, delivery: SlackDelivery, error: str, kind: type[Permanent]
) -> None:
    slack.fail("chat.postMessage", ApiError(error))
    with pytest.raises(kind):
        await delivery.deliver(await _asked(slack), REPLY)


async def test_links_are_not_unfurled_and_names_not_linked(slack: SlackDouble, delivery: SlackDelivery) -> None:
    message = await _asked(slack)
    await delivery.deliver(message, REPLY)
    (call,) = slack.called("chat.postMessage")
    sent = {name: call.arguments[name] for name in ("unfurl_links", "unfurl_media", "link_names", "parse", "metadata")}
    assert sent == {
        "unfurl_links": False,
        "unfurl_media": False,
        "link_names": False,
        "parse": "none",
        "metadata": {
            "event_type": EVENT_TYPE,
            "event_payload": {"key": message.key, "trace": "t1", "part": 0, "parts": 1},
        },
    }


async def test_a_status_that_slack_does_not_take_holds_nothing_up(slack: SlackDouble) -> None:
    delivery = SlackDelivery(await _workspaces(slack), wording(), status_patience=0.05)
    slack.fail("assistant.threads.setStatus", Stuck(), Stuck())
    message = await _asked(slack, DIRECT)
    await delivery.working(message)
    await delivery.deliver(message, REPLY)
    assert slack.workspace.statuses == []
    assert len(slack.workspace.posted(DIRECT)) == 1
