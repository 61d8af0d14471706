"""From a question to evidence: embed, search, rerank, grade; a stage that fails costs what that stage adds, no more."""

from __future__ import annotations

import asyncio
import time
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retrieval.clock import utc_today
from retrieval.corrective import merged, rewritten
from retrieval.errors import RetrievalError
from retrieval.evidence import Evidence, Grade
from retrieval.fusion import DEPTH
from retrieval.grade import JUDGED, Verdict, judged_terms
from retrieval.hyde import Vectors, embedded
from retrieval.rerank import RERANKED, reordered
from retrieval.scope import Scope
from retrieval.spread import spread
from retrieval.stages import Stages
from retrieval.terms import words

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from datetime import date

    from retrieval.corrective import QueryRewriter
    from retrieval.document import Document
    from retrieval.embed import Embedder, Vector
    from retrieval.evidence import Hit, Query
    from retrieval.grade import Grader
    from retrieval.hyde import HypotheticalWriter
    from retrieval.index import Index
    from retrieval.rerank import Reranker


@dataclass(frozen=True, slots=True)
class PipelineSettings:
    """Which stages may run; one that has no backend is left out.

    `hyde`: a made-up passage helps the search. `hybrid`: by meaning beside by words. `rerank`: the hits are put in a
    better order. `grade`: the evidence is judged, and searched for once more where that leaves it ambiguous; without
    it, whatever was found counts as correct. `context`: words find a passage by its headings and by what a model wrote
    of it too; vectors are made with these, whatever is set.
    """

    hyde: bool = True
    hybrid: bool = True
    rerank: bool = True
    grade: bool = True
    context: bool = True


EVERY_STAGE = PipelineSettings()

WITHOUT_EMBEDDER = "no-embedder"
"""What is said to be lacking where searches by meaning are switched off."""

ENOUGH = 0.5
"""Vectors are searched once this share of the passages has one. Of fewer, even the nearest are often wrong, and push
down what words find. Measured on 123 real questions through every stage, passages embedded in scattered order: hit@5 is
.92 by words alone, .88 with a quarter of the vectors, .89 to .91 with half or three quarters, .94 with all; recall@20
is .84, .84, .84 to .88 and .90.
"""


@dataclass(frozen=True, slots=True)
class _Asked:
    """What one search was asked for. `question` stands alone; `depth` is how many hits it starts from."""

    question: str
    depth: int
    scope: Scope
    pipeline: PipelineSettings
    without: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class _Judged:
    """Hits in their last order, and what they amount to."""

    hits: Sequence[Hit]
    verdict: Verdict


