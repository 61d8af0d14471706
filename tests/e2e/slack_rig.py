"""Slack's adapter with the real dispatcher and memory, a scripted engine, and the double at the other end."""

from __future__ import annotations

import asyncio
import time
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from aiohttp import web

from adapters.app import utc_now
from adapters.dispatch import Courier, Dispatcher
from adapters.forgetting import Forgetter, answering_forget
from adapters.ingest_history import IngestHistory
from adapters.installing import InSlack
from adapters.intake import Intake
from adapters.offered import Permission
from adapters.overview import Overview
from adapters.slack.alerts import Alerts
from adapters.slack.app import SlackApp
from adapters.slack.app_home import AppHome
from adapters.slack.client import identify, web_client
from adapters.slack.delivery import SlackDelivery
from adapters.slack.intake import SlackIntake
from adapters.slack.leaving import Leaving
from adapters.slack.localities import Localities
from adapters.slack.pace import Pace
from adapters.slack.threads import Threads
from adapters.slack.users import Users
from adapters.slack.workspaces import OneWorkspace, Workspace
from adapters.sources import Sources, answering_sources
from adapters.topics import Topics
from adapters.uploads import Uploads
from adapters.web import web_app
from bot.access import PlaceAccess, Shelving, by_person
from bot.messages import Reply, Resource, Show, Source, TurnKind
from bot.switches import Switches
from bot.turn import Memories
from bot.wording import wording
from memory.file import MemoryFile
from memory.inbox import RamInbox, SqliteInbox
from memory.ram import RamMemory
from memory.sqlite import SqliteMemory
from memory.turn import Turn
from retrieval.document import Document, Passage
from retrieval.evidence import Hit
from retrieval.grade import Grader
from retrieval.ram_index import RamIndex
from retrieval.search import Searcher

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Collection, Sequence
    from pathlib import Path

    from adapters.slack.delivery import Privately
    from bot.messages import IncomingMessage
    from bot.wording import Wording
    from tests.doubles.slack import SlackDouble

Mode = Literal["socket", "http"]
WORDS = wording()

LINKED = Source(
    n=1,
    id="visiting#0",
    title="Visiting hours",
    url="https://clinic.example/visiting",
    locator="page 3",
    quote="Visitors are welcome from 2 to 8 pm.",
    found_by=("keyword", "vector"),
    rank=1,
    rank_before_rerank=2,
)
UNLINKED = replace(LINKED, n=2, id="flu#4", title="Flu clinic", url=None, locator="", quote="The flu clinic is open.")
FACT = Reply(TurnKind.FACT, "Visitors are **welcome** from 2 to 8 pm. [1]", "t1", (LINKED, UNLINKED), confidence=0.9)
LINE = Resource("Samaritans", phone="116 123", url="https://www.samaritans.org", hours="24 hours", country="GB")
CRISIS = Reply(TurnKind.CRISIS, "Please talk to someone now.", "t2", resources=(LINE,), private=True)
CRISIS_ALERTED = replace(CRISIS, if_alerted="Someone here has been told.")


@dataclass(slots=True)
class Engine:
    """Answers every message with `reply`, once `gate` is open, and remembers the turn, as the real one does."""

    memories: Memories
    reply: Reply = FACT
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    asked: list[IncomingMessage] = field(default_factory=list)

    async def respond(self, message: IncomingMessage, show: Show | None = None) -> Reply:
        assert show is None, "Slack posts an answer once"
        self.asked.append(message)
        await self.gate.wait()
        crisis = self.reply.kind is TurnKind.CRISIS
        turn = Turn(
            conversation=message.conversation,
            author=message.author.id,
            kind=self.reply.kind,
            at=datetime.now(UTC),
            message=message.key,
            trace_id=self.reply.trace_id,
            question="" if crisis else message.text,
            text="" if crisis else self.reply.text,
            sources=() if crisis else self.reply.sources,
        )
        await self.memories.of(guest=message.author.guest).record(turn)
        return self.reply

    def failure(self, message: IncomingMessage, error: BaseException) -> Reply:
        return Reply(TurnKind.ERROR, f"broken: {type(error).__name__}", "t0")


