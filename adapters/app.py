"""The composition root: the only place that wires parts together."""

from __future__ import annotations

import asyncio
import logging
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from adapters.dispatch import Dispatcher
from adapters.sources import Sources, answering_sources
from bot.courtesy import courtesy
from bot.crisis import lines_for
from bot.errors import Misconfigured
from bot.extractive import ExtractiveAnswerer
from bot.followup import RuleRewriter
from bot.safety import assess
from bot.settings import TurnSettings
from bot.trace import note
from bot.turn import Engine, Memories
from bot.wording import wording
from memory.file import MemoryFile
from memory.inbox import RamInbox, SqliteInbox
from memory.ram import RamMemory
from memory.sqlite import SqliteMemory
from retrieval.absent_index import AbsentIndex
from retrieval.errors import RetrievalError
from retrieval.fitted_rerank import FittedReranker
from retrieval.grade import Grader
from retrieval.search import PipelineSettings, Searcher
from retrieval.sqlite_index import SqliteIndex

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from adapters.settings import Settings
    from bot.answerer import Answerer, Rewriter
    from bot.claude_api import Claude, Usage
    from bot.messages import IncomingMessage, Reply
    from retrieval.embed import Embedder
    from retrieval.index import Index
    from retrieval.rerank import Reranker
    from retrieval.voyage_api import Voyage

logger = logging.getLogger(__name__)

NO_EMBEDDER, LOCAL_EMBEDDER = "none", "local"
"""The values of `CITEWELL_EMBEDDER` that mean words alone, and the model that comes with the installation."""


def utc_now() -> datetime:
    """The time, with its zone."""
    return datetime.now(UTC)


def short_id() -> str:
    """A trace's id: short enough to be read out on the telephone."""
    return uuid.uuid4().hex[:12]


@dataclass(frozen=True, slots=True)
class Application:
    """The parts, wired. `close` lets go of them in turn; it is used as `async with`.

    `respond` is what every platform asks: the engine, with "sources" answered before it.
    """

    settings: Settings
    index: Index
    embedder: Embedder | None
    searcher: Searcher
    engine: Engine
    sources: Sources
    respond: Callable[[IncomingMessage], Awaitable[Reply]]
    dispatcher: Dispatcher
    memory_file: MemoryFile
    claude: Claude | None
    voyage: Voyage | None

    async def __aenter__(self) -> Application:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the files and the connections to the models' servers."""
        if self.claude is not None:
            await self.claude.aclose()
        if self.voyage is not None:
            await self.voyage.aclose()
        await self.memory_file.close()
        await self.index.close()


async def build(
    settings: Settings,
    *,
    clock: Callable[[], datetime] = utc_now,
    new_id: Callable[[], str] = short_id,
    pipeline: PipelineSettings | None = None,
    re_embed: bool = False,
    needs_index: bool = True,
    answerer: Answerer | None = None,
) -> Application:
    """Everything that answers, on one index and one memory. Nothing is read from a model before it is needed.

    `answerer` stands in for the one that the settings choose. Without `needs_index`, an index that cannot be opened is
    logged and costs what needs it: a person in crisis is still answered. Raises `Misconfigured`, `RetrievalError` or
    `MemoryUnavailable`, each saying how to mend it.
    """
    await asyncio.to_thread(read_own_files, settings.language)
    voyage = await asyncio.to_thread(choose_voyage, settings)
    embedder = await choose_embedder(settings, voyage)
    model = None if embedder is None else (embedder.name, embedder.dimensions)
    index = await _index(settings, model, re_embed=re_embed, required=needs_index)
    memory_file = MemoryFile(settings.memory_path)
    memories = Memories(durable=SqliteMemory(memory_file), guests=RamMemory())
    grader = await asyncio.to_thread(Grader.fitted, threshold=settings.evidence_threshold)
    reranker = await asyncio.to_thread(choose_reranker, settings, voyage, index)
    searcher = Searcher(index, embedder, grader, reranker=reranker)
    extractive = ExtractiveAnswerer(index)
    claude = await asyncio.to_thread(choose_claude, settings)
    writer, rewriter = await asyncio.to_thread(_writers, claude, extractive)
    engine = Engine(
        searcher=searcher,
        index=index,
        answerer=answerer or writer,
        fallback=extractive,
        rewriter=rewriter,
        memories=memories,
        wording=wording(settings.language),
        settings=TurnSettings(
            country=settings.country,
            public_collections=settings.public_collections,
            passages=settings.passages,
            replay_tokens=settings.replay_tokens,
            question_limit=settings.question_limit,
        ),
        pipeline=pipeline or PipelineSettings(),
        clock=clock,
        new_id=new_id,
    )
    sources = Sources(memories, index, lambda _, author: engine.settings.visible(guest=author.guest))
    respond = answering_sources(engine.respond, sources, engine.wording)
    dispatcher = Dispatcher(
        respond,
        durable=SqliteInbox(memory_file),
        ephemeral=RamInbox(),
        on_failure=engine.failure,
        clock=clock,
        concurrency=settings.concurrency,
        deadline=settings.turn_deadline,
    )
    return Application(
        settings, index, embedder, searcher, engine, sources, respond, dispatcher, memory_file, claude, voyage
    )


