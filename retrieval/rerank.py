"""The port to a reranker, the order it gives, and the fake that tests use."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from retrieval.errors import RetrievalError
from retrieval.scope import EVERYTHING, Scope

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retrieval.evidence import Hit

RERANKED = 30
"""The first hits of the fused list, which are put in a new order; those behind them stay where they are."""


class Reranker(Protocol):
    """Judges the hits of a search once more, by text beside the question or by what the search knows of them."""

    @property
    def name(self) -> str:
        """The backend, as traces name it."""
        ...

    async def scores(self, question: str, hits: Sequence[Hit], scope: Scope = EVERYTHING) -> Sequence[float]:
        """One score a hit, in order; higher is better, on any scale. RetrievalError if it cannot.

        `scope` is where they were found: passages outside it change no score.
        """
        ...


def reordered(hits: Sequence[Hit], scores: Sequence[float]) -> list[Hit]:
    """The hits by score, best first, with their ranks before and after; equal scores keep the order they had.

    RetrievalError if there is not one finite score a hit.
    """
    if len(scores) != len(hits) or not all(map(math.isfinite, scores)):
        msg = f"A reranker gave {len(scores)} scores for {len(hits)} hits, or some that are no numbers."
        raise RetrievalError(msg)
    order = sorted(range(len(hits)), key=lambda at: -scores[at])
    return [
        replace(hits[at], score=float(scores[at]), rank=rank, rank_before_rerank=hits[at].rank)
        for rank, at in enumerate(order, start=1)
    ]


class ScriptedReranker:
    """A fake reranker: scores by passage id, 0 for any other. Remembers what it was asked."""

    def __init__(self, scores: Mapping[str, float]) -> None:
        self._scores = scores
        self.asked: list[tuple[str, list[str]]] = []

    @property
    def name(self) -> str:
        """`scripted`."""
        return "scripted"

    async def scores(self, question: str, hits: Sequence[Hit], scope: Scope = EVERYTHING) -> Sequence[float]:
        """What the script says."""
        del scope
        ids = [hit.passage.id for hit in hits]
        self.asked.append((question, ids))
        return [self._scores.get(id_, 0.0) for id_ in ids]