@dataclass(slots=True)
class Door:
    """The dispatcher behind a door that a test may hold shut, or that breaks with `fault`."""

    dispatcher: Dispatcher
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    reached: asyncio.Event = field(default_factory=asyncio.Event)
    fault: Exception | None = None

    async def accept(self, message: IncomingMessage) -> bool:
        self.reached.set()
        await self.gate.wait()
        if self.fault is not None:
            raise self.fault
        return await self.dispatcher.accept(message)

    async def knows(self, key: str) -> bool:
        return await self.dispatcher.knows(key)

    async def amend(self, message: IncomingMessage) -> bool:
        return await self.dispatcher.amend(message)

    async def withdraw(self, matches: Callable[[str], bool], *, spare_at_risk: bool = False) -> None:
        await self.dispatcher.withdraw(matches, spare_at_risk=spare_at_risk)

    async def finished(self, matches: Callable[[str], bool]) -> None:
        await self.dispatcher.finished(matches)


class Shelf:
    """Passages by id and the collection each belongs to; the part of an index that Slack needs.

    Nothing is found before the gate is open, or while there is an `error`.
    """

    def __init__(self, sources: Sequence[Source]) -> None:
        self.gate = asyncio.Event()
        self.gate.set()
        self.error: Exception | None = None
        self.collections = {source.id: "public" for source in sources}
        self._sources = {source.id: source for source in sources}

    async def passages(self, ids: Collection[str], *, collections: Collection[str] | None = None) -> Sequence[Hit]:
        await self.gate.wait()
        if self.error is not None:
            raise self.error
        seen = [one for one in ids if one in self.collections]
        return [_hit(self._sources[one]) for one in seen if collections is None or self.collections[one] in collections]

    async def passages_of(self, document_id: str) -> Sequence[Passage]:
        """Each passage between two others."""
        return [
            replace(passage, id=f"{passage.id}{beside}", text=f"{beside} {passage.id}", span=span)
            if beside
            else passage
            for passage in (_hit(one).passage for one in self._sources.values())
            if passage.document_id == document_id
            for beside, span in (("before", (0, 100)), ("", passage.span), ("after", (200, 300)))
        ]


@dataclass(slots=True)
class Rig:
    """Everything a test may look at or turn."""

    slack: SlackDouble
    dispatcher: Dispatcher
    door: Door
    memories: Memories
    engine: Engine
    shelf: Shelf
    app: SlackApp
    file: MemoryFile
    waits: list[float]

    async def settled(self) -> None:
        """Wait until nothing waits or runs any more."""
        async with asyncio.timeout(10):
            while self.dispatcher.busy:  # noqa: ASYNC110 - the dispatcher tells its state, not its changes
                await asyncio.sleep(0.002)


