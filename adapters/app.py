"""The composition root: the only place that wires parts together."""

from __future__ import annotations

import asyncio
import logging
import os
import uuid
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from adapters.backends import (
    choose_claude,
    choose_embedder,
    choose_entailment,
    choose_grader,
    choose_index,
    choose_meaning,
    choose_proposer,
    choose_reranker,
    choose_search_helpers,
    choose_second_look,
    choose_spare_reranker,
    choose_summary_writer,
    choose_voyage,
    choose_writers,
    small_claude,
)
from adapters.console import PLATFORM as CONSOLE
from adapters.dispatch import Dispatcher
from adapters.files import answering_files
from adapters.forgetting import Forgetter, answering_forget
from adapters.ingest_history import IngestHistory
from adapters.intake import Intake
from adapters.live import Live
from adapters.lookups.opened import Opened
from adapters.playground import PLATFORM as PLAYGROUND
from adapters.settings import environment
from adapters.sources import Sources, answering_sources
from adapters.tracing.traces import Traces, words_until
from adapters.uploads import Uploads
from bot.access import PlaceAccess
from bot.aftercare import plain_question
from bot.asking_on import asking_on
from bot.courtesy import courtesy
from bot.crisis import lines_for
from bot.crisis_file import bundled
from bot.extractive import ExtractiveAnswerer
from bot.language import LANGUAGES
from bot.lookup import Registry
from bot.lookups import Lookups
from bot.own_people import own_people
from bot.safety import assess
from bot.settings import TurnSettings
from bot.summary import Summaries
from bot.turn import Engine, Memories
from bot.wording import crisis_words, wording
from memory.file import MemoryFile
from memory.inbox import RamInbox, SqliteInbox
from memory.ram import RamMemory
from memory.sqlite import SqliteMemory
from retrieval.absent_index import AbsentIndex
from retrieval.errors import RetrievalError
from retrieval.search import Searcher

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date

    from adapters.settings import Settings
    from bot.answerer import Answerer
    from bot.claude_api import Claude
    from bot.messages import Resource, Respond
    from bot.wording import Wording
    from memory.inbox import Inbox
    from memory.store import Memory
    from retrieval.embed import Embedder
    from retrieval.grade import Grader
    from retrieval.index import Index
    from retrieval.rerank import Reranker
    from retrieval.search import PipelineSettings
    from retrieval.voyage_api import Voyage

logger = logging.getLogger(__name__)


def utc_now() -> datetime:
    """The time, with its zone."""
    return datetime.now(UTC)


def short_id() -> str:
    """A trace's id: short enough to be read out on the telephone."""
    return uuid.uuid4().hex[:12]


@dataclass(frozen=True, slots=True)
class Application:
    """The parts, wired. `close` lets go of them in turn; it is used as `async with`."""

    live: Live
    index: Index
    embedder: Embedder | None
    reranker: Reranker | None
    searcher: Searcher
    access: PlaceAccess
    sources: Sources
    forgetter: Forgetter
    intake: Intake
    dispatcher: Dispatcher
    inbox: Inbox
    memory_file: MemoryFile
    claude: Claude | None
    voyage: Voyage | None
    grader: Grader
    history: IngestHistory
    traces: Traces
    opened: AsyncExitStack

    async def __aenter__(self) -> Application:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def settings(self) -> Settings:
        """Those in force."""
        return self.live.settings

    @property
    def engine(self) -> Engine:
        """What answers now. It is another one after settings have been read again, so ask anew for each turn."""
        return self.live.engine

    @property
    def backends(self) -> str:
        """What was chosen for each stage, in a line for the operator."""
        chosen = (
            ("Index", self.index),
            ("Embedder", self.embedder),
            ("Reranker", self.reranker),
            ("Answers", self.engine.answerer),
        )
        return " ".join(f"{stage}: {backend.name if backend else 'none'}." for stage, backend in chosen)

    @property
    def respond(self) -> Respond:
        """What every platform asks."""
        return _answering(self.live.respond, self.engine, self.sources, self.forgetter, self.intake)

    def answering(self, engine: Engine) -> Respond:
        """The same over another engine."""
        return _answering(engine.respond, engine, self.sources, self.forgetter, self.intake)

    async def close(self) -> None:
        """Close the files and the connections to servers, all of them even where one fails to close."""
        await self.opened.aclose()


