"""The connections that the clients of all workspaces share."""

from __future__ import annotations

from aiohttp import web
from aiohttp.test_utils import TestServer

from adapters.slack.client import slack_session, web_client


async def test_calls_of_several_workspaces_share_a_connection_and_no_cookie() -> None:
    ports: set[int] = set()
    cookies: list[str] = []

    async def answer(request: web.Request) -> web.Response:
        assert request.transport is not None
        ports.add(request.transport.get_extra_info("peername")[1])
        cookies.extend(request.cookies.values())
        reply = web.json_response({"ok": True})
        reply.set_cookie("d", request.headers["Authorization"])
        return reply

    app = web.Application()
    app.router.add_post("/api/{method}", answer)
    async with TestServer(app) as server, slack_session() as session:
        for token in ("xoxb-1", "xoxb-2"):
            client = web_client(token, base_url=f"http://localhost:{server.port}/api/", session=session)
            await client.api_test()
            await client.api_test()
    assert len(ports) == 1
    assert not cookies
