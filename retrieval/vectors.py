"""Filling vectors in behind the text: searches by words serve meanwhile."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence

    from retrieval.document import Passage
    from retrieval.embed import DocumentEmbedder, Embedder, Vector
    from retrieval.index import Index

BATCH = 32
"""Passages embedded and stored at once: all that a kill can lose, two to five seconds of a local model's work."""

GRACE = 5.0
"""Seconds that a batch in hand gets once it is to stop, for a hosted model may wait for minutes to be served again."""

Result = TypeVar("Result")


async def fill(
    index: Index,
    embedder: Embedder,
    *,
    on_progress: Callable[[int, int], None] | None = None,
    batch: int = BATCH,
    stop: asyncio.Event | None = None,
    grace: float = GRACE,
) -> int:
    """Embed every passage that waits for a vector, and say how many vectors were stored.

    Each batch is stored before the next is begun, so a kill, a cancel or an embedder's error (which is raised) loses
    one batch, and the next call goes on from there. Passages that arrive meanwhile are filled in too, and those whose
    text changes while they are embedded wait for the next batch. `on_progress` gets how many passages have a vector
    and how many there are, at the start and after each batch; `stop`, once set, ends it after the batch in hand, which
    is given up if it takes over `grace` seconds more.

    An embedder that reads passages among their neighbours (`DocumentEmbedder`) is given every stretch of a document in
    which one waits, whole, and a batch ends with the stretch that makes it full.
    """
    filled = 0
    await _report(index, on_progress)
    while not (stop is not None and stop.is_set()):
        waiting = await index.unembedded(batch)
        if not waiting:
            break
        done = await _unless_stopped(_embed(index, embedder, waiting, batch), stop, grace)
        if done is None:
            break
        passages, vectors = done
        texts = {hit.passage.id: hit.passage.search_text for hit in await index.passages([one.id for one in passages])}
        same = [row for row, one in enumerate(passages) if texts.get(one.id) == one.search_text]
        await index.add_vectors([passages[row].id for row in same], vectors[same])
        filled += len(same)
        await _report(index, on_progress)
    return filled


async def _unless_stopped(work: Coroutine[Any, Any, Result], stop: asyncio.Event | None, grace: float) -> Result | None:
    """What the work gives, or None if it is to stop and goes on for longer than the grace."""
    if stop is None:
        return await work
    working, stopping = asyncio.create_task(work), asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({working, stopping}, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.wait({working}, timeout=grace)
        return working.result() if working.done() else None
    finally:
        working.cancel()
        stopping.cancel()
        await asyncio.gather(working, stopping, return_exceptions=True)


async def _embed(
    index: Index, embedder: Embedder, waiting: Sequence[Passage], batch: int
) -> tuple[Sequence[Passage], Vector]:
    """The passages to store vectors of now, and a row for each."""
    from retrieval.embed import DocumentEmbedder  # numpy with it, which a search by words never loads

    if isinstance(embedder, DocumentEmbedder):
        runs = await _stretches(index, embedder, waiting, batch)
        matrices = await embedder.embed_runs([[one.search_text for one in run] for run in runs])
        return [one for run in runs for one in run], _stacked(matrices, embedder.dimensions)
    return waiting, await embedder.embed_passages([one.search_text for one in waiting])


async def _stretches(
    index: Index, embedder: DocumentEmbedder, waiting: Sequence[Passage], batch: int
) -> list[list[Passage]]:
    """Of the documents in which passages wait, the stretches that hold one of them, until the batch is full."""
    wanted = {one.id for one in waiting}
    runs: list[list[Passage]] = []
    for document_id in dict.fromkeys(one.document_id for one in waiting):
        passages = await index.passages_of(document_id)
        for stretch in embedder.runs([one.search_text for one in passages]):
            run = [passages[at] for at in stretch]
            if any(one.id in wanted for one in run):
                runs.append(run)
            if sum(map(len, runs)) >= batch:
                return runs
    return runs


def _stacked(matrices: Sequence[Vector], dimensions: int) -> Vector:
    import numpy as np

    return np.concatenate([np.zeros((0, dimensions), np.float32), *matrices])


async def _report(index: Index, on_progress: Callable[[int, int], None] | None) -> None:
    if on_progress is not None:
        status = await index.status()
        on_progress(status.embedded, status.passages)
