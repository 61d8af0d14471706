"""The HTTP side of `citewell serve`: Slack's requests, and whether it is alive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiohttp import web

from adapters.slack.credentials import INSTALL_PATH, REDIRECT_PATH

if TYPE_CHECKING:
    from adapters.slack.app import SlackApp
    from adapters.slack.install import Installer

BODY_LIMIT = 1024 * 1024
"""The largest request taken, in bytes; Slack's own are far smaller."""


def web_app(slack: SlackApp | None, installer: Installer | None = None) -> web.Application:
    """The routes: `/healthz` always, `/slack/events` where Slack speaks HTTP to us, and those of the `installer`."""
    app = web.Application(client_max_size=BODY_LIMIT)
    app.router.add_get("/healthz", _alive)
    if slack is not None:
        app.router.add_post("/slack/events", slack.handle)
    if installer is not None:
        app.router.add_get(INSTALL_PATH, installer.install, allow_head=False)
        app.router.add_get(REDIRECT_PATH, installer.redirected, allow_head=False)
    return app


async def _alive(_: web.Request) -> web.Response:
    return web.json_response({"status": "alive"})
