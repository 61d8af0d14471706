"""A service that look-ups ask, on a socket of its own: it says what the test has put there, for whatever is asked."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web


@dataclass
class ServiceDouble:
    """`says` is given as JSON unless it is bytes. `asked` are the raw paths and the headers that came.

    While `hangs`, it begins nothing. It is used as `async with`, and `url` stands from then on.
    """

    says: Any = None
    status: int = 200
    content_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    hangs: bool = False
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    url: str = ""

    async def __aenter__(self) -> ServiceDouble:
        application = web.Application()
        application.router.add_route("*", "/{rest:.*}", self._answer)
        self._closing = asyncio.Event()
        self._runner = web.AppRunner(application, access_log=None, shutdown_timeout=1.0, handler_cancellation=True)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        host, port = self._runner.addresses[0][:2]
        self.url = f"http://{host}:{port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._closing.set()
        await self._runner.cleanup()

    async def _answer(self, request: web.Request) -> web.Response:
        self.asked.append((f"{request.method} {request.raw_path}", dict(request.headers)))
        if self.hangs:
            await self._closing.wait()
        body = self.says if isinstance(self.says, bytes) else json.dumps(self.says).encode()
        headers = {"Content-Type": self.content_type, **self.headers}
        return web.Response(body=body, status=self.status, headers=headers)
