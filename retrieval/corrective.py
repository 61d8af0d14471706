"""Corrective retrieval: where the evidence is ambiguous, the question is searched for once more in other words.

Source: Yan, Gu, Zhu and Ling, "Corrective Retrieval Augmented Generation", 2024.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from retrieval.fusion import reciprocal_rank_fusion
from retrieval.terms import terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from retrieval.evidence import Hit
    from retrieval.stages import Stages

TITLES = 5
"""So many of the documents found are shown to the rewriter, by title."""


class QueryRewriter(Protocol):
    """Puts a question into the words that documents would use."""

    @property
    def name(self) -> str:
        """The backend, as traces name it."""
        ...

    async def rewrite(self, question: str, titles: Sequence[str]) -> str | None:
        """The question in other words, given what documents its own words found; None if it declines.

        RetrievalError if it cannot.
        """
        ...


async def rewritten(rewriter: QueryRewriter, question: str, hits: Sequence[Hit], stages: Stages) -> str | None:
    """The question in other words; None where there are none in time, or they search for the same."""
    began = stages.clock()
    titles = list(dict.fromkeys(hit.document.title for hit in hits))[:TITLES]
    other, failure = await stages.attempt("rewriter", rewriter.rewrite(question, titles))
    new = other if other and set(terms(other)) not in (set(), set(terms(question))) else None
    degraded = failure or ("rewriter-declined" if other is None else None)
    stages.add("rewrite", rewriter.name, began, int(new is not None), degraded)
    return new


def merged(first: Sequence[Hit], second: Sequence[Hit]) -> list[Hit]:
    """The hits of two searches as one list, fused by rank; each with the better of its ranks in either search.

    Of equals, those of the first come first, and of passages with the same raw text the first's stands for both.
    """
    searches = [{" ".join(hit.passage.text.split()): hit for hit in hits} for hits in (first, second)]
    ranking = reciprocal_rank_fusion([list(found) for found in searches])
    hits = []
    for rank, fused in enumerate(sorted(ranking, key=lambda one: (-one.score, one.ranks[0] is None)), start=1):
        found = [search[fused.id] for search in searches if fused.id in search]
        hit = replace(
            found[0],
            score=fused.score,
            rank=rank,
            rank_before_rerank=rank,
            keyword_rank=_better(hit.keyword_rank for hit in found),
            vector_rank=_better(hit.vector_rank for hit in found),
        )
        hits.append(hit)
    return hits


def _better(ranks: Iterable[int | None]) -> int | None:
    return min((rank for rank in ranks if rank is not None), default=None)


class ScriptedQueryRewriter:
    """A fake: gives the words it is given, or declines with None. Remembers what it was asked."""

    name = "scripted"

    def __init__(self, words: str | None) -> None:
        self._words = words
        self.asked: list[tuple[str, list[str]]] = []

    async def rewrite(self, question: str, titles: Sequence[str]) -> str | None:
        """What the script says."""
        self.asked.append((question, list(titles)))
        return self._words