async def build(
    settings: Settings,
    *,
    clock: Callable[[], datetime] = utc_now,
    new_id: Callable[[], str] = short_id,
    pipeline: PipelineSettings | None = None,
    re_embed: bool = False,
    needs_index: bool = True,
    answerer: Answerer | None = None,
    index: Index | None = None,
) -> Application:
    """Everything that answers, on one index and one memory. Nothing is read from a model before it is needed.

    `answerer` and `index` stand in for those that the settings choose. Without `needs_index`, an index that cannot be
    opened is logged and costs what needs it: a person in crisis is still answered. Raises `Misconfigured`,
    `RetrievalError` or `MemoryUnavailable`, each saying how to mend it.
    """
    async with AsyncExitStack() as opened:  # closes what is open where a later choice cannot be made
        await asyncio.to_thread(read_own_files, settings.language)
        people = await asyncio.to_thread(people_of, settings, clock().date())
        voyage = await asyncio.to_thread(choose_voyage, settings)
        if voyage is not None:
            opened.push_async_callback(voyage.aclose)
        embedder = await choose_embedder(settings, voyage)
        grader = await asyncio.to_thread(choose_grader, settings, embedder)
        claude = await asyncio.to_thread(choose_claude, settings)
        if claude is not None:
            opened.push_async_callback(claude.aclose)
        small = await asyncio.to_thread(small_claude, claude, settings)
        entailment = await asyncio.to_thread(choose_entailment, settings, small)
        hypothetical, query_rewriter = await asyncio.to_thread(choose_search_helpers, small)
        index = index or await _index(settings, embedder, re_embed=re_embed, required=needs_index)
        opened.push_async_callback(index.close)
        reranker = await choose_reranker(settings, voyage, small, index)
        spare = await choose_spare_reranker(reranker, index)

        def today() -> date:
            return clock().date()

        searcher = Searcher(
            index,
            embedder,
            grader,
            reranker=reranker,
            spare=spare,
            writer=hypothetical,
            rewriter=query_rewriter,
            patience=settings.within_turn(5),
            today=today,
        )
        second_look = await asyncio.to_thread(choose_second_look, settings, small)
        extractive = ExtractiveAnswerer(index)
        writer, rewriter = await asyncio.to_thread(choose_writers, settings, claude, extractive)
        memory_file = MemoryFile(settings.memory_path, busy_seconds=settings.within_turn(5))
        opened.push_async_callback(memory_file.close)
        kept, inbox, guests = SqliteMemory(memory_file), SqliteInbox(memory_file), RamMemory()
        memories = Memories(durable=kept if settings.keep_days else RamMemory(), guests=guests)
        ephemeral = RamInbox()
        traces = await asyncio.to_thread(Traces.chosen, settings)
        opened.push_async_callback(traces.close)
        stores: tuple[Memory, ...] = tuple(dict.fromkeys((kept, memories.durable, guests)))
        lookups = await _lookups(settings, small, today, opened)

        def forget_words() -> None:
            traces.ring.forget_words()
            lookups.forget()

        forgetter = Forgetter(stores, inbox, guests=ephemeral, also=forget_words)
        summary_writer = await asyncio.to_thread(choose_summary_writer, settings, small)
        summaries = Summaries(summary_writer, budget_tokens=settings.replay_tokens)
        opened.push_async_callback(summaries.settle)
        access = PlaceAccess(settings.shelving, own={CONSOLE, PLAYGROUND})
        engine = Engine(
            searcher=searcher,
            index=index,
            answerer=answerer or writer,
            fallback=extractive,
            rewriter=rewriter,
            memories=memories,
            wording=wording(settings.language),
            settings=turn_settings(settings, people),
            pipeline=pipeline or settings.pipeline,
            clock=clock,
            new_id=new_id,
            entailment=entailment,
            summarise=summaries.grow,
            second_look=second_look,
            meaning=await asyncio.to_thread(choose_meaning, settings),
            keep=traces.keep,
            may_keep_words=words_until(settings.trace_words_until, clock),
            access=access,
            lookups=lookups,
        )
        sources = Sources(memories, index, access, today, lookups)
        history = IngestHistory(settings.home)
        intake = _intake(settings, index, engine.wording, clock, history)
        live = Live(settings, engine)
        dispatcher = Dispatcher(
            _answering(live.respond, engine, sources, forgetter, intake),
            durable=inbox,
            ephemeral=ephemeral,
            on_failure=live.failure,
            clock=clock,
            concurrency=settings.concurrency if claude is not None else _computed_at_once(settings.concurrency),
            deadline=settings.turn_deadline,
            many=2 * settings.concurrency,
            most=settings.most_waiting,
        )
        return Application(
            live,
            index,
            embedder,
            reranker,
            searcher,
            access,
            sources,
            forgetter,
            intake,
            dispatcher,
            inbox,
            memory_file,
            claude,
            voyage,
            grader,
            history,
            traces,
            opened.pop_all(),
        )


