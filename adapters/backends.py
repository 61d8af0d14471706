"""Which backend does what, by the settings: each SDK is imported only where its backend is chosen."""

from __future__ import annotations

import asyncio
import random
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from bot.errors import Misconfigured
from bot.followup import RuleRewriter
from bot.trace import count
from retrieval.grade import Grader
from retrieval.retry import PATIENT, Retry
from retrieval.sqlite_index import SqliteIndex

if TYPE_CHECKING:
    from collections.abc import Callable

    from adapters.settings import Settings
    from bot.answerer import Answerer, Rewriter
    from bot.claude_api import Claude
    from bot.claude_context import ClaudeContextWriter
    from bot.claude_message import Usage
    from bot.entailment import Entailment
    from bot.lookup_proposal import Proposer
    from bot.safety import SecondLook
    from bot.summary import SummaryWriter
    from retrieval.corrective import QueryRewriter
    from retrieval.embed import Embedder
    from retrieval.hyde import HypotheticalWriter
    from retrieval.index import Index
    from retrieval.rerank import Reranker
    from retrieval.voyage_api import Voyage
    from retrieval.weaviate_index import WeaviateIndex

NO_EMBEDDER, LOCAL_EMBEDDER = "none", "local"
"""The values of `CITEWELL_EMBEDDER` that mean words alone, and the model that comes with the installation."""

NO_RERANKER, VOYAGE, CLAUDE, FITTED = "none", "voyage", "claude", "fitted"
"""The values of `CITEWELL_RERANKER` that mean the order of the search, the hosted models, and the one fitted here."""

NO_CONTEXT_WRITER = (
    "--context has Claude write a sentence for each passage: set ANTHROPIC_API_KEY, or leave --context out and title "
    "and headings serve"
)
"""What to say where there is no key for that."""

NO_ENTAILMENT = (
    "CITEWELL_CHECK_ENTAILMENT has Claude read each sentence beside its quote: set ANTHROPIC_API_KEY, or leave it out."
)
"""What to say where there is no key for that."""


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
    instead = f"{LOCAL_EMBEDDER!r} for the model that comes with Citewell, or {NO_EMBEDDER!r} to search by words alone"
    return await LocalEmbedder.load(await _folder("EMBEDDER", settings.embedder, holds="encoder", instead=instead))


async def choose_reranker(
    settings: Settings, voyage: Voyage | None, claude: Claude | None, index: Index
) -> Reranker | None:
    """What the setting names; where it names nothing, Voyage or Claude by their keys, else the one fitted here."""
    named = settings.reranker.casefold() if settings.reranker else None
    if named == NO_RERANKER:
        return None
    if voyage is not None and named in {None, VOYAGE}:
        from retrieval.voyage_rerank import VoyageReranker

        return VoyageReranker(voyage, settings.rerank_model)
    if claude is not None and named in {None, CLAUDE}:
        from bot.claude_rerank import ClaudeReranker
        from bot.prompts import prompt

        return ClaudeReranker(claude, await asyncio.to_thread(prompt, "rerank"))
    if settings.reranker is None or named == FITTED:
        from retrieval.fitted_rerank import FittedReranker

        return await asyncio.to_thread(FittedReranker.fitted, index)
    if named in {VOYAGE, CLAUDE}:
        key = "VOYAGE_API_KEY" if named == VOYAGE else "ANTHROPIC_API_KEY"
        msg = f"CITEWELL_RERANKER is {named!r}, and there is no key for it: set {key}, or leave CITEWELL_RERANKER out."
        raise Misconfigured(msg)
    from retrieval.cross_encoder import CrossEncoder

    instead = (
        f"{VOYAGE!r} or {CLAUDE!r} for a hosted model, {FITTED!r} for the one that comes with Citewell, or "
        f"{NO_RERANKER!r} to keep the order of the search"
    )
    return await CrossEncoder.load(await _folder("RERANKER", settings.reranker, holds="cross-encoder", instead=instead))


async def choose_spare_reranker(reranker: Reranker | None, index: Index) -> Reranker | None:
    """What gives the order where the reranker cannot: the one fitted here, unless that is it or nothing reranks."""
    from retrieval.fitted_rerank import FittedReranker

    if reranker is None or isinstance(reranker, FittedReranker):
        return None
    return await asyncio.to_thread(FittedReranker.fitted, index)