def read_own_files(language: str) -> None:
    """Read now what is read once and kept: safety rules, crisis lines, courtesies, texts. Blocking."""
    assess("")
    lines_for(None)
    courtesy("")
    wording(language)


async def _index(settings: Settings, model: tuple[str, int] | None, *, re_embed: bool, required: bool) -> Index:
    try:
        return await SqliteIndex.open(settings.index_path, embedder=model, re_embed=re_embed)
    except RetrievalError as error:
        if required:
            raise
        logger.error("questions cannot be answered: %s", error)  # noqa: TRY400 - the message says it all
        return AbsentIndex(error)


def choose_voyage(settings: Settings) -> Voyage | None:
    """The account at Voyage, where there is a key; the SDK is imported only then."""
    if settings.voyage_api_key is None:
        return None
    from retrieval.voyage_api import Voyage

    return Voyage.connect(api_key=settings.voyage_api_key.get_secret_value(), base_url=settings.voyage_base_url)


async def choose_embedder(settings: Settings, voyage: Voyage | None) -> Embedder | None:
    """What the setting names; where it names nothing, Voyage if there is a key, else the installation's own model."""
    named = settings.embedder.casefold() if settings.embedder else None
    if named == NO_EMBEDDER:
        return None
    if named is None and voyage is not None:
        from retrieval.voyage import voyage_embedder

        return voyage_embedder(voyage, settings.voyage_model)
    from retrieval.local import LocalEmbedder

    if settings.embedder is None or named == LOCAL_EMBEDDER:
        return LocalEmbedder.minilm()
    folder = await asyncio.to_thread(Path(settings.embedder).expanduser)
    if not await asyncio.to_thread(folder.is_dir):
        msg = (
            f"CITEWELL_EMBEDDER names no folder: {folder}. It has to hold an ONNX encoder and its tokenizer.json; "
            f"say {LOCAL_EMBEDDER!r} for the model that comes with Citewell, or {NO_EMBEDDER!r} to search by words "
            "alone."
        )
        raise Misconfigured(msg)
    return await LocalEmbedder.load(folder)


def choose_reranker(settings: Settings, voyage: Voyage | None, index: Index) -> Reranker:
    """Voyage's, where there is a key; else the fitted one, which needs nothing but the index."""
    if voyage is None:
        return FittedReranker.fitted(index)
    from retrieval.voyage_rerank import VoyageReranker

    return VoyageReranker(voyage, settings.rerank_model)


def choose_claude(settings: Settings) -> Claude | None:
    """Claude, where there is a key; the SDK is imported only then."""
    if settings.anthropic_api_key is None:
        return None
    from bot.claude_api import Claude

    return Claude.connect(
        api_key=settings.anthropic_api_key.get_secret_value(),
        model=settings.model,
        base_url=settings.anthropic_base_url,
        on_usage=_note_tokens,
    )


def _note_tokens(usage: Usage) -> None:
    """Every call is billed for itself, so a stage that asked twice keeps the last; the log has one line a turn."""
    note(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cache_read_tokens=usage.cache_read_tokens,
        cache_write_tokens=usage.cache_write_tokens,
    )


def _writers(claude: Claude | None, extractive: Answerer) -> tuple[Answerer, Rewriter]:
    rules = RuleRewriter()
    if claude is None:
        return extractive, rules
    from bot.claude import ClaudeAnswerer, ClaudeRewriter
    from bot.prompts import prompt

    return ClaudeAnswerer(claude, prompt("answer")), ClaudeRewriter(claude, prompt("standalone"), fallback=rules)
