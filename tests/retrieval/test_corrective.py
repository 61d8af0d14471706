"""A second search in other words: when it comes, what it adds, and that it never takes away."""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.corrective import ScriptedQueryRewriter, merged
from retrieval.embed import HashEmbedder
from retrieval.errors import ModelUnavailable
from retrieval.evidence import Grade, Hit, Query
from retrieval.grade import Grader, Verdict
from retrieval.ram_index import RamIndex
from retrieval.rerank import ScriptedReranker
from retrieval.search import PipelineSettings, Searcher
from tests.retrieval.fakes import Failing, Raising, Stuck
from tests.retrieval.samples import document, embed_all, passages, put

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import date

    from retrieval.corrective import QueryRewriter
    from retrieval.embed import Embedder
    from retrieval.evidence import Evidence, Stage
    from retrieval.rerank import Reranker

SUGAR = Query("sugar?", "What must people with sugar disease watch?")
SUGAR_TEXT, DIABETES_TEXT = "Sugar for your tea stands in the hall", "Diabetes: have your eyes checked once a year"
WORDS = "diabetes eyes"
TITLES = ["Leaflet"]


class Grades(Grader):
    """A grader that gives one grade after another, the last for ever, and remembers what it judged."""

    def __init__(self, *grades: Grade) -> None:
        self._grades = list(grades)
        self.judged: list[tuple[str, list[str]]] = []

    @property
    def name(self) -> str:
        return "scripted"

    def judge(self, question: str, hits: Sequence[Hit], total: int, frequencies: Mapping[str, int]) -> Verdict:
        self.judged.append((question, [hit.passage.text for hit in hits]))
        grade = self._grades.pop(0) if len(self._grades) > 1 else self._grades[0]
        return Verdict(grade, {Grade.INCORRECT: 0.1, Grade.AMBIGUOUS: 0.6, Grade.CORRECT: 0.9}[grade])


class Uncounted(RamIndex):
    """An index that counts words for one grade, then raises."""

    def __init__(self) -> None:
        super().__init__()
        self._counts = 0

    async def document_frequencies(
        self, terms: Collection[str], *, collections: Collection[str] | None = None, today: date | None = None
    ) -> tuple[int, Mapping[str, int]]:
        self._counts += 1
        if self._counts > 1:
            raise OSError
        return await super().document_frequencies(terms, collections=collections, today=today)


async def shelf(index: RamIndex | None = None, *, collection: str = "public") -> RamIndex:
    """A leaflet that the question's words find, and one that only other words find."""
    index = index or RamIndex()
    await put(index, document("tea"), SUGAR_TEXT)
    await put(index, document("eyes", collection=collection), DIABETES_TEXT)
    return index


def searcher(
    index: RamIndex,
    rewriter: QueryRewriter | None,
    grader: Grader,
    *,
    embedder: Embedder | None = None,
    reranker: Reranker | None = None,
    patience: float = 30.0,
) -> Searcher:
    return Searcher(index, embedder, grader, reranker=reranker, rewriter=rewriter, patience=patience, clock=lambda: 0.0)


def stage(evidence: Evidence, name: str) -> Stage:
    return next(stage for stage in evidence.stages if stage.name == name)


def names(evidence: Evidence) -> list[str]:
    return [stage.name for stage in evidence.stages]


async def test_ambiguous_evidence_is_searched_for_once_more_and_graded_anew() -> None:
    rewriter, grader = ScriptedQueryRewriter(WORDS), Grades(Grade.AMBIGUOUS, Grade.CORRECT)
    evidence = await searcher(await shelf(), rewriter, grader).search(SUGAR)
    assert {hit.passage.text for hit in evidence.hits} == {SUGAR_TEXT, DIABETES_TEXT}
    assert (evidence.grade, evidence.best) == (Grade.CORRECT, 0.9)
    assert rewriter.asked == [(SUGAR.standalone, TITLES)]
    assert names(evidence) == ["search", "grade", "rewrite", "search again", "grade again"]
    assert (stage(evidence, "rewrite").backend, stage(evidence, "rewrite").returned) == ("scripted", 1)


