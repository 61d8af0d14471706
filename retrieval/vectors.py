"""Filling vectors in behind the text: searches by words serve meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from retrieval.embed import Embedder
    from retrieval.index import Index

BATCH = 32
"""Passages embedded and stored at once: all that a kill can lose, two to five seconds of a local model's work."""


async def fill(
    index: Index,
    embedder: Embedder,
    *,
    on_progress: Callable[[int, int], None] | None = None,
    batch: int = BATCH,
    stop: asyncio.Event | None = None,
) -> int:
    """Embed every passage that waits for a vector, and say how many that were.

    Each batch is stored before the next is begun, so a kill, a cancel or an embedder's error (which is raised) loses
    one batch, and the next call goes on from there. Passages that arrive meanwhile are filled in too, and those whose
    text changes while they are embedded wait for the next batch. `on_progress` gets how many passages have a vector
    and how many there are, at the start and after each batch; `stop`, once set, ends it after the batch in hand.
    """
    filled = 0
    await _report(index, on_progress)
    while not (stop is not None and stop.is_set()):
        passages = await index.unembedded(batch)
        if not passages:
            break
        vectors = await embedder.embed_passages([passage.search_text for passage in passages])
        texts = {hit.passage.id: hit.passage.search_text for hit in await index.passages([one.id for one in passages])}
        same = [row for row, one in enumerate(passages) if texts.get(one.id) == one.search_text]
        await index.add_vectors([passages[row].id for row in same], vectors[same])
        filled += len(same)
        await _report(index, on_progress)
    return filled


async def _report(index: Index, on_progress: Callable[[int, int], None] | None) -> None:
    if on_progress is not None:
        status = await index.status()
        on_progress(status.embedded, status.passages)