async def _folder(setting: str, given: str, *, holds: str, instead: str) -> Path:
    """The folder that a setting names. `Misconfigured` where there is none: what it has to hold, what else to say."""
    folder = await asyncio.to_thread(Path(given).expanduser)
    if not await asyncio.to_thread(folder.is_dir):
        msg = (
            f"CITEWELL_{setting} names no folder: {folder}. It has to hold an ONNX {holds} and its tokenizer.json; "
            f"say {instead}."
        )
        raise Misconfigured(msg)
    return folder


async def choose_index(settings: Settings, embedder: Embedder | None, *, re_embed: bool = False) -> Index:
    """The Weaviate server that is named, or the file on this machine; the SDK is imported only for the first."""
    model = None if embedder is None else (embedder.name, embedder.dimensions)
    if settings.weaviate_url is None:
        return await SqliteIndex.open(settings.index_path, embedder=model, re_embed=re_embed)
    weaviate_index = await asyncio.to_thread(_weaviate_index)
    key = settings.weaviate_api_key
    return await weaviate_index.open(
        settings.weaviate_url,
        embedder=model,
        api_key=None if key is None else key.get_secret_value(),
        data=settings.weaviate_path,
        re_embed=re_embed,
    )


def _weaviate_index() -> type[WeaviateIndex]:
    """Blocking: to import the SDK takes its time."""
    from retrieval.weaviate_index import WeaviateIndex

    return WeaviateIndex


def choose_grader(settings: Settings, embedder: Embedder | None) -> Grader:
    """The fitted grader with the thresholds that are set, else calibrated for this embedder, else fitted. Blocking."""
    calibrated = settings.thresholds.get(thresholds_key(settings, embedder))
    evidence, confident = settings.evidence_threshold, settings.confident_threshold
    if calibrated is not None:
        evidence = calibrated.evidence if evidence is None else evidence
        confident = max(evidence, calibrated.confident) if confident is None else confident
    try:
        return Grader.fitted(evidence=evidence, confident=confident)
    except ValueError as error:
        raise Misconfigured(f"{error} Raise CITEWELL_CONFIDENT_THRESHOLD, or leave it unset.") from None


def thresholds_key(settings: Settings, embedder: Embedder | None) -> str:
    """What thresholds are kept under: they hold for the embedding model that searches go by, or for words alone."""
    return NO_EMBEDDER if embedder is None or not settings.pipeline.hybrid else embedder.name


def reranker_name(reranker: Reranker | None) -> str:
    """How a report calls it. Which passages are graded is its choice, so strengths hold for it alone."""
    return NO_RERANKER if reranker is None else reranker.name


def choose_claude(settings: Settings) -> Claude | None:
    """Claude, where there is a key; the SDK is imported only then."""
    if settings.anthropic_api_key is None:
        return None
    from bot.claude_api import Claude

    return Claude.connect(
        api_key=settings.anthropic_api_key.get_secret_value(),
        model=settings.model,
        base_url=settings.anthropic_base_url,
        timeout=settings.within_turn(30),
        on_usage=_count_tokens,
    )


def small_claude(claude: Claude | None, settings: Settings) -> Claude | None:
    """The model for what is asked often, told to think little where it can be told. Blocking."""
    if claude is None:
        return None
    from bot.claude_models import thrifty

    model = settings.small_model
    return claude.using(model, setting="CITEWELL_SMALL_MODEL", effort=thrifty(model))


def choose_context_writer(
    claude: Claude | None, settings: Settings, on_usage: Callable[[Usage], None]
) -> ClaudeContextWriter:
    """What places passages in their documents while these are taken in. `Misconfigured` without Claude. Blocking."""
    if claude is None:
        raise Misconfigured(NO_CONTEXT_WRITER)
    from bot.claude_context import ClaudeContextWriter
    from bot.claude_models import thrifty
    from bot.prompts import prompt

    model = settings.small_model
    small = claude.using(model, setting="CITEWELL_SMALL_MODEL", effort=thrifty(model), on_usage=on_usage)
    return ClaudeContextWriter(small, prompt("context"), Retry(PATIENT, asyncio.sleep, random.random))


