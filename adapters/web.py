"""The HTTP side of `citewell serve`: Slack's requests, whether it lives and can answer, and what it has counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiohttp import web

from adapters.tracing.metrics import CONTENT_TYPE
from adapters.web_access import may_look

if TYPE_CHECKING:
    from adapters.overview import Overview
    from adapters.slack.app import SlackApp
    from adapters.tracing.metrics import Metrics

BODY_LIMIT = 1024 * 1024
"""The largest request taken, in bytes; Slack's own are far smaller."""


def web_app(
    slack: SlackApp | None,
    *,
    overview: Overview,
    metrics: Metrics,
    token: str | None,
    playground: web.Application | None = None,
) -> web.Application:
    """The routes: `/slack/events` where Slack speaks HTTP to us, and for whoever watches `/healthz` (alive), `/readyz`
    (can answer; 503 where not) and `/metrics`.

    What does not run as it should is named, and counts are shown, to this machine and to who has the `token` alone.
    """
    app = web.Application(client_max_size=BODY_LIMIT)

    async def ready(request: web.Request) -> web.Response:
        health = await overview.health()
        body: dict[str, object] = {"ready": health.ready}
        if may_look(request, token):
            body |= {"degraded": list(health.faults), "backends": health.backends, "waiting": health.waiting}
        return web.json_response(body, status=200 if health.ready else 503)

    async def counted(request: web.Request) -> web.Response:
        if not may_look(request, token):
            raise web.HTTPForbidden(text="Look from the machine itself, or with CITEWELL_WEB_TOKEN as a bearer token.")
        return web.Response(body=metrics.exposition(), headers={"Content-Type": CONTENT_TYPE})

    app.router.add_get("/healthz", _alive)
    app.router.add_get("/readyz", ready)
    app.router.add_get("/metrics", counted)
    if playground is not None:
        app.add_subapp("/playground", playground)
    if slack is not None:
        app.router.add_post("/slack/events", slack.handle)
    return app


async def _alive(_: web.Request) -> web.Response:
    return web.json_response({"status": "alive"})
