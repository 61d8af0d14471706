"""The double refuses what Slack refuses, and sends what Slack sends."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from tests.doubles.slack import BOT, SlackDouble, payloads
from tests.doubles.slack.limits import Refused, check_block, check_message
from tests.doubles.slack.schemas import Schemas

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SECTION = {"type": "section", "text": {"type": "mrkdwn", "text": "x"}}
BUTTON = {"type": "button", "action_id": "a", "text": {"type": "plain_text", "text": "x"}}


def _actions(**button: Any) -> dict[str, Any]:
    return {"type": "actions", "elements": [BUTTON | button]}


@pytest.mark.parametrize(
    "block",
    [
        {"type": "section", "text": {"type": "mrkdwn", "text": "x" * 3001}},
        {"type": "section", "text": {"type": "mrkdwn", "text": ""}},
        {"type": "markdown", "text": "x" * 12_001},
        {"type": "context", "elements": [SECTION["text"]] * 11},
        {"type": "actions", "elements": []},
        {"type": "actions", "elements": [BUTTON | {"action_id": str(n)} for n in range(26)]},
        _actions(text={"type": "plain_text", "text": "x" * 76}),
        _actions(url="https://" + "x" * 3000),
        _actions(url="tel:116123"),
        _actions(value="x" * 2001),
        _actions(value=""),
    ],
)
def test_a_block_beyond_the_limits_is_refused(block: dict[str, Any]) -> None:
    with pytest.raises(Refused, match="invalid_blocks"):
        check_block(block)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({}, "no_text"),
        ({"text": "x" * 4001}, "msg_too_long"),
        ({"blocks": [SECTION] * 51}, "invalid_blocks"),
        ({"blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": "x" * 3000}}] * 5}, "msg_blocks_too_long"),
        ({"blocks": [_actions(), _actions()]}, "invalid_blocks"),
    ],
)
def test_a_message_beyond_the_limits_is_refused(arguments: dict[str, Any], code: str) -> None:
    with pytest.raises(Refused) as refused:
        check_message(arguments)
    assert refused.value.code == code


@pytest.mark.parametrize(
    "block",
    [
        {"type": "nonsense"},
        {"type": "header", "text": {"type": "mrkdwn", "text": "x"}},
        SECTION | {"colour": "red"},
    ],
)
async def test_a_block_that_slacks_types_lack_is_refused(block: dict[str, Any], shared: Path) -> None:
    async with SlackDouble(schemas=shared / "slack" / "schemas") as slack:
        client = AsyncWebClient(slack.bot_token, base_url=slack.base_url)
        with pytest.raises(SlackApiError) as raised:
            await client.chat_postMessage(channel="C1", text="x", blocks=[block])
        assert raised.value.response["error"] == "invalid_blocks"
        assert len(slack.rejections) == 1


async def test_an_argument_that_slacks_types_lack_is_refused(shared: Path) -> None:
    async with SlackDouble(schemas=shared / "slack" / "schemas") as slack:
        client = AsyncWebClient(slack.bot_token, base_url=slack.base_url)
        with pytest.raises(SlackApiError) as raised:
            await client.chat_postMessage(channel="C1", text="x", colour="red")
        assert raised.value.response["error"] == "invalid_arguments"


@pytest.mark.parametrize(("token", "error"), [("xoxb-wrong", "invalid_auth"), (None, "not_authed")])
async def test_a_wrong_token_is_refused(token: str | None, error: str) -> None:
    async with SlackDouble() as slack:
        with pytest.raises(SlackApiError) as raised:
            await AsyncWebClient(token, base_url=slack.base_url).auth_test()
        assert raised.value.response["error"] == error


async def test_a_scope_that_was_not_granted_is_missing() -> None:
    async with SlackDouble(scopes={"chat:write"}) as slack:
        client = AsyncWebClient(slack.bot_token, base_url=slack.base_url)
        await client.chat_postMessage(channel="C1", text="x")
        with pytest.raises(SlackApiError) as raised:
            await client.users_info(user="U0AMINA")
        assert (raised.value.response["error"], raised.value.response["needed"]) == ("missing_scope", "users:read")


@pytest.mark.parametrize(
    ("sample", "body"),
    [
        ("events__MessagePayload", payloads.callback(payloads.message("C1", "U1", "x", "1.1", thread_ts="1.0"))),
        (
            "events__AppMentionPayload",
            payloads.callback(payloads.mention("C1", "U1", f"<@{BOT}>", "1.1", thread_ts="1.0")),
        ),
        ("app-backend__slash-commands__SlashCommandPayload", payloads.command("/sources", "C1", "U1")),
        (
            "app-backend__interactive-components__BlockActionPayload",
            payloads.click(BUTTON | {"value": "v"}, "C1", "U1", "1.1", thread_ts="1.0"),
        ),
    ],
)
def test_payloads_have_the_fields_of_slacks_samples(sample: str, body: dict[str, Any], shared: Path) -> None:
    skeleton = json.loads((shared / "slack" / "payloads" / f"{sample}.json").read_text(encoding="utf-8"))
    assert _unknown(body, skeleton) == []


def test_events_are_of_slacks_types(shared: Path) -> None:
    schemas = Schemas(shared / "slack" / "schemas")
    schemas.check_event(payloads.message("D1", "U1", "x", "1.1", thread_ts="1.0"))
    schemas.check_event(payloads.mention("C1", "U1", "x", "1.1", thread_ts="1.0"))


def _unknown(body: Mapping[str, Any], skeleton: Mapping[str, Any], path: str = "") -> list[str]:
    """The fields of `body` that the sample lacks; lists are compared by their first element."""
    found: list[str] = []
    for name, value in body.items():
        if name not in skeleton:
            found.append(f"{path}{name}")
            continue
        known = skeleton[name]
        if isinstance(value, list) and value and isinstance(known, list) and known:
            value, known = value[0], known[0]  # noqa: PLW2901 - a list stands for its first element
        if isinstance(value, dict) and isinstance(known, dict):
            found += _unknown(value, known, f"{path}{name}.")
    return found