def _count_tokens(usage: Usage) -> None:
    """Every call is billed for itself, so a stage that asked often has the sum."""
    from bot.claude_models import dollars

    price = dollars(usage)
    count(**asdict(usage), **({"unpriced_calls": 1} if price is None else {"dollars": price}))


def choose_writers(settings: Settings, claude: Claude | None, extractive: Answerer) -> tuple[Answerer, Rewriter]:
    """What answers, and what makes a follow-up stand alone: Claude, or extracts and rules. Blocking.

    With 10 seconds for the latter, 20 for the former, 4 for a proposed look-up, and 5 for each of the four stages of a
    search that may be waited for, a turn in which everything is slow and nothing fails still has six for an extract.
    """
    rules = RuleRewriter()
    if claude is None:
        return extractive, rules
    from bot.claude import ClaudeAnswerer, ClaudeRewriter
    from bot.prompts import prompt

    rewriter = ClaudeRewriter(claude, prompt("standalone"), fallback=rules, patience=settings.within_turn(10))
    instructions = prompt("answer", instead=settings.answer_prompt)
    return ClaudeAnswerer(claude, instructions, patience=settings.within_turn(20)), rewriter


def choose_entailment(settings: Settings, small: Claude | None) -> Entailment | None:
    """The second opinion on each sentence, where it is wished for. `Misconfigured` where nobody can give it. Blocking.

    It is over in 5 seconds; extracts, which come where writing took too long, are mostly their own quotes and need
    none.
    """
    if not settings.check_entailment:
        return None
    if small is None:
        raise Misconfigured(NO_ENTAILMENT)
    from bot.claude_entailment import ClaudeEntailment
    from bot.prompts import prompt

    return ClaudeEntailment(small, prompt("entailment"), patience=settings.within_turn(5))


def choose_summary_writer(settings: Settings, small: Claude | None) -> SummaryWriter | None:
    """What puts older turns into few words; without a model, and where none are shown, they are left out. Blocking."""
    if small is None or not settings.replay_tokens:
        return None
    from bot.claude_summary import ClaudeSummaryWriter
    from bot.prompts import prompt

    return ClaudeSummaryWriter(small, prompt("summary"), patience=settings.within_turn(20))


def choose_second_look(settings: Settings, small: Claude | None) -> SecondLook | None:
    """What looks at each message once more, where that is wanted. `Misconfigured` without Claude. Blocking."""
    if not settings.check_safety:
        return None
    if small is None:
        raise Misconfigured(
            "CITEWELL_CHECK_SAFETY has Claude look at each message: set ANTHROPIC_API_KEY, or leave it out"
        )
    from bot.claude_safety import ClaudeSecondLook
    from bot.prompts import prompt

    return ClaudeSecondLook(small, prompt("safety"), patience=settings.within_turn(3))


def choose_proposer(settings: Settings, small: Claude | None) -> Proposer | None:
    """What proposes a look-up for a question that was not understood whole, where there are any. Blocking."""
    if small is None or not settings.lookups:
        return None
    from bot.claude_lookup import ClaudeProposer
    from bot.prompts import prompt

    return ClaudeProposer(small, prompt("lookup"), patience=settings.within_turn(4))


def choose_meaning(settings: Settings) -> SecondLook | None:
    """What looks at each message's meaning beside the search, unless that is switched off. Blocking."""
    if not settings.look_at_meaning:
        return None
    from bot.safety_meaning import MeaningLayer, MeaningLook

    return MeaningLook(MeaningLayer())


def choose_search_helpers(small: Claude | None) -> tuple[HypotheticalWriter | None, QueryRewriter | None]:
    """What helps a search where there is a model: without one, no rewriting by rule was found that improves it."""
    if small is None:
        return None, None
    from bot.claude_search import ClaudeHypotheticalWriter, ClaudeQueryRewriter
    from bot.prompts import prompt

    return ClaudeHypotheticalWriter(small, prompt("hypothetical")), ClaudeQueryRewriter(small, prompt("rewrite"))
