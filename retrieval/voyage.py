"""Embeddings by Voyage: texts leave this machine. Plain, or each passage read in the light of its neighbours.

A question is tried twice and quickly, for someone waits and words find without it; passages with patience, through
minutes of a rate limit.
"""

from __future__ import annotations

import asyncio
import random
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from retrieval.errors import ModelRefused
from retrieval.packing import cut, most_tokens, packed
from retrieval.retry import Backoff, Retry
from retrieval.voyage_models import (
    EMBEDDING_MODEL,
    ITEMS,
    REQUEST_TOKENS,
    WINDOW_TOKENS,
    contextualised,
    dimensions,
    served,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from retrieval.embed import Embedder, Vector
    from retrieval.voyage_api import Kind, Voyage

PROMPT = Backoff(attempts=2, first=0.25, longest=1.0)
PATIENT = Backoff(attempts=8, first=1.0, longest=60.0)

_BLANK = "-"
"""Sent in place of a text without a character, which Voyage refuses."""


def voyage_embedder(
    voyage: Voyage,
    model: str = EMBEDDING_MODEL,
    *,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    jitter: Callable[[], float] = random.random,
) -> Embedder:
    """The embedder that fits the model's name: `voyage-context-*` reads neighbours together, all others do not.

    ModelRefused for a model that the SDK would run on this machine, with torch.
    """
    if not served(model):
        raise ModelRefused(f"Voyage does not serve {model!r}: choose another model in CITEWELL_VOYAGE_MODEL")
    chosen = VoyageContextEmbedder if contextualised(model) else VoyageEmbedder
    return chosen(voyage, model, questions=Retry(PROMPT, sleep, jitter), passages=Retry(PATIENT, sleep, jitter))


class _OneModel:
    """A model by its name."""

    def __init__(self, voyage: Voyage, model: str, *, questions: Retry, passages: Retry) -> None:
        self._voyage = voyage
        self._model = model
        self._questions = questions
        self._passages = passages

    @property
    def name(self) -> str:
        """The model's name, as stored beside its vectors."""
        return self._model

    @property
    def dimensions(self) -> int:
        """The length of each vector."""
        return dimensions(self._model)


class VoyageEmbedder(_OneModel):
    """Each text for itself. Raises ModelUnavailable or ModelRefused."""

    async def embed_passages(self, texts: Sequence[str]) -> Vector:
        """One row a text, over as many requests as it takes; what is cut off behind `WINDOW_TOKENS` is not in it."""
        sent = [_sendable(text) for text in texts]
        rows = np.zeros((len(sent), self.dimensions), np.float32)
        for stretch in packed([most_tokens(text) for text in sent], room=REQUEST_TOKENS, items=ITEMS):
            some = [sent[at] for at in stretch]
            rows[stretch.start : stretch.stop] = await self._passages(partial(self._ask, some, "document"))
        return rows

    async def embed_query(self, text: str) -> Vector:
        """The question's vector."""
        row: Vector = (await self._questions(partial(self._ask, [_sendable(text)], "query")))[0]
        return row

    async def _ask(self, texts: Sequence[str], kind: Kind) -> Vector:
        return await self._voyage.embed(texts, model=self._model, kind=kind, dimensions=self.dimensions)


class VoyageContextEmbedder(_OneModel):
    """The passages of a document together; a text for itself is a run of one. Raises ModelUnavailable or ModelRefused.

    A document longer than a request holds goes in stretches, each read for itself.
    """

    def runs(self, texts: Sequence[str]) -> Sequence[range]:
        """Stretches of one document that fit into a request."""
        return list(packed([most_tokens(_sendable(text)) for text in texts], room=WINDOW_TOKENS, items=ITEMS))

    async def embed_runs(self, runs: Sequence[Sequence[str]]) -> Sequence[Vector]:
        """One matrix a run, over as many requests as it takes."""
        sent = [[_sendable(text) for text in run] for run in runs]
        sizes = [sum(map(most_tokens, run)) for run in sent]
        matrices: list[Vector] = []
        for stretch in packed(sizes, room=WINDOW_TOKENS, items=ITEMS):
            some = [sent[at] for at in stretch]
            matrices += await self._passages(partial(self._ask, some, "document"))
        return matrices

    async def embed_passages(self, texts: Sequence[str]) -> Vector:
        """One row a text, each as if it were a document."""
        none = np.zeros((0, self.dimensions), np.float32)
        return np.concatenate([none, *await self.embed_runs([[text] for text in texts])])

    async def embed_query(self, text: str) -> Vector:
        """The question's vector."""
        row: Vector = (await self._questions(partial(self._ask, [[_sendable(text)]], "query")))[0][0]
        return row

    async def _ask(self, runs: Sequence[Sequence[str]], kind: Kind) -> list[Vector]:
        return await self._voyage.embed_runs(runs, model=self._model, kind=kind, dimensions=self.dimensions)


def _sendable(text: str) -> str:
    return cut(text, WINDOW_TOKENS) if text.strip() else _BLANK
