"""Looks at what searches and writes: the index, the embedding model, Voyage, Claude. The hosted ones are asked once."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import aiohttp

from adapters.backends import choose_claude, choose_embedder, choose_index, choose_voyage
from bot.claude_message import StructuredReply
from retrieval.weaviate_address import EMBEDDED, address

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adapters.doctor.finding import Findings
    from adapters.settings import Settings
    from bot.claude_api import Claude
    from retrieval.embed import Embedder
    from retrieval.index import Index, IndexStatus
    from retrieval.voyage_api import Voyage
    from retrieval.weaviate_address import Address

_PATIENCE = 5.0
_NEARLY_USED = 10
"""A limit of which less than one in so many is left is told of."""


class _Ready(StructuredReply):
    """What Claude is asked to say."""

    ready: bool


async def look_at_backends(settings: Settings, found: Findings, *, ask: bool) -> None:
    """Without `ask`, no hosted model is called, which costs a fraction of a cent."""
    voyage: Voyage | None = None
    claude: Claude | None = None
    index: Index | None = None
    try:
        async with found.looking_at("voyage"):
            voyage = await asyncio.to_thread(choose_voyage, settings)
            if voyage is None:
                found.absent("voyage", "VOYAGE_API_KEY is not set: the model of this machine embeds.")
        embedder = await _embedder(settings, voyage, found, ask=ask)
        if settings.weaviate_url not in {None, EMBEDDED}:
            async with found.looking_at("weaviate"):
                await _weaviate(address(str(settings.weaviate_url)), found)
        async with found.looking_at("index"):
            index = await choose_index(settings, embedder)
            status = await index.status()
            _index(status, index.name, found, by_meaning=embedder is not None)
            if embedder is not None and status.dimensions is not None:
                _size(embedder, status, found)
        async with found.looking_at("claude"):
            claude = await asyncio.to_thread(choose_claude, settings)
            await _claude(claude, found, ask=ask)
    finally:
        for one in (
            index.close if index else None,
            voyage.aclose if voyage else None,
            claude.aclose if claude else None,
        ):
            if one is not None:
                await one()


async def _embedder(settings: Settings, voyage: Voyage | None, found: Findings, *, ask: bool) -> Embedder | None:
    embedder: Embedder | None = None
    async with found.looking_at("embedding model"):
        embedder = await choose_embedder(settings, voyage)
        if embedder is None:
            found.absent("embedding model", "CITEWELL_EMBEDDER is none: searches go by words alone.")
            return None
        if voyage is None or ask:
            vector = await embedder.embed_query("When is it open?")
            if len(vector) == embedder.dimensions:
                found.good("embedding model", f"{embedder.name} answers with {len(vector)} numbers.")
            else:
                said = f"{embedder.name} answers with {len(vector)} numbers in place of {embedder.dimensions}."
                found.fault("embedding model", said, "Name a model that is known, or its right folder.")
        else:
            found.good("embedding model", f"{embedder.name}, not asked.")
    return embedder


async def _weaviate(where: Address, found: Findings) -> None:
    """Each port by itself; that gRPC is spoken on the second is seen when the index is opened."""
    mend = "Start it, open that port, or name the right address in WEAVIATE_URL."
    try:
        timeout = aiohttp.ClientTimeout(total=_PATIENCE)
        ready = f"{where.http}/v1/.well-known/ready"
        async with aiohttp.ClientSession(timeout=timeout) as session, session.get(ready) as got:
            status = got.status
    except (TimeoutError, aiohttp.ClientError, OSError):
        found.fault("weaviate http", f"Nothing answers at {where.http}.", mend)
    else:
        if status < 300:
            found.good("weaviate http", f"It is ready at {where.http}.")
        else:
            found.fault("weaviate http", f"{where.http} says {status}.", "Wait until it is ready, or read its log.")
    try:
        async with asyncio.timeout(_PATIENCE):
            _, writer = await asyncio.open_connection(where.grpc_host, where.grpc_port)
            writer.close()
    except (TimeoutError, OSError):
        found.fault("weaviate grpc", f"Nothing listens at {where.grpc}.", f"{mend[:-1]} (?grpc=host:port).")
    else:
        found.good("weaviate grpc", f"{where.grpc} is open.")


def _size(embedder: Embedder, status: IndexStatus, found: Findings) -> None:
    if (embedder.name, embedder.dimensions) == (status.model, status.dimensions):
        found.good("embedding size", f"{status.dimensions} numbers, as the index holds them.")
    else:
        said = f"The index holds {status.dimensions} numbers of {status.model}, and {embedder.name} gives others."
        found.fault("embedding size", said, "citewell ingest --re-embed, or set CITEWELL_EMBEDDER back.")


def _index(status: IndexStatus, name: str, found: Findings, *, by_meaning: bool) -> None:
    said = f"{name}: {status.documents} documents, {status.passages} passages"
    if not status.passages:
        found.warn("index", f"{said}.", "citewell ingest takes documents in.")
    elif by_meaning and status.embedded < status.passages:
        waiting = status.passages - status.embedded
        found.warn("index", f"{said}; {waiting} of them are found by words alone.", "citewell serve fills them in.")
    else:
        found.good("index", f"{said}.")


async def _claude(claude: Claude | None, found: Findings, *, ask: bool) -> None:
    if claude is None:
        found.absent("claude", "ANTHROPIC_API_KEY is not set: answers are verbatim extracts.")
    elif not ask:
        found.good("claude", f"{claude.model}, not asked.")
    else:
        await claude.ask(_Ready, system="Say that you are ready.", content="Are you ready?")
        found.good("claude", f"{claude.model} answers.")
        _quota(claude.quota, found)


def _quota(quota: Mapping[str, tuple[int, int]], found: Findings) -> None:
    if not quota:
        found.absent("claude quota", "Its server says nothing of the key's limits.")
        return
    said = "; ".join(f"{left} of {limit} {kind} are left" for kind, (left, limit) in sorted(quota.items()))
    if any(left * _NEARLY_USED < limit for left, limit in quota.values()):
        mend = "Wait a minute, or ask for higher limits: answers are verbatim extracts while there is no room."
        found.warn("claude quota", f"{said}.", mend)
    else:
        found.good("claude quota", f"{said}.")
