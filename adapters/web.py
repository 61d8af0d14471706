"""The HTTP side of `citewell serve`: Slack's and Teams' requests, and whether it is alive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiohttp import web

from adapters.slack.credentials import INSTALL_PATH, REDIRECT_PATH

if TYPE_CHECKING:
    from adapters.slack.app import SlackApp
    from adapters.slack.install import Installer
    from adapters.teams.app import TeamsApp

BODY_LIMIT = 1024 * 1024
"""The largest request taken, in bytes; the platforms' own are far smaller."""


def web_app(
    slack: SlackApp | None, installer: Installer | None = None, teams: TeamsApp | None = None
) -> web.Application:
    """The routes: `/healthz` always, `/slack/events` where Slack speaks HTTP to us, those of the `installer`, and
    `/api/messages` for Teams.
    """
    app = web.Application(client_max_size=BODY_LIMIT)
    app.router.add_get("/healthz", _alive)
    if slack is not None:
        app.router.add_post("/slack/events", slack.handle)
    if installer is not None:
        app.router.add_get(INSTALL_PATH, installer.install, allow_head=False)
        app.router.add_get(REDIRECT_PATH, installer.redirected, allow_head=False)
    if teams is not None:
        app.router.add_post("/api/messages", teams.handle)
    return app


async def _alive(_: web.Request) -> web.Response:
    return web.json_response({"status": "alive"})