async def test_every_stage_of_both_searches_is_recorded() -> None:
    index, embedder = await shelf(), HashEmbedder()
    await embed_all(index, embedder)
    rewriter, reranker = ScriptedQueryRewriter(WORDS), ScriptedReranker({})
    search = searcher(index, rewriter, Grades(Grade.AMBIGUOUS), embedder=embedder, reranker=reranker).search
    assert names(await search(SUGAR)) == [
        *("embed", "search", "rerank", "grade"),
        *("rewrite", "embed again", "search again", "rerank again", "grade again"),
    ]


async def test_it_happens_once_and_then_the_grade_holds() -> None:
    rewriter = ScriptedQueryRewriter(WORDS)
    still = await searcher(await shelf(), rewriter, Grades(Grade.AMBIGUOUS)).search(SUGAR)
    assert still.grade is Grade.AMBIGUOUS
    assert len(rewriter.asked) == 1
    worse = await searcher(await shelf(), rewriter, Grades(Grade.AMBIGUOUS, Grade.INCORRECT)).search(SUGAR)
    assert worse.grade is Grade.INCORRECT


@pytest.mark.parametrize("grade", [Grade.CORRECT, Grade.INCORRECT])
async def test_what_is_clear_is_not_searched_for_again(grade: Grade) -> None:
    rewriter = ScriptedQueryRewriter(WORDS)
    evidence = await searcher(await shelf(), rewriter, Grades(grade)).search(SUGAR)
    assert (evidence.grade, rewriter.asked) == (grade, [])


async def test_without_the_grade_there_is_no_second_search() -> None:
    rewriter = ScriptedQueryRewriter(WORDS)
    off = PipelineSettings(grade=False)
    evidence = await searcher(await shelf(), rewriter, Grades(Grade.AMBIGUOUS)).search(SUGAR, pipeline=off)
    assert (names(evidence), rewriter.asked) == (["search"], [])


async def test_the_merged_hits_are_reranked_and_graded_for_the_question_itself() -> None:
    reranker, grader = ScriptedReranker({"eyes#0": 0.9}), Grades(Grade.AMBIGUOUS)
    evidence = await searcher(await shelf(), ScriptedQueryRewriter(WORDS), grader, reranker=reranker).search(SUGAR)
    assert [question for question, _ in grader.judged] == [SUGAR.standalone] * 2
    assert reranker.asked == [(SUGAR.standalone, ["tea#0"]), (SUGAR.standalone, ["tea#0", "eyes#0"])]
    assert [(hit.passage.id, hit.rank, hit.rank_before_rerank) for hit in evidence.hits] == [
        ("eyes#0", 1, 2),
        ("tea#0", 2, 1),
    ]


async def test_all_hits_carry_their_likeness_to_the_question_itself() -> None:
    index, embedder = await shelf(), HashEmbedder()
    await embed_all(index, embedder)
    search = searcher(index, ScriptedQueryRewriter(WORDS), Grades(Grade.AMBIGUOUS), embedder=embedder).search
    evidence = await search(SUGAR)
    question = await embedder.embed_query(SUGAR.standalone)
    texts = await embedder.embed_passages([hit.passage.search_text for hit in evidence.hits])
    assert [hit.cosine for hit in evidence.hits] == pytest.approx([float(text @ question) for text in texts], abs=1e-5)


async def test_the_second_search_sees_no_more_than_the_first() -> None:
    index = await shelf(collection="staff")
    search = searcher(index, ScriptedQueryRewriter(WORDS), Grades(Grade.AMBIGUOUS)).search
    assert "eyes" in {hit.document.id for hit in (await search(SUGAR)).hits}
    evidence = await search(SUGAR, collections=["public"])
    assert {hit.document.id for hit in evidence.hits} == {"tea"}
    assert "search again" in names(evidence)


