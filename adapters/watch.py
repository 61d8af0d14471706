"""What whoever watches the service asks over HTTP: whether it can answer, and what it has counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiohttp import web

from adapters.tracing.metrics import CONTENT_TYPE
from adapters.web_access import may_look

if TYPE_CHECKING:
    from adapters.overview import Overview
    from adapters.tracing.metrics import Metrics


def add_watch(app: web.Application, *, overview: Overview, metrics: Metrics, token: str | None) -> None:
    """Add `/readyz` (can answer; 503 where not) and `/metrics`.

    What does not run as it should is named, and counts are shown, to this machine and to who has the `token` alone.
    """

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

    app.router.add_get("/readyz", ready)
    app.router.add_get("/metrics", counted)
