"""A made-up passage helps the search, and nothing else ever sees it."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import TYPE_CHECKING

import pytest

from retrieval.embed import HashEmbedder
from retrieval.errors import ModelUnavailable
from retrieval.evidence import Query
from retrieval.grade import Grader
from retrieval.hyde import ScriptedWriter
from retrieval.ram_index import RamIndex
from retrieval.rerank import ScriptedReranker
from retrieval.search import PipelineSettings, Searcher
from tests.retrieval.fakes import Raising, Spied
from tests.retrieval.samples import document, embed_all, put

if TYPE_CHECKING:
    from retrieval.embed import Embedder, Vector
    from retrieval.evidence import Evidence, Stage
    from retrieval.hyde import HypotheticalWriter

DOG = Query("dogs?", "Can I bring my dog?")
ASSISTANCE = "Assistance animals are welcome on the ward"
TEXTS = ["Pets and assistance animals may visit the ward", "The dog was found", "Bring your card", "Parking is free"]
MARKER = "zanzibarine"


class Writing:
    """A writer that says when it begins, waits for something, and says if it was stopped."""

    name = "writing"

    def __init__(self, began: asyncio.Event, *, until: asyncio.Event) -> None:
        self._until = until
        self.began = began
        self.cancelled = False

    async def passage(self, question: str) -> str | None:
        self.began.set()
        try:
            await self._until.wait()
        except asyncio.CancelledError:
            self.cancelled = True
            raise
        return ASSISTANCE


class Waiting(HashEmbedder):
    """An embedder whose questions wait for something, then say that they are done, or fail without a way to say so."""

    def __init__(self, *, until: asyncio.Event, done: asyncio.Event | None = None) -> None:
        super().__init__()
        self._until = until
        self._done = done

    async def embed_query(self, text: str) -> Vector:
        await self._until.wait()
        if self._done is None:
            raise ModelUnavailable("busy")
        self._done.set()
        return await super().embed_query(text)


async def ward(index: RamIndex | None = None) -> RamIndex:
    index = index or RamIndex()
    await put(index, document("ward", title="Visiting"), *TEXTS)
    await embed_all(index, HashEmbedder())
    return index


def searcher(
    index: RamIndex, writer: HypotheticalWriter | None, *, embedder: Embedder | None = None, patience: float = 30.0
) -> Searcher:
    return Searcher(
        index, embedder or HashEmbedder(), Grader.fitted(), writer=writer, patience=patience, clock=lambda: 0.0
    )


def stage(evidence: Evidence, name: str) -> Stage:
    return next(stage for stage in evidence.stages if stage.name == name)


def ran(evidence: Evidence) -> set[str]:
    return {stage.name for stage in evidence.stages}


async def test_it_moves_the_question_half_way_towards_itself() -> None:
    index, embedder = await ward(Spied()), HashEmbedder()
    assert isinstance(index, Spied)
    writer = ScriptedWriter(ASSISTANCE)
    evidence = await searcher(index, writer).search(DOG)
    ((_, vector, _),) = index.asked
    assert vector is not None
    question, passage = await embedder.embed_query(DOG.standalone), await embedder.embed_query(ASSISTANCE)
    assert float(vector @ vector) == pytest.approx(1.0, abs=1e-5)
    assert float(vector @ question) == pytest.approx(float(vector @ passage), abs=1e-5)
    assert writer.asked == [DOG.standalone]
    hyde = stage(evidence, "hyde")
    assert (hyde.backend, hyde.returned, hyde.degraded) == ("scripted", 1, None)


async def test_a_passage_that_the_questions_words_miss_is_found() -> None:
    index = await ward()
    without = await searcher(index, None).search(DOG)
    helped = await searcher(index, ScriptedWriter(ASSISTANCE)).search(DOG)
    ranks = [{hit.passage.text: hit.vector_rank for hit in evidence.hits} for evidence in (without, helped)]
    assert (ranks[0][TEXTS[0]] or 0) > 1
    assert ranks[1][TEXTS[0]] == 1


async def test_hits_are_compared_and_graded_by_the_question_itself() -> None:
    index, embedder = await ward(), HashEmbedder()
    evidence = await searcher(index, ScriptedWriter(ASSISTANCE)).search(DOG)
    question = await embedder.embed_query(DOG.standalone)
    texts = await embedder.embed_passages([hit.passage.search_text for hit in evidence.hits])
    assert [hit.cosine for hit in evidence.hits] == pytest.approx([float(text @ question) for text in texts], abs=1e-5)
    plain = await searcher(index, None).search(DOG)
    assert (evidence.best, evidence.grade) == (plain.best, plain.grade)


async def test_it_is_written_while_the_question_is_embedded() -> None:
    began, embedded = asyncio.Event(), asyncio.Event()
    writer, embedder = Writing(began, until=embedded), Waiting(until=began, done=embedded)
    evidence = await searcher(await ward(), writer, embedder=embedder).search(DOG)
    assert (stage(evidence, "embed").degraded, stage(evidence, "hyde").degraded) == (None, None)


async def test_once_the_questions_vector_fails_it_is_not_waited_for() -> None:
    writer = Writing(asyncio.Event(), until=asyncio.Event())
    evidence = await searcher(await ward(), writer, embedder=Waiting(until=writer.began)).search(DOG)
    assert writer.cancelled
    assert "hyde" not in ran(evidence)
    assert stage(evidence, "search").degraded == "embedder-failed"
    assert evidence.hits


async def test_a_turn_that_is_given_up_leaves_no_writer_behind() -> None:
    writer = Writing(asyncio.Event(), until=asyncio.Event())
    search = asyncio.create_task(searcher(await ward(), writer).search(DOG))
    await writer.began.wait()
    search.cancel()
    with pytest.raises(asyncio.CancelledError):
        await search
    assert writer.cancelled


@pytest.mark.parametrize(
    ("writer", "why"),
    [
        (Raising(ModelUnavailable("Claude's server is busy")), "hyde-failed"),
        (Raising(RuntimeError(MARKER)), "hyde-failed"),
        (ScriptedWriter(None), "hyde-declined"),
        (ScriptedWriter(""), "hyde-declined"),
        (Writing(asyncio.Event(), until=asyncio.Event()), "hyde-slow"),
    ],
    ids=["error", "surprise", "refusal", "empty", "slow"],
)
async def test_without_one_in_time_the_question_alone_is_searched(
    writer: HypotheticalWriter, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    index = await ward()
    with caplog.at_level(logging.DEBUG):
        evidence = await searcher(index, writer, patience=0.05).search(DOG)
    plain = await searcher(index, None).search(DOG)
    assert (evidence.hits, evidence.grade, evidence.best) == (plain.hits, plain.grade, plain.best)
    hyde = stage(evidence, "hyde")
    assert (hyde.returned, hyde.degraded) == (0, why)
    assert stage(evidence, "embed").degraded is None
    assert MARKER not in caplog.text
    assert "dog" not in caplog.text
    assert ("without the made-up passage" in caplog.text) is (why == "hyde-failed")


@pytest.mark.parametrize("off", [PipelineSettings(hyde=False), PipelineSettings(hybrid=False)], ids=["hyde", "hybrid"])
async def test_switched_off_nobody_writes(off: PipelineSettings) -> None:
    writer = ScriptedWriter(ASSISTANCE)
    evidence = await searcher(await ward(), writer).search(DOG, pipeline=off)
    assert writer.asked == []
    assert "hyde" not in ran(evidence)


async def test_where_no_vectors_are_searched_nobody_writes() -> None:
    writer, index = ScriptedWriter(ASSISTANCE), RamIndex()
    await put(index, document(), *TEXTS)
    await searcher(index, writer).search(DOG)
    await Searcher(await ward(), None, Grader.fitted(), writer=writer).search(DOG)
    assert writer.asked == []


async def test_it_stands_in_nothing_that_leaves_the_search_and_no_reranker_sees_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    reranker = ScriptedReranker({})
    writer = ScriptedWriter(f"{ASSISTANCE} {MARKER}")
    with caplog.at_level(logging.DEBUG):
        evidence = await Searcher(
            await ward(), HashEmbedder(), Grader.fitted(), reranker=reranker, writer=writer
        ).search(DOG)
    assert stage(evidence, "hyde").returned == 1
    assert {question for question, _ in reranker.asked} == {DOG.standalone}
    assert MARKER not in repr(evidence) + json.dumps(evidence.as_json()) + caplog.text