@pytest.mark.parametrize(
    ("rewriter", "why"),
    [
        (Raising(ModelUnavailable("Claude's server is busy")), "rewriter-failed"),
        (Raising(RuntimeError("confidential")), "rewriter-failed"),
        (Raising(None), "rewriter-slow"),
        (ScriptedQueryRewriter(None), "rewriter-declined"),
        (ScriptedQueryRewriter(""), None),
        (ScriptedQueryRewriter("Sugar disease: people must watch what?"), None),
    ],
    ids=["error", "surprise", "slow", "refusal", "empty", "the same words"],
)
async def test_without_other_words_in_time_the_first_evidence_stands(
    rewriter: QueryRewriter, why: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    index = await shelf()
    with caplog.at_level(logging.DEBUG):
        evidence = await searcher(index, rewriter, Grades(Grade.AMBIGUOUS), patience=0.05).search(SUGAR)
    first = await searcher(index, None, Grades(Grade.AMBIGUOUS)).search(SUGAR)
    assert (evidence.hits, evidence.grade, evidence.best) == (first.hits, first.grade, first.best)
    assert names(evidence) == ["search", "grade", "rewrite"]
    assert (stage(evidence, "rewrite").returned, stage(evidence, "rewrite").degraded) == (0, why)
    assert "confidential" not in caplog.text
    assert "sugar" not in caplog.text


@pytest.mark.parametrize(
    ("index", "why", "patience"),
    [
        (Failing(OSError("disk"), after=1), "second-search-failed", 30.0),
        (Failing(None, after=1), "second-search-slow", 0.05),
        (Uncounted(), "second-search-failed", 30.0),
    ],
    ids=["fails", "hangs", "fails once it has found"],
)
async def test_a_second_search_that_breaks_leaves_the_first_evidence(
    index: RamIndex, why: str, patience: float
) -> None:
    rewriter = ScriptedQueryRewriter(WORDS)
    search = searcher(await shelf(index), rewriter, Grades(Grade.AMBIGUOUS), patience=patience).search
    evidence = await search(SUGAR)
    assert [hit.passage.text for hit in evidence.hits] == [SUGAR_TEXT]
    assert evidence.grade is Grade.AMBIGUOUS
    assert names(evidence) == ["search", "grade", "rewrite", "search again"]
    assert evidence.stages[-1].degraded == why


async def test_after_a_slow_backend_nobody_is_made_to_wait_for_a_second_search() -> None:
    index, rewriter = await shelf(), ScriptedQueryRewriter(WORDS)
    await embed_all(index, HashEmbedder())
    search = searcher(index, rewriter, Grades(Grade.AMBIGUOUS), embedder=Stuck(), patience=0.05).search
    assert (await search(SUGAR)).grade is Grade.AMBIGUOUS
    assert rewriter.asked == []


async def test_the_other_words_stand_in_nothing_that_leaves_the_search(caplog: pytest.LogCaptureFixture) -> None:
    marked = ScriptedQueryRewriter(f"{WORDS} zanzibarine")
    with caplog.at_level(logging.DEBUG):
        evidence = await searcher(await shelf(), marked, Grades(Grade.AMBIGUOUS)).search(SUGAR)
    assert len(evidence.hits) == 2
    assert "zanzibarine" not in repr(evidence) + json.dumps(evidence.as_json()) + caplog.text


# Merging

OWNER = document()
POOL = passages(OWNER, *(f"passage {n}" for n in range(8)))
SEARCHES = st.lists(st.sampled_from(range(8)), unique=True, max_size=8)


def found(order: Sequence[int]) -> list[Hit]:
    return [
        Hit(POOL[n], OWNER, 1 / rank, rank, rank, keyword_rank=rank if n % 2 else None, vector_rank=rank)
        for rank, n in enumerate(order, start=1)
    ]


@given(first=SEARCHES, second=SEARCHES)
def test_each_passage_is_listed_once_with_the_better_of_its_ranks(first: list[int], second: list[int]) -> None:
    hits = merged(found(first), found(second))
    assert sorted(hit.passage.ordinal for hit in hits) == sorted({*first, *second})
    assert [hit.rank for hit in hits] == [hit.rank_before_rerank for hit in hits] == list(range(1, len(hits) + 1))
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    for hit in hits:
        n = hit.passage.ordinal
        best = min(order.index(n) + 1 for order in (first, second) if n in order)
        assert (hit.vector_rank, hit.keyword_rank) == (best, best if n % 2 else None)


@given(order=SEARCHES)
def test_a_second_search_that_finds_the_same_or_nothing_changes_no_order(order: list[int]) -> None:
    hits = found(order)
    for again in (hits, []):
        assert [hit.passage for hit in merged(hits, again)] == [hit.passage for hit in hits]


def test_a_passage_that_reads_the_same_in_another_document_is_not_listed_beside_it() -> None:
    (hit,) = found([0])
    twin = replace(hit, passage=replace(hit.passage, id="other#0", text="passage  0"), keyword_rank=1)
    assert [(one.passage.id, one.keyword_rank) for one in merged([hit], [twin])] == [(hit.passage.id, 1)]
