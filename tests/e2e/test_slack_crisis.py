"""Someone in need, on Slack: answered alone in the way that is set, and someone told of it where that is wanted."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING

import pytest

from tests.doubles.slack import BOT, ApiError, Broken, Message, RateLimited, SlackDouble, Stuck
from tests.e2e.slack_rig import CRISIS, CRISIS_ALERTED, Rig, running
from tests.e2e.test_slack import SCHEMAS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from adapters.slack.delivery import Privately
    from tests.doubles.slack.faults import Fault

CHANNEL, DIRECT, AMINA, TEAM_OF_CARE, NURSE = "C0WARD", "D0AMINA", "U0AMINA", "C0CARE", "U0NURSE"
WORDS = f"<@{BOT}> words of distress"
TOLD = CRISIS_ALERTED.if_alerted


@pytest.fixture
async def slack() -> AsyncIterator[SlackDouble]:
    async with SlackDouble(schemas=SCHEMAS if SCHEMAS.is_dir() else None) as slack:
        yield slack
        assert slack.rejections == []


async def answered(rig: Rig, *, channel: str = CHANNEL) -> Message:
    """What Amina wrote, once it is answered."""
    asked, _ = await rig.slack.say(channel, AMINA, WORDS)
    await rig.settled()
    return asked


def shown(slack: SlackDouble) -> tuple[int, int]:
    """How many replies Amina sees where she wrote, and how many in a direct message."""
    return len(slack.workspace.ephemeral), len(slack.workspace.posted(f"D{AMINA}"))


@pytest.mark.parametrize(("privately", "stands"), [("ephemeral", (1, 0)), ("dm", (0, 1)), ("both", (1, 1))])
async def test_the_reply_goes_out_as_is_set(
    slack: SlackDouble, tmp_path: Path, privately: Privately, stands: tuple[int, int]
) -> None:
    async with running(slack, "http", tmp_path, privately=privately) as rig:
        rig.engine.reply = CRISIS
        await answered(rig)
    assert shown(slack) == stands
    assert slack.workspace.posted(CHANNEL) == []
    for reply in (*slack.workspace.ephemeral, *slack.workspace.posted(f"D{AMINA}")):
        assert "116 123" in json.dumps(reply.blocks)


@pytest.mark.parametrize(
    ("privately", "refused", "stands"),
    [
        ("ephemeral", ["chat.postEphemeral"], (0, 1)),
        ("dm", ["conversations.open"], (1, 0)),
        ("dm", ["chat.postMessage"], (1, 0)),
        ("both", ["conversations.open"], (1, 0)),
        ("both", ["chat.postEphemeral"], (0, 1)),
    ],
)
async def test_where_slack_refuses_one_way_the_other_is_taken(
    slack: SlackDouble, tmp_path: Path, privately: Privately, refused: list[str], stands: tuple[int, int]
) -> None:
    async with running(slack, "http", tmp_path, privately=privately) as rig:
        rig.engine.reply = CRISIS
        for method in refused:
            slack.fail(method, ApiError("cannot_dm_bot"))
        await answered(rig)
    assert shown(slack) == stands


async def test_a_fault_that_passes_repeats_nothing_that_stands(slack: SlackDouble, tmp_path: Path) -> None:
    async with running(slack, "http", tmp_path, privately="both") as rig:
        rig.engine.reply = CRISIS
        slack.fail("chat.postEphemeral", Broken(), RateLimited())
        await answered(rig)
    assert shown(slack) == (1, 1)


@pytest.mark.parametrize("privately", ["ephemeral", "dm"])
async def test_blocks_that_slack_refuses_become_plain_text(
    slack: SlackDouble, tmp_path: Path, privately: Privately
) -> None:
    async with running(slack, "http", tmp_path, privately=privately) as rig:
        rig.engine.reply = CRISIS
        slack.fail("chat.postEphemeral" if privately == "ephemeral" else "chat.postMessage", ApiError("invalid_blocks"))
        await answered(rig)
    (reply,) = (*slack.workspace.ephemeral, *slack.workspace.posted(f"D{AMINA}"))
    assert reply.blocks == []
    assert "116 123" in reply.text


# Someone is told


def alert_in(slack: SlackDouble, channel: str = TEAM_OF_CARE) -> Message:
    (alert,) = slack.workspace.posted(channel)
    return alert


def replied(slack: SlackDouble) -> str:
    (reply,) = slack.workspace.ephemeral
    return json.dumps(reply.blocks)


@pytest.mark.parametrize("target", [TEAM_OF_CARE, NURSE])
async def test_who_is_named_is_told_where_with_no_word_of_it_and_the_reply_says_so(
    slack: SlackDouble, tmp_path: Path, target: str
) -> None:
    async with running(slack, "http", tmp_path, alert=target) as rig:
        rig.engine.reply = CRISIS_ALERTED
        asked = await answered(rig)
    alert = alert_in(slack, target)
    assert alert.text == f"Someone in <#{CHANNEL}> may need help."
    (button,) = alert.blocks[-1]["elements"]
    assert button["url"] == f"https://clinic.slack.com/archives/{CHANNEL}/p{asked.ts.replace('.', '')}"
    said = json.dumps([alert.text, alert.blocks, alert.metadata])
    assert "distress" not in said
    assert AMINA not in said
    assert "http" not in json.dumps(alert.blocks[0])  # a link in a text may be shown with what it leads to
    assert TOLD in replied(slack)


async def test_of_a_direct_message_it_is_said_whose_it_is(slack: SlackDouble, tmp_path: Path) -> None:
    async with running(slack, "http", tmp_path, alert=TEAM_OF_CARE) as rig:
        rig.engine.reply = CRISIS_ALERTED
        await answered(rig, channel=DIRECT)
    assert f"<@{AMINA}> may need help" in alert_in(slack).text
    assert TOLD in json.dumps(slack.workspace.posted(DIRECT)[0].blocks)


async def test_with_no_one_named_no_one_is_told(slack: SlackDouble, tmp_path: Path) -> None:
    async with running(slack, "http", tmp_path) as rig:
        rig.engine.reply = CRISIS_ALERTED
        await answered(rig)
    assert TOLD not in replied(slack)
    assert slack.called("chat.getPermalink") == []


async def test_other_replies_tell_no_one(slack: SlackDouble, tmp_path: Path) -> None:
    async with running(slack, "http", tmp_path, alert=TEAM_OF_CARE) as rig:
        await answered(rig)
        rig.engine.reply = CRISIS
        await answered(rig)
    assert slack.workspace.posted(TEAM_OF_CARE) == []


@pytest.mark.parametrize("target", [CHANNEL, AMINA])
async def test_nobody_is_told_of_themselves_nor_the_place_where_it_was_said(
    slack: SlackDouble, tmp_path: Path, target: str
) -> None:
    async with running(slack, "http", tmp_path, alert=target) as rig:
        rig.engine.reply = CRISIS_ALERTED
        await answered(rig)
    assert slack.workspace.posted(target) == []
    assert TOLD not in replied(slack)


@pytest.mark.parametrize("fault", [ApiError("channel_not_found"), ApiError("invalid_auth"), Stuck()])
async def test_an_alert_that_fails_costs_nothing_and_is_not_claimed(
    slack: SlackDouble, tmp_path: Path, fault: Fault
) -> None:
    async with running(slack, "http", tmp_path, alert=TEAM_OF_CARE, alert_patience=0.1) as rig:
        rig.engine.reply = CRISIS_ALERTED
        slack.fail("chat.postMessage", fault)
        await answered(rig)
        assert "116 123" in replied(slack)
        assert TOLD not in replied(slack)


async def test_an_alert_without_its_link_still_goes_out(slack: SlackDouble, tmp_path: Path) -> None:
    async with running(slack, "http", tmp_path, alert=TEAM_OF_CARE) as rig:
        rig.engine.reply = CRISIS_ALERTED
        slack.fail("chat.getPermalink", ApiError("message_not_found"))
        await answered(rig)
    assert len(alert_in(slack).blocks) == 1
    assert TOLD in replied(slack)


async def test_an_alert_is_tried_again_and_one_reply_that_is_tried_again_tells_once(
    slack: SlackDouble, tmp_path: Path
) -> None:
    async with running(slack, "http", tmp_path, alert=TEAM_OF_CARE) as rig:
        rig.engine.reply = CRISIS_ALERTED
        slack.fail("chat.postMessage", RateLimited())
        slack.fail("chat.postEphemeral", Broken(), Broken())
        await answered(rig)
    assert alert_in(slack)
    assert TOLD in replied(slack)


@pytest.mark.parametrize("privately", ["ephemeral", "dm", "both"])
async def test_of_what_was_said_nothing_is_kept_or_logged(
    slack: SlackDouble, tmp_path: Path, caplog: pytest.LogCaptureFixture, privately: Privately
) -> None:
    caplog.set_level(logging.DEBUG)
    async with running(slack, "http", tmp_path, privately=privately, alert=TEAM_OF_CARE) as rig:
        rig.engine.reply = CRISIS_ALERTED
        await answered(rig)
    assert _kept_in(tmp_path)
    assert b"distress" not in _kept_in(tmp_path)
    assert "distress" not in caplog.text
    assert "distress" not in json.dumps([call.arguments for call in slack.called("chat.postMessage")])


def _kept_in(home: Path) -> bytes:
    """Every byte of the memory file and what SQLite keeps beside it."""
    return b"".join(file.read_bytes() for file in home.iterdir())
