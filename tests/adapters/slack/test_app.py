"""The wiring: what is signed, what connects, what is let go of."""

from __future__ import annotations

import asyncio
import json
import time
from typing import TYPE_CHECKING, Any, Literal

import pytest
from aiohttp import ClientSession

from bot.errors import Misconfigured, Transient
from tests.doubles.slack import BOT, ApiError, Broken, SlackDouble, payloads
from tests.e2e.slack_rig import running

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.e2e.slack_rig import Rig

EVENT = payloads.callback(payloads.message("D0AMINA", "U0AMINA", "when may I visit?", "1764500000.000100"))


@pytest.fixture
async def slack() -> AsyncIterator[SlackDouble]:
    async with SlackDouble() as slack:
        yield slack


@pytest.fixture
async def rig(slack: SlackDouble, tmp_path: Path) -> AsyncIterator[Rig]:
    async with running(slack, "http", tmp_path) as rig:
        yield rig


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Slack-Signature": "v0=00"},
        {"X-Slack-Signature": ""},
        {"X-Slack-Signature": "v0=é"},
        {"X-Slack-Request-Timestamp": ""},
        {"X-Slack-Request-Timestamp": "abc"},
        {"X-Slack-Request-Timestamp": "9" * 400},
        {"X-Slack-Request-Timestamp": "1"},
    ],
)
async def test_what_slack_did_not_sign_is_refused(rig: Rig, headers: dict[str, str]) -> None:
    assert (await rig.slack.post(EVENT, headers=headers)).status == 401
    await rig.settled()
    assert rig.engine.asked == []


@pytest.mark.parametrize(("age", "status"), [(0, 200), (290, 200), (310, 401), (-310, 401)])
async def test_a_signature_holds_for_five_minutes(rig: Rig, age: int, status: int) -> None:
    signature = rig.slack.signature(json.dumps(EVENT), timestamp=int(time.time()) - age)
    assert (await rig.slack.post(EVENT, headers=signature)).status == status


async def test_a_signature_of_another_secret_or_body_is_refused(rig: Rig) -> None:
    forged = rig.slack.signature(json.dumps(EVENT), secret="another")
    of_another = rig.slack.signature(json.dumps(EVENT).replace("visit", "leave"))
    assert (await rig.slack.post(EVENT, headers=forged)).status == 401
    assert (await rig.slack.post(EVENT, headers=of_another)).status == 401


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b"ssl_check=1", b'{"type":"url_verification"}'])
async def test_unsigned_bodies_of_any_kind_are_refused(rig: Rig, body: bytes) -> None:
    assert rig.slack.request_url is not None
    headers = {"Content-Type": "application/json"}
    async with ClientSession() as session, session.post(rig.slack.request_url, data=body, headers=headers) as answer:
        assert answer.status == 401


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{SECRET",
        b"[]",
        b'["SECRET"]',
        b"{}",
        b"null",
        b'"SECRET"',
        b'{"type": 5, "text": "SECRET"}',
        b"[" * 100_000,
        b"payload=%7BSECRET",
        b"payload=[1]",
        b"text=SECRET",
        b'{"type": "url_verification", "challenge": null}',
    ],
)
async def test_signed_bodies_that_are_no_payload_get_400_and_one_plain_line(
    rig: Rig, caplog: pytest.LogCaptureFixture, body: bytes
) -> None:
    assert (await rig.slack.post_raw(body)).status == 400
    _one_plain_line(caplog)


@pytest.mark.parametrize("event", [None, "SECRET", [], {}, {"type": None, "text": "SECRET"}])
@pytest.mark.parametrize("mode", ["socket", "http"])
async def test_events_that_no_sending_again_mends_are_acknowledged_with_one_plain_line(
    slack: SlackDouble, tmp_path: Path, caplog: pytest.LogCaptureFixture, mode: Literal["socket", "http"], event: object
) -> None:
    async with running(slack, mode, tmp_path) as rig:
        assert (await slack.deliver({"type": "event_callback", "event": event})).ok
        assert (await slack.deliver(EVENT)).ok
        await rig.settled()
    assert len(slack.workspace.posted("D0AMINA")) == 1
    _one_plain_line(caplog)


@pytest.mark.parametrize("missing", ["channel_id", "user_id"])
async def test_a_command_without_its_place_or_person_is_refused_with_one_plain_line(
    rig: Rig, caplog: pytest.LogCaptureFixture, missing: str
) -> None:
    body = payloads.command("/sources", "C0WARD", "U0AMINA", text="SECRET")
    del body[missing]
    assert (await rig.slack.deliver(body, "slash_commands")).status == 400
    _one_plain_line(caplog)
    assert missing in caplog.text


@pytest.mark.parametrize(
    ("action", "status"),
    [
        ({"action_id": "show_source_2", "value": "SECRET"}, 200),
        ({"action_id": "passage", "value": "SECRET"}, 200),
        ({"action_id": "passage:" + "9" * 5000, "value": "SECRET"}, 200),
        ({"action_id": "link:1"}, 200),
        ({"action_id": "passage:1"}, 400),
        ({"action_id": "feedback"}, 400),
        ({"action_id": "feedback", "value": "SECRET"}, 400),
        ({"action_id": "feedback", "value": "good:"}, 400),
        ({"action_id": "feedback", "value": "bad:SECRET " + "x" * 300}, 400),
        ({"value": "SECRET"}, 400),
        ({"action_id": ["SECRET"]}, 400),
    ],
)
async def test_buttons_of_other_versions_are_acknowledged_quietly_and_broken_ones_refused(
    rig: Rig, caplog: pytest.LogCaptureFixture, action: dict[str, Any], status: int
) -> None:
    body = payloads.click(action, "C0WARD", "U0AMINA", "1764500000.000100")
    assert (await rig.slack.deliver(body, "interactive")).status == status
    if status == 200:
        assert caplog.text == ""
    else:
        _one_plain_line(caplog)


