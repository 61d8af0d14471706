"""Teams' adapter with the real dispatcher and memory, a scripted engine, and the double at the other end."""

from __future__ import annotations

import asyncio
import time
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import aiohttp
from aiohttp import web

from adapters.dispatch import Courier, Dispatcher
from adapters.sources import Sources, answering_sources
from adapters.teams.activities import PLATFORM
from adapters.teams.answers import Answers
from adapters.teams.app import TeamsApp
from adapters.teams.auth import Gate, Rules
from adapters.teams.bot_framework import BotFramework
from adapters.teams.boxes import Sturdy
from adapters.teams.connector import Connector, NoTokens
from adapters.teams.delivery import TeamsDelivery
from adapters.teams.edits import Edits
from adapters.teams.keys import OpenId, SigningKeys
from adapters.teams.streams import Streams
from adapters.teams.users import Users
from adapters.waits import Waits
from adapters.web import web_app
from bot.access import by_person
from bot.turn import Memories
from bot.wording import wording
from memory.file import MemoryFile
from memory.inbox import RamInbox, SqliteInbox
from memory.outbox import RamOutbox, SqliteOutbox
from memory.ram import RamMemory
from memory.sqlite import SqliteMemory
from tests.doubles.teams import APP, TENANT
from tests.doubles.teams.openid import ISSUER
from tests.e2e.slack_rig import LINKED, UNLINKED, Door, Engine, Shelf

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Collection
    from pathlib import Path

    from memory.outbox import Outbox
    from tests.doubles.teams import TeamsDouble


class StaticToken(NoTokens):
    """The one that the double asks for, until it is refused."""

    def __init__(self, token: str) -> None:
        self.token = token
        self.dropped = 0

    async def __call__(self) -> str:
        return self.token

    def drop(self) -> None:
        self.dropped += 1


@dataclass(slots=True)
class Rig:
    """Everything a test may look at or turn."""

    teams: TeamsDouble
    dispatcher: Dispatcher
    door: Door
    memories: Memories
    engine: Engine
    shelf: Shelf
    app: TeamsApp
    delivery: TeamsDelivery
    box: Outbox
    file: MemoryFile
    waits: list[float]
    clock: list[float]

    async def settled(self) -> None:
        """Wait until nothing waits or runs any more."""
        async with asyncio.timeout(10):
            while self.dispatcher.busy or self.app.busy:  # noqa: ASYNC110 - neither tells its changes
                await asyncio.sleep(0.002)


@asynccontextmanager
async def running(
    teams: TeamsDouble,
    home: Path,
    *,
    app_id: str = APP,
    tenant: str = TENANT,
    any_tenant: bool = False,
    hosts: Collection[str] = ("127.0.0.1",),
    patience: float = 5.0,
    stream_after: float = 0.0,
    moment: float = 5.0,
    resume: bool = False,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> AsyncIterator[Rig]:
    """The adapter on a free port, and the double sends there."""
    async with AsyncExitStack() as stack:
        words = wording()
        session = await stack.enter_async_context(aiohttp.ClientSession())
        connector = Connector(session, StaticToken(teams.token), hosts, patience=patience)
        file = MemoryFile(home / "memory.db")
        stack.push_async_callback(file.close)
        memories = Memories(SqliteMemory(file), RamMemory())
        engine, shelf = Engine(memories), Shelf([LINKED, UNLINKED])
        engine.gate.set()
        sources = Sources(memories, shelf, by_person)
        waits: list[float] = []
        clock = [time.monotonic()]

        async def no_wait(seconds: float) -> None:
            waits.append(seconds)

        dispatcher = Dispatcher(
            answering_sources(engine.respond, sources, words),
            durable=SqliteInbox(file),
            ephemeral=RamInbox(),
            on_failure=engine.failure,
            clock=now,
            courier=Courier(sleep=no_wait, deadline=patience + 5),
        )
        door = Door(dispatcher)
        door.gate.set()
        box = Sturdy(SqliteOutbox(file), RamOutbox())
        keys = SigningKeys(OpenId(session, teams.openid_url, patience=patience), lambda: clock[0])
        stack.push_async_callback(keys.close)
        sdk = BotFramework(Gate(Rules(app_id, tenant, ISSUER, hosts, any_tenant=any_tenant), keys), connector)
        streams = Streams(sdk, delay=stream_after)
        users = Users(connector, time.monotonic, tenant=tenant, moment=moment)
        stack.push_async_callback(users.close)
        delivery = TeamsDelivery(
            sdk,
            words,
            durable=box,
            guests=RamOutbox(),
            now=now,
            streams=streams,
            platform_id=users.platform_id,
            alone=Waits(tries=3, first=1.5, most=1.5, sleep=no_wait),
        )
        dispatcher.register(PLATFORM, delivery)
        app = TeamsApp(
            sdk=sdk,
            local=not app_id,
            delivery=delivery,
            dispatcher=door,
            users=users,
            answers=Answers(dispatcher=door, sources=sources, memories=memories, words=words, now=now),
            edits=Edits(dispatcher, memories),
            words=words,
            now=now,
            waits=Waits(tries=3, sleep=no_wait),
        )
        stack.push_async_callback(app.close)
        teams.endpoint = await stack.enter_async_context(served(app))
        stack.push_async_callback(dispatcher.drain, 5.0)
        if resume:
            await dispatcher.resume()
        yield Rig(teams, dispatcher, door, memories, engine, shelf, app, delivery, box, file, waits, clock)


@asynccontextmanager
async def served(app: TeamsApp) -> AsyncIterator[str]:
    """The app's HTTP side on a free port; gives the address of its messages."""
    runner = web.AppRunner(web_app(None, teams=app), access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0][:2]
    try:
        yield f"http://{host}:{port}/api/messages"
    finally:
        await runner.cleanup()
