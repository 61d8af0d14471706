"""`citewell serve` for many workspaces, as an operator runs it: installed, asked and left over real sockets."""

from __future__ import annotations

import asyncio
import shutil
import signal
import time
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

import pytest
from aiohttp import ClientSession, CookieJar

from tests.doubles.slack import SlackDouble, payloads
from tests.e2e.installing_rig import NORTH, SOUTH, WORDS, Browser, a_workspace
from tests.e2e.serve_rig import Served, free_port
from tests.e2e.test_serve import index as index  # noqa: PLC0414 - a fixture

if TYPE_CHECKING:
    from pathlib import Path

CHANNEL, AMINA = "C0WARD", "U0AMINA"


@pytest.mark.parametrize("over_http", [False, True])
async def test_it_is_installed_asked_and_left(index: Path, tmp_path: Path, *, over_http: bool) -> None:
    shutil.copy(index, tmp_path / "index.db")
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    async with SlackDouble() as slack, AsyncExitStack() as stack:
        slack.oauth.redirect_uris = [f"{url}/slack/oauth_redirect"]
        slack.oauth.lifetime = 3600
        environment = {
            "HOME": str(tmp_path / "user"),
            "CITEWELL_HOME": str(tmp_path),
            "CITEWELL_EMBEDDER": "none",
            "CITEWELL_RERANKER": "none",
            "CITEWELL_SLACK_API_URL": slack.base_url,
            "CITEWELL_PORT": str(port),
            "CITEWELL_PUBLIC_URL": url,
            "CITEWELL_SLACK_TEAMS": "any",
            "SLACK_CLIENT_ID": slack.oauth.client_id,
            "SLACK_CLIENT_SECRET": slack.oauth.client_secret,
            **({"SLACK_SIGNING_SECRET": slack.signing_secret} if over_http else {"SLACK_APP_TOKEN": slack.app_token}),
        }
        served = await Served.start(tmp_path, environment)
        stack.push_async_callback(served.end)
        await served.says(f"To install it in a workspace: {url}/slack/install")
        slack.request_url = f"{url}/slack/events" if over_http else None
        north, south = a_workspace(NORTH), a_workspace(SOUTH)
        for home in (north, south):
            slack.oauth.choosing = home
            session = await stack.enter_async_context(ClientSession(cookie_jar=CookieJar(unsafe=True)))
            assert (await Browser(session, url).install()).title == WORDS.install.done.title
            event = payloads.mention(CHANNEL, AMINA, f"<@{home.bot}> When is the flu clinic open?", "1764500000.000100")
            assert (await slack.deliver(payloads.of_workspace(payloads.callback(event), home))).ok
            await slack.until(lambda: home.posted(CHANNEL))  # noqa: B023 - waited for at once
        slack.oauth.uninstall(north)
        assert (await slack.deliver(payloads.uninstalled(north, at=int(time.time()) + 60))).ok
        served.signal(signal.SIGTERM)
        assert await served.ended() == 0
        kept = await asyncio.to_thread(
            lambda: {path.name: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
        )
    assert set(kept) == {"index.db", "memory.db", "slack.db", "traces.jsonl"}, "and nothing of Bolt's own"
    everything = b"".join(kept.values())
    assert north.team.encode() not in everything
    assert south.team.encode() in kept["memory.db"]
    assert not any(secret in line for secret in slack.oauth.issued for line in served.lines)


async def test_half_a_set_ends_it_with_what_is_missing(tmp_path: Path) -> None:
    served = await Served.start(tmp_path, {"CITEWELL_HOME": str(tmp_path), "SLACK_CLIENT_ID": "1.2"})
    assert await served.ended() == 1
    assert any("SLACK_CLIENT_SECRET and CITEWELL_SLACK_TEAMS and CITEWELL_PUBLIC_URL" in line for line in served.lines)