async def _lookups(
    settings: Settings, small: Claude | None, today: Callable[[], date], opened: AsyncExitStack
) -> Lookups:
    secrets = await asyncio.to_thread(environment) if settings.lookups else {}
    looking = await Opened.of(settings.lookups, settings.home.expanduser(), today=today, variables=secrets)
    opened.callback(looking.close)
    proposer = await asyncio.to_thread(choose_proposer, settings, small)
    return Lookups(Registry(looking.all), wording(settings.language), proposer)


def _answering(respond: Respond, engine: Engine, sources: Sources, forgetter: Forgetter, intake: Intake) -> Respond:
    """An engine's `respond`, with files, "sources" and "forget this conversation" seen to before it."""
    respond = answering_sources(respond, sources, engine.wording)
    respond = answering_forget(respond, forgetter, engine.wording)
    return answering_files(respond, intake, engine.assess)


def turn_settings(settings: Settings, people: tuple[Resource, ...]) -> TurnSettings:
    """What a turn is told of the settings."""
    return TurnSettings(
        country=settings.country,
        people=people,
        passages=settings.passages,
        replay_tokens=settings.replay_tokens,
        question_limit=settings.question_limit,
    )


def _intake(
    settings: Settings, index: Index, words: Wording, clock: Callable[[], datetime], history: IngestHistory
) -> Intake:
    """It gets three quarters of a turn, so that there is time left to say how it went."""
    return Intake(
        index,
        Uploads(settings.home),
        settings.permission,
        words,
        clock=clock,
        collections=settings.named_collections,
        public=settings.public_collections,
        seconds=settings.turn_deadline * 0.75,
        history=history,
    )


def _computed_at_once(concurrency: int) -> int:
    """How many turns run at once where no model is waited for: more than there are processors only hold each other up,
    and what arrives meanwhile.
    """
    return min(concurrency, max(2, os.cpu_count() or 2))


def read_own_files(language: str) -> None:
    """Read now what is read once and kept: safety rules, crisis lines and words, fixed phrases, texts. Blocking."""
    assess("")
    lines_for(None)
    plain_question("When is it open?")
    for spoken in LANGUAGES:
        crisis_words(spoken)
    courtesy("")
    asking_on("")
    wording(language)


def people_of(settings: Settings, today: date) -> tuple[Resource, ...]:
    """The organisation's own people. Blocking. The log names lines that nobody has checked for too long."""
    if late := bundled().overdue(today):
        names = ", ".join(f"{line.name} ({line.country})" for line in late)
        logger.warning("these crisis lines are past their review date, docs/safety.md says what to do: %s", names)
    return own_people(settings.own_people, today=today) if settings.own_people else ()


async def _index(settings: Settings, embedder: Embedder | None, *, re_embed: bool, required: bool) -> Index:
    try:
        return await choose_index(settings, embedder, re_embed=re_embed)
    except RetrievalError as error:
        if required:
            raise
        logger.error("questions cannot be answered: %s", error)  # noqa: TRY400 - the message says it all
        return AbsentIndex(error)
