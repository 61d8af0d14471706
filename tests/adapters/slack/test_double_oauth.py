"""The double's OAuth refuses what Slack refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest
from aiohttp import ClientSession
from slack_sdk.errors import SlackApiError

from adapters.slack.client import web_client
from tests.doubles.slack import SlackDouble, Workspace

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

BACK = "https://bot.example.org/back"


@pytest.fixture
async def slack() -> AsyncIterator[SlackDouble]:
    async with SlackDouble() as slack:
        slack.oauth.redirect_uris = [BACK]
        slack.oauth.choosing = Workspace("T0NORTH")
        yield slack


async def _code(slack: SlackDouble, **more: str) -> str:
    asked = {"client_id": slack.oauth.client_id, "redirect_uri": BACK, "state": "s", "scope": "chat:write"} | more
    address = slack.base_url.replace("/api/", "/oauth/v2/authorize")
    async with ClientSession() as session, session.get(address, params=asked, allow_redirects=False) as got:
        assert got.status == 302, await got.text()
        query = parse_qs(urlsplit(got.headers["Location"]).query)
    assert query["state"] == ["s"]
    return query["code"][0]


async def _access(slack: SlackDouble, **given: Any) -> Any:
    app = {"client_id": slack.oauth.client_id, "client_secret": slack.oauth.client_secret}
    return await web_client("", base_url=slack.base_url).oauth_v2_access(**(app | given))


@pytest.mark.parametrize("more", [{"client_id": "9.9"}, {"redirect_uri": "https://evil.example/"}])
async def test_another_app_or_address_is_not_asked_for(slack: SlackDouble, more: dict[str, str]) -> None:
    with pytest.raises(AssertionError):
        await _code(slack, **more)


@pytest.mark.parametrize(
    ("more", "error"),
    [
        ({"client_secret": "another"}, "bad_client_secret"),
        ({"client_id": "9.9"}, "bad_client_secret"),
        ({"code": "another"}, "invalid_code"),
        ({"redirect_uri": "https://evil.example/"}, "bad_redirect_uri"),
        ({"grant_type": "refresh_token", "refresh_token": "another"}, "invalid_refresh_token"),
    ],
)
async def test_what_is_not_right_gets_no_token(slack: SlackDouble, more: dict[str, str], error: str) -> None:
    code = await _code(slack)
    with pytest.raises(SlackApiError, match=error):
        await _access(slack, **({"code": code, "redirect_uri": BACK} | more))
    assert slack.oauth.issued == []


async def test_codes_and_refresh_tokens_are_good_once(slack: SlackDouble) -> None:
    slack.oauth.lifetime = 60
    code = await _code(slack)
    granted = await _access(slack, code=code, redirect_uri=BACK)
    with pytest.raises(SlackApiError, match="code_already_used"):
        await _access(slack, code=code, redirect_uri=BACK)
    refresh = {"grant_type": "refresh_token", "refresh_token": granted["refresh_token"]}
    assert (await _access(slack, **refresh))["access_token"] != granted["access_token"]
    with pytest.raises(SlackApiError, match="invalid_refresh_token"):
        await _access(slack, **refresh)


async def test_a_token_that_was_revoked_or_has_expired_is_good_for_nothing(slack: SlackDouble) -> None:
    tokens = []
    for _ in range(2):
        granted = await _access(slack, code=await _code(slack), redirect_uri=BACK)
        tokens.append(web_client(granted["access_token"], base_url=slack.base_url))
    await tokens[0].auth_revoke()
    with pytest.raises(SlackApiError, match="token_revoked"):
        await tokens[0].auth_test()
    assert (await tokens[1].auth_test())["team_id"] == "T0NORTH"
    slack.oauth.expire(slack.oauth.choosing or Workspace())
    with pytest.raises(SlackApiError, match="token_expired"):
        await tokens[1].auth_test()
