"""What tells how far files are goes out at the pace of all else, and is found again among our own messages."""

from __future__ import annotations

import pytest

from adapters.slack.delivery import SlackDelivery
from adapters.slack.intake import SlackIntake
from adapters.slack.pace import Pace
from adapters.slack.standing import telling
from bot.wording import wording
from tests.adapters.slack.test_delivery import AMINA, CHANNEL, REPLY, _asked, _workspaces, slack
from tests.doubles.slack import Message, RateLimited, SlackDouble

__all__ = ["slack"]


async def intake_of(slack: SlackDouble, waits: list[float]) -> SlackIntake:
    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    pace = Pace(interval=0, patience=100, clock=lambda: 0.0, sleep=sleep)
    delivery = SlackDelivery(await _workspaces(slack), wording(), pace=pace)
    return SlackIntake(delivery.outlet, delivery, wording())


async def test_a_pause_that_slack_asks_for_is_kept_by_all_that_goes_out_there(slack: SlackDouble) -> None:
    waits: list[float] = []
    intake, message = await intake_of(slack, waits), await _asked(slack)
    slack.fail("chat.postMessage", RateLimited(30))
    await intake.tell(message, "Taking in")
    await intake.deliver(message, REPLY)
    assert waits == [30]
    assert len(slack.workspace.posted(CHANNEL)) == 1


@pytest.mark.parametrize("between", [0, 450])
async def test_after_a_crash_it_is_found_behind_hundreds_of_messages(slack: SlackDouble, between: int) -> None:
    message = await _asked(slack)
    for _ in range(between):
        await slack.write(CHANNEL, AMINA, "chat", thread=message.id)
    await (await intake_of(slack, [])).tell(message, "Taking in 1")
    await (await intake_of(slack, [])).tell(message, "Taking in 2")
    [told] = slack.workspace.posted(CHANNEL)
    assert told.text == "Taking in 2"


async def test_what_another_bot_says_in_our_words_is_left_to_it(slack: SlackDouble) -> None:
    message = await _asked(slack)
    beside = telling(message.key)
    other = Message(CHANNEL, slack.workspace.next_ts(), "U0OTHER", "x", message.id, metadata=beside, bot_id="B0OTHER")
    slack.workspace.messages[CHANNEL].append(other)
    await (await intake_of(slack, [])).tell(message, "Taking in")
    assert slack.called("chat.update") == []
    assert len(slack.called("chat.postMessage")) == 1
