"""Slack's errors as ours, over the wire."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from aiohttp import web

from adapters.slack.client import identify, web_client
from adapters.slack.errors import Closed, Unshowable, mapped
from bot.errors import CitewellError, Misconfigured, Permanent, Transient
from tests.doubles.slack import ApiError, Broken, Dropped, RateLimited, SlackDouble

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


@pytest.fixture
async def slack() -> AsyncIterator[SlackDouble]:
    async with SlackDouble() as slack:
        yield slack


async def _post(slack: SlackDouble) -> None:
    with mapped("chat.postMessage"):
        await web_client(slack.bot_token, base_url=slack.base_url).chat_postMessage(channel="C1", text="private words")


@pytest.mark.parametrize(
    ("fault", "kind", "said"),
    [
        (RateLimited(7), Transient, "slow down"),
        (Broken(), Transient, "500"),
        (ApiError("internal_error"), Transient, "internal_error"),
        (ApiError("ratelimited"), Transient, "slow down"),
        (ApiError("token_revoked"), Misconfigured, "reinstall"),
        (ApiError("missing_scope"), Misconfigured, "manifest.yml"),
        (ApiError("not_in_channel"), Closed, "invite the bot"),
        (ApiError("channel_not_found"), Closed, "invite it"),
        (ApiError("is_archived"), Closed, "archived"),
        (ApiError("cannot_dm_bot"), Permanent, "cannot be written to"),
        (ApiError("user_disabled"), Permanent, "deactivated"),
        (ApiError("something_new"), Permanent, "something_new"),
        (ApiError("invalid_blocks"), Unshowable, "invalid_blocks"),
        (ApiError("msg_too_long"), Unshowable, "msg_too_long"),
    ],
)
async def test_each_error_has_its_kind_and_says_how_to_mend_it(
    slack: SlackDouble, fault: RateLimited | Broken | ApiError, kind: type[CitewellError], said: str
) -> None:
    slack.fail("chat.postMessage", fault)
    with pytest.raises(kind, match=said) as raised:
        await _post(slack)
    assert type(raised.value) is kind
    assert "chat.postMessage" in str(raised.value)
    assert "private words" not in str(raised.value)


async def test_a_rate_limit_says_how_long_to_wait(slack: SlackDouble) -> None:
    slack.fail("chat.postMessage", RateLimited(7))
    with pytest.raises(Transient) as raised:
        await _post(slack)
    assert raised.value.retry_after == 7.0


@pytest.mark.parametrize("fault", [Broken(after_the_fact=True), Dropped(), RateLimited(0)])
async def test_a_call_is_never_tried_again_behind_our_back(
    slack: SlackDouble, fault: Broken | Dropped | RateLimited
) -> None:
    slack.fail("chat.postMessage", fault)
    with pytest.raises(Transient):
        await _post(slack)
    assert len(slack.called("chat.postMessage")) == 1


async def test_no_connection_is_transient(slack: SlackDouble) -> None:
    with pytest.raises(Transient, match="no answer"):
        await identify(web_client("xoxb-test", base_url="http://127.0.0.1:9/api/"))


async def test_a_bad_token_is_the_operators_to_mend(slack: SlackDouble) -> None:
    with pytest.raises(Misconfigured, match="current token"):
        await identify(web_client("xoxb-wrong", base_url=slack.base_url))


@pytest.mark.parametrize(
    ("status", "text", "content_type"),
    [
        (502, "<html>bad gateway</html>", "text/html"),
        (200, "not json", "application/json"),
        (429, "slow", "text/plain"),
    ],
)
async def test_answers_that_are_no_answers_are_transient(status: int, text: str, content_type: str) -> None:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(status=status, text=text, content_type=content_type)

    app = web.Application()
    app.router.add_route("*", "/api/{method}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        host, port = runner.addresses[0][:2]
        with pytest.raises(Transient):
            await identify(web_client("xoxb-test", base_url=f"http://{host}:{port}/api/"))
    finally:
        await runner.cleanup()
