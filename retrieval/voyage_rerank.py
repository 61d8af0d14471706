"""The hits put in order by Voyage's reranker: the question and the passages leave this machine."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING

from retrieval.packing import cut
from retrieval.rerank import RERANKED
from retrieval.retry import PROMPT, Retry
from retrieval.scope import EVERYTHING, Scope
from retrieval.voyage_models import RERANK_MODEL, RERANK_QUESTION_TOKENS, RERANK_REQUEST_TOKENS

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from retrieval.evidence import Hit
    from retrieval.voyage_api import Voyage

PASSAGE_TOKENS = RERANK_REQUEST_TOKENS // RERANKED - RERANK_QUESTION_TOKENS
"""What is sent of a passage, so that `RERANKED` of them fit into a request."""


class VoyageReranker:
    """Reads the question beside each passage. Scores lie in [0, 1]. Raises ModelUnavailable or ModelRefused.

    A failure is tried once more, quickly: someone waits, and the fused order is there.
    """

    def __init__(
        self,
        voyage: Voyage,
        model: str = RERANK_MODEL,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._voyage = voyage
        self._model = model
        self._retry = Retry(PROMPT, sleep, jitter)

    @property
    def name(self) -> str:
        """The model's name, as traces give it."""
        return self._model

    async def scores(self, question: str, hits: Sequence[Hit], scope: Scope = EVERYTHING) -> Sequence[float]:
        """One score a hit, of its context sentence and text."""
        del scope
        if not hits:
            return []
        asked = cut(question, RERANK_QUESTION_TOKENS)
        texts = [cut(hit.passage.search_text, PASSAGE_TOKENS) for hit in hits]
        return await self._retry(lambda: self._voyage.rerank(asked, texts, model=self._model))
