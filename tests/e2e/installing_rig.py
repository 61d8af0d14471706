"""An app that many workspaces install, as the settings wire it, and browsers that people install it with."""

from __future__ import annotations

import asyncio
import re
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from html import unescape
from typing import TYPE_CHECKING

from aiohttp import ClientSession, CookieJar, web

from adapters.installing import in_slack
from adapters.settings import Settings
from adapters.slack.installed import InstalledWorkspaces
from adapters.web import web_app
from bot.wording import wording
from tests.doubles.slack import Workspace
from tests.e2e.serve_rig import free_port
from tests.e2e.slack_rig import running

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.doubles.slack import SlackDouble
    from tests.e2e.slack_rig import Mode, Rig

WORDS = wording()
NORTH = "T0NORTH", "U0NORTHBOT", "B0NORTHBOT"
SOUTH = "T0SOUTH", "U0SOUTHBOT", "B0SOUTHBOT"
TRUST = "E0TRUST"


def a_workspace(ids: tuple[str, str, str], enterprise: str | None = None) -> Workspace:
    """One of the above, with the app's own user there."""
    team, bot, bot_id = ids
    return Workspace(team, bot=bot, bot_id=bot_id, enterprise=enterprise)


@dataclass(frozen=True, slots=True)
class Page:
    """What a browser got."""

    status: int
    text: str
    headers: dict[str, str]

    @property
    def title(self) -> str:
        found = re.search(r"<h1>(.*?)</h1>", self.text)
        return unescape(found[1]) if found else ""

    @property
    def link(self) -> str:
        found = re.search(r'<a href="([^"]+)"', self.text)
        assert found, self.text
        return unescape(found[1])


@dataclass(slots=True)
class Browser:
    """Keeps cookies, and follows a redirect only when told to."""

    session: ClientSession
    url: str

    async def get(self, address: str) -> Page:
        async with self.session.get(address, allow_redirects=False) as got:
            return Page(got.status, await got.text(), dict(got.headers))

    async def begin(self) -> Page:
        return await self.get(f"{self.url}/slack/install")

    async def agree(self) -> str:
        """Begin, agree in Slack, and say where Slack leads back to."""
        return (await self.get((await self.begin()).link)).headers["Location"]

    async def install(self) -> Page:
        return await self.get(await self.agree())


@dataclass(slots=True)
class Installing:
    """`rig` is the running adapter; `url` is where it is installed from."""

    slack: SlackDouble
    rig: Rig
    home: Path
    url: str
    workspaces: InstalledWorkspaces
    stack: AsyncExitStack

    async def browser(self) -> Browser:
        session = await self.stack.enter_async_context(ClientSession(cookie_jar=CookieJar(unsafe=True)))
        return Browser(session, self.url)

    async def install(self, workspace: Workspace, *, org_wide: bool = False) -> Page:
        self.slack.oauth.choosing, self.slack.oauth.org_wide = workspace, org_wide
        return await (await self.browser()).install()


@asynccontextmanager
async def installing(
    slack: SlackDouble, mode: Mode, home: Path, *, teams: str = "any", client_secret: str | None = None
) -> AsyncIterator[Installing]:
    """The adapter where nobody has installed it yet, unless `home` says otherwise."""
    async with AsyncExitStack() as stack:
        port = free_port()
        url = f"http://127.0.0.1:{port}"
        oauth = slack.oauth
        oauth.redirect_uris = [f"{url}/slack/oauth_redirect"]
        settings = await asyncio.to_thread(
            Settings.load,
            home=home,
            SLACK_CLIENT_ID=oauth.client_id,
            SLACK_CLIENT_SECRET=client_secret or oauth.client_secret,
            slack_teams=teams,
            public_url=url,
            slack_api_url=slack.base_url,
        )
        spoken_in = await in_slack(settings, WORDS, stack)
        assert isinstance(spoken_in.workspaces, InstalledWorkspaces)
        rig = await stack.enter_async_context(running(slack, mode, home, spoken_in=spoken_in))
        runner = web.AppRunner(web_app(None, spoken_in.installer), access_log=None)
        await runner.setup()
        stack.push_async_callback(runner.cleanup)
        await web.TCPSite(runner, "127.0.0.1", port).start()
        yield Installing(slack, rig, home, url, spoken_in.workspaces, stack)