@asynccontextmanager
async def running(
    slack: SlackDouble,
    mode: Mode,
    home: Path,
    *,
    ping_interval: float = 10,
    privately: Privately = "ephemeral",
    alert: str | None = None,
    alert_patience: float = 5,
    spoken_in: InSlack | None = None,
) -> AsyncIterator[Rig]:
    """The adapter, connected to the double: in its one workspace, or wherever else is given."""
    async with AsyncExitStack() as stack:
        words = WORDS
        if spoken_in is None:
            client = web_client(slack.bot_token, base_url=slack.base_url)
            spoken_in = InSlack(client, OneWorkspace(Workspace(await identify(client), client)))
        client, workspaces = spoken_in.client, spoken_in.workspaces
        file = MemoryFile(home / "memory.db")
        stack.push_async_callback(file.close)
        memories = Memories(SqliteMemory(file), RamMemory())
        engine, shelf = Engine(memories), Shelf([LINKED, UNLINKED])
        engine.gate.set()
        sources = Sources(memories, shelf, by_person)
        waits: list[float] = []

        inbox, ephemeral = SqliteInbox(file), RamInbox()
        forgetter = Forgetter((memories.durable, memories.guests), inbox, guests=ephemeral)

        async def no_wait(seconds: float) -> None:
            waits.append(seconds)

        dispatcher = Dispatcher(
            answering_forget(answering_sources(engine.respond, sources, words), forgetter, words),
            durable=inbox,
            ephemeral=ephemeral,
            on_failure=engine.failure,
            clock=lambda: datetime.now(UTC),
            courier=Courier(sleep=no_wait),
        )
        door = Door(dispatcher)
        door.gate.set()
        alerts = Alerts(workspaces, alert, words.alert, patience=alert_patience, sleep=no_wait) if alert else None
        delivery = SlackDelivery(workspaces, words, privately=privately, alerts=alerts, pace=_unhurried())
        dispatcher.register("slack", delivery)
        if alerts is not None:
            stack.push_async_callback(alerts.close)
        stack.push_async_callback(dispatcher.drain, 5.0)
        intake = Intake(
            RamIndex(),
            Uploads(home),
            Permission(),
            words,
            clock=utc_now,
            collections=(),
            public=("public",),
            seconds=30,
            history=IngestHistory(home),
        )
        access = PlaceAccess(Shelving())
        localities = Localities(
            workspaces, SlackIntake(delivery.outlet, delivery, words), access, intake, time.monotonic
        )
        stack.push_async_callback(localities.close)
        users, threads = Users(time.monotonic, shared=localities.shared), Threads(memories)
        app = SlackApp(
            client=client,
            workspaces=workspaces,
            dispatcher=door,
            leaving=Leaving(workspaces, forgetter, (users.forget, threads.forget, localities.forget), intake.leave),
            localities=localities,
            users=users,
            threads=threads,
            sources=sources,
            memories=memories,
            intake=intake,
            home=_home(forgetter, words, await asyncio.to_thread(Grader.fitted)),
            forgetter=forgetter,
            words=words,
            now=lambda: datetime.now(UTC),
            app_token=slack.app_token if mode == "socket" else None,
            signing_secret=slack.signing_secret if mode == "http" else None,
            ping_interval=ping_interval,
        )
        stack.push_async_callback(app.close)
        await app.start()
        if mode == "http":
            slack.request_url = await stack.enter_async_context(served(app))
        yield Rig(slack, dispatcher, door, memories, engine, shelf, app, file, waits)


def _home(forgetter: Forgetter, words: Wording, grader: Grader) -> AppHome:
    """Over no documents, without operators: tests of the page serve the whole product."""
    index = RamIndex()
    return AppHome(
        overview=Overview(index, "", RamInbox().waiting, by_meaning=False),
        topics=Topics(index, Searcher(index, None, grader), words.prompts.about, lambda: datetime.now(UTC)),
        forgetter=forgetter,
        switches=Switches(),
        words=words,
        access=by_person,
    )


@asynccontextmanager
async def served(app: SlackApp) -> AsyncIterator[str]:
    """The app's HTTP side on a free port; gives its events URL."""
    routes = web_app(app)
    runner = web.AppRunner(routes, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0][:2]
    try:
        yield f"http://{host}:{port}/slack/events"
    finally:
        await runner.cleanup()


def _unhurried() -> Pace:
    """As the real one, but that no time passes."""
    return Pace(interval=0, patience=3600, sleep=lambda _: asyncio.sleep(0))


def _hit(source: Source) -> Hit:
    document = Document(source.id.partition("#")[0], source.title, "", "public", "", url=source.url)
    passage = Passage(source.id, document.id, 0, f"Before. {source.quote} After.", "", (), (100, 200), source.locator)
    return Hit(passage, document, 0.0, 1, 1)
