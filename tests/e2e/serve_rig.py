"""`citewell serve` as a process of its own, and a gate that holds its turns in flight."""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
import sys
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from aiohttp import ClientSession, web

if TYPE_CHECKING:
    import signal
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

PATIENCE = 90.0
READY = "Citewell answers"
COMMAND = str(Path(sys.executable).with_name("citewell"))
_OURS = ("CITEWELL_", "SLACK_", "TEAMS_", "MICROSOFT_", "ANTHROPIC_", "VOYAGE_")


def clean_environment() -> dict[str, str]:
    """The environment without any setting of ours."""
    return {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}


async def eventually(reached: Callable[[], object]) -> None:
    """Wait until something holds that tells nobody of its changes. TimeoutError if it does not come."""
    async with asyncio.timeout(PATIENCE):
        while not reached():  # noqa: ASYNC110 - see above
            await asyncio.sleep(0.01)


def free_port() -> int:
    """A port on loopback on which nothing listens, of those that the system gives to no outgoing connection.

    So nothing takes it while the process that is to listen there starts.
    """
    while True:
        port = 20_000 + secrets.randbelow(12_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


@dataclass(slots=True)
class Served:
    """One process. `lines` are what it has written to stderr so far."""

    process: asyncio.subprocess.Process
    port: int
    lines: list[str] = field(default_factory=list)
    _reading: asyncio.Task[None] | None = None
    _written: asyncio.Condition = field(default_factory=asyncio.Condition)

    @classmethod
    async def start(cls, folder: Path, environment: Mapping[str, str], *options: str) -> Served:
        """Start it in `folder` with these settings and no others."""
        port = int(environment.get("CITEWELL_PORT") or free_port())
        process = await asyncio.create_subprocess_exec(
            *(COMMAND, "serve", *options),
            cwd=folder,
            env={**clean_environment(), "CITEWELL_PORT": str(port), **environment},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        served = cls(process, port)
        served._reading = asyncio.create_task(served._read())
        return served

    async def ready(self) -> None:
        """Wait until it says that it answers."""
        await self.says(READY)

    async def says(self, words: str) -> None:
        """Wait until a line holds these words. AssertionError, with all it wrote, if it ends first."""
        async with asyncio.timeout(PATIENCE), self._written:
            await self._written.wait_for(lambda: self._has(words) or self._over())
        assert self._has(words), self.lines

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal."""
        self.process.send_signal(number)

    async def ended(self) -> int:
        """Wait until it has ended and say with which code."""
        async with asyncio.timeout(PATIENCE):
            code = await self.process.wait()
            assert self._reading is not None
            await self._reading
        return code

    async def end(self) -> None:
        """Make sure that it is gone."""
        if self.process.returncode is None:
            self.process.kill()
        await self.ended()

    def _has(self, words: str) -> bool:
        return any(words in line for line in self.lines)

    def _over(self) -> bool:
        return self._reading is not None and self.process.stderr is not None and self.process.stderr.at_eof()

    async def _read(self) -> None:
        assert self.process.stderr is not None
        async for line in self.process.stderr:
            self.lines.append(line.decode().rstrip())
            await self._notify()
        await self._notify()

    async def _notify(self) -> None:
        async with self._written:
            self._written.notify_all()


@dataclass(slots=True)
class Gate:
    """Stands before a server: a request that reaches it goes on once it is open."""

    url: str
    reached: asyncio.Event = field(default_factory=asyncio.Event)
    opened: asyncio.Event = field(default_factory=asyncio.Event)


@asynccontextmanager
async def gate(target: str) -> AsyncIterator[Gate]:
    """A closed gate before the server at `target`."""
    held = Gate("")

    async def wait() -> None:
        held.reached.set()
        await held.opened.wait()

    async with before(target, wait) as held.url:
        try:
            yield held
        finally:
            held.opened.set()


@asynccontextmanager
async def before(target: str, wait: Callable[[], Awaitable[object]]) -> AsyncIterator[str]:
    """A server that hands every request on to the one at `target`, once it has waited so."""
    async with ClientSession() as session:

        async def forward(request: web.Request) -> web.Response:
            await wait()
            headers = {name: value for name, value in request.headers.items() if name.lower() != "host"}
            body = await request.read()
            async with session.request(request.method, target + request.path_qs, data=body, headers=headers) as got:
                return web.Response(status=got.status, body=await got.read(), content_type=got.content_type)

        application = web.Application()
        application.router.add_route("*", "/{path:.*}", forward)
        runner = web.AppRunner(application, access_log=None, shutdown_timeout=1.0)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        host, port = runner.addresses[0][:2]
        try:
            yield f"http://{host}:{port}"
        finally:
            await runner.cleanup()