class Searcher:
    """Searches one index; by words alone where there is no embedder, or it fails or takes over `patience` seconds.

    Of the others the same holds: where the `reranker` gives no order in time, the `spare` does, and if it cannot
    either, hits stay in the order of the search; without a `writer`, no made-up passage helps; without a `rewriter`,
    ambiguous evidence stays as it is. `clock` counts seconds for the stages' times and never goes back; `today` says
    the day on which a document has to hold to be evidence.
    """

    def __init__(
        self,
        index: Index,
        embedder: Embedder | None,
        grader: Grader,
        *,
        reranker: Reranker | None = None,
        spare: Reranker | None = None,
        writer: HypotheticalWriter | None = None,
        rewriter: QueryRewriter | None = None,
        patience: float = 5.0,
        clock: Callable[[], float] = time.perf_counter,
        today: Callable[[], date] = utc_today,
    ) -> None:
        self._index = index
        self._embedder = embedder
        self._grader = grader
        self._reranker = reranker
        self._spare = spare
        self._writer = writer
        self._rewriter = rewriter
        self._patience = patience
        self._clock = clock
        self._today = today

    @property
    def thresholds(self) -> tuple[float, float]:
        """The strengths of evidence below which it is incorrect, and from which it is correct."""
        return self._grader.evidence, self._grader.confident

    async def search(
        self,
        query: Query,
        *,
        k: int = 10,
        collections: Collection[str] | None = None,
        pipeline: PipelineSettings = EVERY_STAGE,
        without: Collection[str] = (),
    ) -> Evidence:
        """The best `k` passages for the standalone question, judged on the first few whatever `k` is.

        Passages of the ids `without` are passed over as if they were not there. A question without a word finds
        nothing. Raises RetrievalError if the index fails, and for nothing else.
        """
        if not words(query.standalone):
            return Evidence(query, (), Grade.INCORRECT, 0.0)
        scope = Scope(collections, self._today())
        depth = max(k, JUDGED, RERANKED if pipeline.rerank else 0)
        asked = _Asked(query.standalone, depth, scope, pipeline, frozenset(without))
        stages = Stages(self._clock, self._patience)
        with self._failures_named():
            vectors = await self._vectors_while_listing(asked, stages)
            hits = await self._find(asked, asked.question, vectors, stages)
            found = await self._judged(asked, hits, stages)
            if found.verdict.grade is Grade.AMBIGUOUS:
                found = await self._corrected(asked, hits, vectors, found, stages)
        verdict = found.verdict
        return Evidence(query, tuple(found.hits[: max(k, 0)]), verdict.grade, verdict.best, tuple(stages.done), scope)

    async def again(
        self,
        query: Query,
        ids: Collection[str],
        *,
        collections: Collection[str] | None = None,
        pipeline: PipelineSettings = EVERY_STAGE,
    ) -> Evidence:
        """These passages as evidence for the question, in the order given, judged as if they had just been found.

        Those that are gone, out of reach or hold no longer are left out. Raises RetrievalError if the index fails.
        """
        today = self._today()
        scope = Scope(collections, today)
        asked = _Asked(query.standalone, len(ids), scope, replace(pipeline, hyde=False))
        stages = Stages(self._clock, self._patience)
        with self._failures_named():
            began = self._clock()
            there = await self._index.passages(ids, collections=collections)
            hits: Sequence[Hit] = [hit for hit in there if hit.document.holds(today)]
            stages.add("search", self._index.name, began, len(hits))
            vectors = await self._vectors(asked, stages)
            if vectors.question is not None:
                hits = await self._with_cosines(hits, vectors.question)
            verdict = await self._judge(asked, hits, stages)
        return Evidence(query, tuple(hits), verdict.grade, verdict.best, tuple(stages.done), scope)

    async def lapsed(
        self,
        query: Query,
        *,
        collections: Collection[str] | None = None,
        pipeline: PipelineSettings = EVERY_STAGE,
    ) -> Document | None:
        """The document that would be evidence if it held today; None where there is none. Raises as `search` does."""
        if not words(query.standalone):
            return None
        asked = _Asked(query.standalone, DEPTH, Scope(collections), replace(pipeline, hyde=False))
        stages, today = Stages(self._clock, self._patience), self._today()
        with self._failures_named():
            hits = await self._find(asked, asked.question, await self._vectors(asked, stages), stages)
            old = [hit for hit in hits if not hit.document.holds(today)]
            found = await self._judged(asked, old, stages)
        return None if found.verdict.grade is Grade.INCORRECT else found.hits[0].document

    @contextmanager
    def _failures_named(self) -> Iterator[None]:
        """Whatever breaks is a RetrievalError that says where."""
        try:
            yield
        except RetrievalError:
            raise
        except Exception as error:
            msg = f"The search in the {self._index.name} index failed ({type(error).__name__})."
            raise RetrievalError(msg) from error

    async def _vectors_while_listing(self, asked: _Asked, stages: Stages) -> Vectors:
        """What to search with by meaning; while it is made, the index may begin with the words."""
        if not asked.pipeline.hybrid or self._embedder is None:
            return await self._vectors(asked, stages)
        expecting = self._index.expect(
            asked.question,
            k=asked.depth + len(asked.without),
            collections=asked.scope.collections,
            today=asked.scope.today,
            context=asked.pipeline.context,
        )
        vectors, _ = await asyncio.gather(self._vectors(asked, stages), expecting)
        return vectors

    async def _vectors(self, asked: _Asked, stages: Stages) -> Vectors:
        """What to search with by meaning, and what is lacking for a full search."""
        if not asked.pipeline.hybrid:
            return Vectors(None, None)
        if self._embedder is None:
            return Vectors(None, None, WITHOUT_EMBEDDER)
        status = await self._index.status()
        if not status.embedded:
            return Vectors(None, None, "no-vectors")
        partly = f"vectors {100 * status.embedded // status.passages} %" if status.embedded < status.passages else None
        if status.embedded < ENOUGH * status.passages:
            return Vectors(None, None, partly)
        writer = self._writer if asked.pipeline.hyde else None
        vectors = await embedded(self._embedder, asked.question, stages, writer=writer)
        return replace(vectors, lacking=vectors.lacking or partly)

    async def _find(self, asked: _Asked, text: str, vectors: Vectors, stages: Stages) -> Sequence[Hit]:
        """The hits for a text, each with its likeness to the question itself, as the grader was fitted to."""
        began = self._clock()
        hits = await self._index.search(
            text,
            vectors.search,
            k=asked.depth + len(asked.without),
            collections=asked.scope.collections,
            today=asked.scope.today,
            context=asked.pipeline.context,
        )
        hits = [hit for hit in hits if hit.passage.id not in asked.without][: asked.depth]
        if vectors.question is not None and vectors.question is not vectors.search:
            hits = await self._with_cosines(hits, vectors.question)
        stages.add("search", self._index.name, began, len(hits), vectors.lacking)
        return hits

    async def _with_cosines(self, hits: Sequence[Hit], vector: Vector) -> list[Hit]:
        cosines = await self._index.cosines([hit.passage.id for hit in hits], vector)
        return [replace(hit, cosine=cosines.get(hit.passage.id)) for hit in hits]

    async def _judged(self, asked: _Asked, hits: Sequence[Hit], stages: Stages) -> _Judged:
        """The hits in their last order, and judged."""
        if asked.pipeline.rerank and hits:
            if self._reranker is not None:
                hits = await self._rerank(self._reranker, asked, hits, stages)
            hits = spread(hits)
        return _Judged(hits, await self._judge(asked, hits, stages))

    async def _corrected(
        self, asked: _Asked, hits: Sequence[Hit], vectors: Vectors, first: _Judged, stages: Stages
    ) -> _Judged:
        """Both searches together, where the question is found in other words; else the first alone.

        Nobody waits for it once a backend has been slow. The whole second search has the patience of one stage.
        """
        if self._rewriter is None or stages.slow:
            return first
        other = await rewritten(self._rewriter, asked.question, first.hits, stages)
        if other is None:
            return first
        began, second = self._clock(), stages.again()
        found, failure = await stages.attempt("second-search", self._second(asked, other, hits, vectors, second))
        if found is None:
            second.done.clear()
            second.add("search", self._index.name, began, 0, failure)
        stages.done.extend(second.done)
        return found or first

    async def _second(
        self, asked: _Asked, other: str, hits: Sequence[Hit], vectors: Vectors, stages: Stages
    ) -> _Judged:
        """What other words find, put among the first hits. All are reranked and judged for the question itself.

        So a rewriting that has wandered off to a neighbouring question finds nothing that counts.
        """
        if self._embedder is not None and vectors.question is not None:
            own = await embedded(self._embedder, other, stages)
            vectors = replace(vectors, search=own.search, lacking=own.lacking or vectors.lacking)
        more = await self._find(asked, other, vectors, stages)
        return await self._judged(asked, merged(hits, more)[: asked.depth], stages)

    async def _rerank(self, reranker: Reranker, asked: _Asked, hits: Sequence[Hit], stages: Stages) -> Sequence[Hit]:
        """The first hits in the reranker's order, or else in the spare's, the rest behind them; as they were without.

        The stage names the one whose order stands, and says what became of the reranker.
        """
        first, rest = hits[:RERANKED], hits[RERANKED:]
        began = self._clock()

        async def ordered_by(one: Reranker) -> list[Hit]:
            return reordered(first, await one.scores(asked.question, first, asked.scope))

        ran = reranker
        ordered, failure = await stages.attempt("reranker", ordered_by(reranker))
        if ordered is None and self._spare is not None:
            ordered, _ = await stages.attempt("spare reranker", ordered_by(self._spare))
            ran = reranker if ordered is None else self._spare
        stages.add("rerank", ran.name, began, len(ordered or ()), failure)
        return [*(ordered or first), *rest]

    async def _judge(self, asked: _Asked, hits: Sequence[Hit], stages: Stages) -> Verdict:
        if not hits:
            return Verdict(Grade.INCORRECT, 0.0)
        if not asked.pipeline.grade:
            return Verdict(Grade.CORRECT, 1.0)
        began = self._clock()
        total, frequencies = await self._index.document_frequencies(
            judged_terms(asked.question, hits), collections=asked.scope.collections, today=asked.scope.today
        )
        verdict = await asyncio.to_thread(self._grader.judge, asked.question, hits, total, frequencies)
        stages.add("grade", self._grader.name, began, len(hits))
        return verdict