@pytest.mark.parametrize(
    "frame",
    [
        "{SECRET",
        "[]",
        "[" * 100_000,
        '{"a": ' * 100_000,
        '{"type": "events_api", "envelope_id": "1", "payload": ["SECRET"]}',
        '{"type": "events_api", "envelope_id": "1", "payload": null}',
        '{"type": "events_api", "envelope_id": "1", "payload": {}}',
        '{"type": "slash_commands", "envelope_id": "1", "payload": {"command": "/sources", "user_id": "SECRET"}}',
        '{"type": "interactive", "envelope_id": "1", "payload": {"type": "block_actions", "actions": "SECRET"}}',
    ],
)
async def test_the_connection_outlives_what_cannot_be_used(
    slack: SlackDouble, tmp_path: Path, caplog: pytest.LogCaptureFixture, frame: str
) -> None:
    async with running(slack, "socket", tmp_path) as rig:
        await slack.send_frame(frame)
        assert (await slack.deliver(EVENT)).ok
        await rig.settled()
    assert len(slack.workspace.posted("D0AMINA")) == 1
    assert slack.connections == 1
    assert len(caplog.records) <= 1
    assert "Traceback" not in caplog.text
    assert "SECRET" not in caplog.text


async def test_slack_can_verify_the_address(rig: Rig) -> None:
    ack = await rig.slack.deliver({"type": "url_verification", "challenge": "c4", "token": "t"})
    assert ack.payload == {"challenge": "c4"}


async def test_one_token_and_no_way_in_is_the_operators_to_mend(slack: SlackDouble, tmp_path: Path) -> None:
    slack.signing_secret = ""
    with pytest.raises(Misconfigured, match="app token"):
        async with running(slack, "http", tmp_path):
            pass


async def test_a_bad_app_token_is_the_operators_to_mend(slack: SlackDouble, tmp_path: Path) -> None:
    slack.fail("apps.connections.open", ApiError("invalid_auth"))
    with pytest.raises(Misconfigured, match=r"apps\.connections\.open"):
        async with running(slack, "socket", tmp_path):
            pass


async def test_slack_that_does_not_answer_at_the_start_is_transient(slack: SlackDouble, tmp_path: Path) -> None:
    slack.fail("apps.connections.open", Broken())
    with pytest.raises(Transient):
        async with running(slack, "socket", tmp_path):
            pass


async def test_a_connection_that_slack_refreshes_goes_on_answering(slack: SlackDouble, tmp_path: Path) -> None:
    async with running(slack, "socket", tmp_path) as rig:
        assert await rig.app.connected()
        await slack.disconnect()
        await slack.say("C0WARD", "U0AMINA", f"<@{BOT}> when may I visit?")
        await rig.settled()
        assert len(slack.workspace.posted("C0WARD")) == 1
        assert slack.connections == 2


async def test_a_connection_that_fails_is_tried_again_at_a_fresh_address(slack: SlackDouble, tmp_path: Path) -> None:
    async with running(slack, "socket", tmp_path, ping_interval=0.3) as rig:
        slack.refused_connections = 2
        await slack.disconnect()
        await slack.deliver(EVENT)
        await rig.settled()
        assert len(slack.workspace.posted("D0AMINA")) == 1
        assert len(slack.called("apps.connections.open")) >= 4


async def test_an_event_taken_over_the_old_connection_may_come_again_over_the_new(
    slack: SlackDouble, tmp_path: Path
) -> None:
    async with running(slack, "socket", tmp_path) as rig:
        await slack.deliver(EVENT)
        await slack.disconnect()
        await slack.deliver(EVENT, retry=1)
        await rig.settled()
        assert len(slack.workspace.posted("D0AMINA")) == 1


async def test_closing_leaves_nothing_running(slack: SlackDouble, tmp_path: Path) -> None:
    before = asyncio.all_tasks()
    async with running(slack, "socket", tmp_path) as rig:
        await slack.deliver(EVENT)
        await rig.settled()
        await rig.app.close()
        await rig.app.close()
        assert not await rig.app.connected()
        of_the_app = {task for task in asyncio.all_tasks() - before if "slack_sdk" in repr(task.get_coro())}
        assert of_the_app == set()


async def test_our_own_address_is_asked_for_once(slack: SlackDouble, tmp_path: Path) -> None:
    async with running(slack, "socket", tmp_path) as rig:
        for number in range(3):
            event = payloads.message("D0AMINA", "U0AMINA", "when?", f"1764500000.00020{number}")
            await slack.deliver(payloads.callback(event))
        await rig.settled()
        assert len(slack.called("auth.test")) == 1


@pytest.mark.parametrize("mode", ["socket", "http"])
async def test_tokens_in_the_environment_are_neither_read_nor_remarked_on(
    slack: SlackDouble,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    mode: Literal["socket", "http"],
) -> None:
    for name in ("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "SLACK_SIGNING_SECRET"):
        monkeypatch.setenv(name, "of something else")
    async with running(slack, mode, tmp_path) as rig:
        assert (await slack.deliver(EVENT)).ok
        await rig.settled()
    assert len(slack.workspace.posted("D0AMINA")) == 1
    assert caplog.text == ""


def _one_plain_line(caplog: pytest.LogCaptureFixture) -> None:
    (record,) = caplog.records
    assert record.exc_info is None
    assert "\n" not in record.getMessage()
    assert "SECRET" not in record.getMessage()
