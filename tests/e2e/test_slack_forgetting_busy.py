"""Somebody has everything forgotten while one question of theirs runs and another one waits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adapters.slack.home import FORGET_ACTION
from tests.doubles.slack import BOT, payloads
from tests.e2e.test_slack import AMINA, CHANNEL, WORDS, mode, rig, slack
from tests.e2e.test_slack_changes import turns

if TYPE_CHECKING:
    from tests.e2e.slack_rig import Rig

__all__ = ["mode", "rig", "slack"]


async def test_what_runs_is_forgotten_once_it_ends_and_what_comes_later_is_answered(rig: Rig) -> None:
    rig.engine.gate.clear()
    first, _ = await rig.slack.say(CHANNEL, AMINA, f"<@{BOT}> the first question")
    await rig.slack.until(lambda: rig.engine.asked)
    await rig.slack.say(CHANNEL, AMINA, f"<@{BOT}> the second", thread=first.ts)
    button = {"action_id": FORGET_ACTION, "value": "all", "type": "button"}
    assert (await rig.slack.deliver(payloads.home_click(button, AMINA), "interactive")).ok
    await rig.slack.until(lambda: AMINA in rig.slack.workspace.homes)
    await rig.slack.say(CHANNEL, AMINA, f"<@{BOT}> the third", thread=first.ts)
    rig.engine.gate.set()
    await rig.settled()
    assert [one.text for one in rig.engine.asked] == ["the first question", "the third"]
    assert [turn.question for turn in await turns(rig)] == ["the third"]
    assert WORDS.home.forgotten_waiting in str(rig.slack.workspace.homes[AMINA])
