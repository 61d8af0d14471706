"""The pages that people install with, as a hostile browser would use them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
import yaml

from adapters.slack.credentials import SCOPES
from tests.doubles.slack import ApiError, Broken, SlackDouble
from tests.e2e.installing_rig import NORTH, TRUST, WORDS, a_workspace, installing
from tests.e2e.test_serve import ROOT

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.e2e.installing_rig import Installing, Page

PAGES = WORDS.install
EVIL = "<script>alert(1)</script>"


@pytest.fixture
async def slack() -> AsyncIterator[SlackDouble]:
    async with SlackDouble() as slack:
        yield slack


@pytest.fixture
async def stage(slack: SlackDouble, tmp_path: Path) -> AsyncIterator[Installing]:
    async with installing(slack, "http", tmp_path) as stage:
        slack.oauth.choosing = a_workspace(NORTH)
        yield stage


def _asked(page: Page) -> dict[str, str]:
    return {name: value for name, [value] in parse_qs(urlsplit(page.link).query).items()}


def _changed(address: str, **more: str) -> str:
    parts = urlsplit(address)
    given = {name: value for name, [value] in parse_qs(parts.query).items()} | more
    return parts._replace(query=urlencode({name: value for name, value in given.items() if value})).geturl()


async def _refused(stage: Installing, page: Page, title: str, status: int) -> None:
    assert (page.title, page.status) == (title, status)
    assert await stage.workspaces._installations.all() == []


async def test_it_leads_to_slack_with_the_scopes_of_the_manifest_and_our_own_address(stage: Installing) -> None:
    begun = await (await stage.browser()).begin()
    asked = _asked(begun)
    assert begun.link.startswith(stage.slack.base_url.replace("/api/", "/oauth/v2/authorize?"))
    assert asked["redirect_uri"] == f"{stage.url}/slack/oauth_redirect"
    assert asked["client_id"] == stage.slack.oauth.client_id
    assert asked["scope"].split(",") == list(SCOPES)


def test_the_scopes_are_those_of_the_manifest() -> None:
    manifest = yaml.safe_load((ROOT / "manifest.yml").read_text(encoding="utf-8"))
    assert list(SCOPES) == manifest["oauth_config"]["scopes"]["bot"]


@pytest.mark.parametrize(
    "address",
    ["/slack/install", "/slack/oauth_redirect", f"/slack/oauth_redirect?state={EVIL}&code={EVIL}&error={EVIL}"],
)
async def test_every_page_is_plain_and_echoes_nothing(stage: Installing, address: str) -> None:
    shown = await (await stage.browser()).get(stage.url + address)
    assert "script" not in shown.text
    assert shown.headers["Content-Type"] == "text/html; charset=utf-8"
    assert shown.headers["Content-Security-Policy"].startswith(
        "default-src 'none'; base-uri 'none'; form-action 'none'"
    )
    assert shown.headers["X-Content-Type-Options"] == "nosniff"
    assert shown.headers["X-Frame-Options"] == "DENY"
    assert shown.headers["Referrer-Policy"] == "no-referrer"
    assert shown.headers["Cache-Control"] == "no-store"


async def test_the_address_asked_for_leads_nowhere_else(stage: Installing) -> None:
    browser = await stage.browser()
    for query in ("?redirect_uri=https://evil.example", "?next=//evil.example", "?team=T1&state=mine"):
        shown = await browser.get(f"{stage.url}/slack/install{query}")
        assert "evil" not in shown.text
        assert _asked(shown)["state"] != "mine"


async def test_a_code_for_another_address_is_not_taken(stage: Installing) -> None:
    browser = await stage.browser()
    stage.slack.oauth.redirect_uris.append("https://evil.example/")
    tampered = _changed((await browser.begin()).link, redirect_uri="https://evil.example/")
    back = (await browser.get(tampered)).headers["Location"].replace("https://evil.example/", "")
    await _refused(stage, await browser.get(f"{stage.url}/slack/oauth_redirect{back}"), PAGES.broken.title, 502)


@pytest.mark.parametrize("state", ["", "forged", "0" * 600, "a b", EVIL])
async def test_a_state_that_was_not_issued_is_refused(stage: Installing, state: str) -> None:
    browser = await stage.browser()
    back = _changed(await browser.agree(), state=state)
    await _refused(stage, await browser.get(back), PAGES.stale.title, 400)


async def test_a_state_of_another_browser_is_refused_and_still_good_in_its_own(stage: Installing) -> None:
    browser = await stage.browser()
    back = await browser.agree()
    await _refused(stage, await (await stage.browser()).get(back), PAGES.stale.title, 400)
    other = await stage.browser()
    await other.begin()
    await _refused(stage, await other.get(back), PAGES.stale.title, 400)
    assert (await browser.get(back)).title == PAGES.done.title


async def test_a_state_is_good_once(stage: Installing) -> None:
    browser = await stage.browser()
    back = await browser.agree()
    assert (await browser.get(back)).title == PAGES.done.title
    again = await browser.get(back)
    assert (again.title, again.status) == (PAGES.stale.title, 400)


async def test_of_two_at_once_one_is_taken(stage: Installing) -> None:
    browser = await stage.browser()
    back = await browser.agree()
    both = await asyncio.gather(browser.get(back), browser.get(back))
    assert sorted(shown.title for shown in both) == sorted([PAGES.done.title, PAGES.stale.title])


async def test_a_state_that_is_too_old_is_refused(stage: Installing) -> None:
    browser = await stage.browser()
    stage.workspaces._installations._state_seconds = 0
    await _refused(stage, await browser.get(await browser.agree()), PAGES.stale.title, 400)


@pytest.mark.parametrize("more", [{"code": ""}, {"code": EVIL}])
async def test_without_a_code_of_slacks_there_is_nothing_to_install(stage: Installing, more: dict[str, str]) -> None:
    browser = await stage.browser()
    await _refused(stage, await browser.get(_changed(await browser.agree(), **more)), PAGES.stale.title, 400)


async def test_a_parameter_that_stands_twice_is_refused(stage: Installing) -> None:
    browser = await stage.browser()
    back = await browser.agree()
    await _refused(stage, await browser.get(f"{back}&code=another"), PAGES.stale.title, 400)


async def test_whoever_does_not_agree_is_told_that_nothing_changed(stage: Installing) -> None:
    stage.slack.oauth.agrees = False
    await _refused(stage, await (await stage.browser()).install(), PAGES.cancelled.title, 400)


@pytest.mark.parametrize("method", ["oauth.v2.access", "auth.test"])
@pytest.mark.parametrize("fault", [ApiError("invalid_code"), ApiError("fatal_error"), Broken()])
async def test_where_slack_fails_nothing_is_installed_and_it_can_be_tried_again(
    stage: Installing, method: str, fault: ApiError | Broken
) -> None:
    browser = await stage.browser()
    stage.slack.fail(method, fault)
    await _refused(stage, await browser.install(), PAGES.broken.title, 502)
    assert (await browser.install()).title == PAGES.done.title


async def test_a_wrong_secret_is_named_to_the_operator_and_to_nobody_else(
    slack: SlackDouble, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with installing(slack, "http", tmp_path, client_secret="another-secret") as stage:
        slack.oauth.choosing = a_workspace(NORTH)
        shown = await (await stage.browser()).install()
    assert shown.title == PAGES.broken.title
    assert "SLACK" not in shown.text
    assert "bad_client_secret: SLACK_CLIENT_SECRET is not this app's" in caplog.text
    assert "another-secret" not in caplog.text


@pytest.mark.parametrize(("teams", "let_in"), [("T0NORTH", True), ("E0TRUST,T0OTHER", True), ("T0OTHER", False)])
async def test_whom_the_operator_has_not_named_gets_no_documents(
    slack: SlackDouble, tmp_path: Path, teams: str, *, let_in: bool
) -> None:
    async with installing(slack, "http", tmp_path, teams=teams) as stage:
        shown = await stage.install(a_workspace(NORTH, TRUST))
        if let_in:
            assert shown.title == PAGES.done.title
        else:
            await _refused(stage, shown, PAGES.not_listed.title, 403)
            (token,) = slack.oauth.issued
            assert slack.oauth.spent(token) == "token_revoked", "the token was given back"


async def test_strangers_cannot_ask_for_pages_without_end(stage: Installing) -> None:
    browser = await stage.browser()
    statuses = [(await browser.begin()).status for _ in range(31)]
    assert statuses == [200] * 30 + [429]
    assert (await browser.get(f"{stage.url}/slack/oauth_redirect")).title == PAGES.busy.title


async def test_only_what_is_asked_for_is_answered(stage: Installing) -> None:
    browser = await stage.browser()
    async with browser.session.post(f"{stage.url}/slack/install", data=b"x" * 100_000) as got:
        assert got.status == 405


async def test_the_cookie_is_kept_from_scripts_and_other_sites(stage: Installing) -> None:
    cookie = (await (await stage.browser()).begin()).headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert "Max-Age=600" in cookie
