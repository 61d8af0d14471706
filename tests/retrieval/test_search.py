"""The search as a whole: its stages, what they degrade to, and what never happens."""

from __future__ import annotations

import itertools
import logging
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from retrieval.document import Document, Passage
from retrieval.embed import Embedder, HashEmbedder
from retrieval.errors import IndexMismatch, RetrievalError
from retrieval.evidence import Grade, Query
from retrieval.grade import JUDGED, Grader
from retrieval.ram_index import RamIndex
from retrieval.rerank import RERANKED, Reranker, ScriptedReranker
from retrieval.scope import EVERYTHING, Scope
from retrieval.search import EVERY_STAGE, PipelineSettings, Searcher
from retrieval.vectors import fill
from tests.retrieval.fakes import Failing, Raising, Spied, Stuck
from tests.retrieval.samples import document, passages, put

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.embed import Vector
    from retrieval.evidence import Evidence, Hit, Stage

LEAFLETS = {
    "flu": ("Flu clinic", "The flu clinic is open on Tuesdays from 9 am to noon."),
    "dogs": ("Visiting the ward", "Pets are not allowed on the ward. Assistance dogs are welcome."),
    "parking": ("Getting here", "Parking is free for two hours. Bus 7 stops outside."),
    "blood": ("Blood tests", "Most blood tests need no fasting."),
}
OPEN = Query("when is it open?", "When is the flu clinic open?")


class Broken(HashEmbedder):
    """An embedder whose questions raise."""

    async def embed_query(self, text: str) -> Vector:
        raise RuntimeError(text)


class Recording(HashEmbedder):
    """Remembers what it embedded."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    async def embed_query(self, text: str) -> Vector:
        self.seen.append(text)
        return await super().embed_query(text)

    async def embed_passages(self, texts: Sequence[str]) -> Vector:
        self.seen += texts
        return await super().embed_passages(texts)


class TooFew:
    """A reranker that scores one hit, whatever it is given."""

    name = "too few"

    async def scores(self, question: str, hits: Sequence[Hit], scope: Scope = EVERYTHING) -> Sequence[float]:
        return [0.5]


async def leaflets(index: RamIndex, *, embedder: Embedder | None = None) -> RamIndex:
    for id_, (title, text) in LEAFLETS.items():
        document = Document(id_, title, f"/{id_}.md", "public" if id_ != "blood" else "staff", "hash")
        await index.replace(document, [Passage(f"{id_}#1", id_, 1, text, f"From “{title}”.", (), (0, len(text)))])
    if embedder is not None:
        await fill(index, embedder)
    return index


def searcher(
    index: RamIndex,
    embedder: Embedder | None,
    *,
    reranker: Reranker | None = None,
    spare: Reranker | None = None,
    patience: float = 30.0,
) -> Searcher:
    ticks = itertools.count()
    return Searcher(
        index,
        embedder,
        Grader.fitted(),
        reranker=reranker,
        spare=spare,
        patience=patience,
        clock=lambda: float(next(ticks)),
    )


def stage(evidence: Evidence, name: str) -> Stage:
    return next(stage for stage in evidence.stages if stage.name == name)


async def test_the_right_passage_is_found_by_words_and_by_meaning() -> None:
    embedder = HashEmbedder()
    evidence = await searcher(await leaflets(RamIndex(), embedder=embedder), embedder).search(OPEN)
    assert evidence.hits[0].document.id == "flu"
    assert evidence.hits[0].found_by == ("keyword", "vector")
    assert evidence.query is OPEN


async def test_every_stage_that_ran_is_recorded_with_its_backend_time_and_count() -> None:
    embedder = HashEmbedder()
    evidence = await searcher(await leaflets(RamIndex(), embedder=embedder), embedder).search(OPEN)
    assert [(s.name, s.backend, s.milliseconds, s.degraded) for s in evidence.stages] == [
        ("embed", "hash-64", 1000.0, None),
        ("search", "ram", 1000.0, None),
        ("grade", "fitted", 1000.0, None),
    ]
    assert stage(evidence, "search").returned == len(evidence.hits)


async def test_the_standalone_question_is_searched_not_the_one_typed() -> None:
    index, embedder = Spied(), Recording()
    await leaflets(index, embedder=HashEmbedder())
    await searcher(index, embedder).search(OPEN)
    assert [words for words, _, _ in index.asked] == [OPEN.standalone]
    assert embedder.seen == [OPEN.standalone]


async def test_what_is_to_be_passed_over_is_neither_found_nor_judged() -> None:
    searcher = Searcher(await leaflets(RamIndex()), None, Grader.fitted())
    found = await searcher.search(OPEN)
    others = await searcher.search(OPEN, without=[found.hits[0].passage.id])
    assert found.hits[0].passage.id == "flu#1"
    assert "flu#1" not in {hit.passage.id for hit in others.hits}
    assert (found.grade, others.grade) == (Grade.CORRECT, Grade.INCORRECT)


async def test_passing_over_what_is_best_leaves_as_many_as_were_asked_for() -> None:
    index = RamIndex()
    for n in range(240):
        text = f"The flu clinic {n} is open." if n < 40 else f"Bus {n} stops outside."
        document = Document(f"d{n}", "Leaflet", f"/{n}.md", "public", "1")
        await index.replace(document, [Passage(f"d{n}#1", document.id, 1, text, "", (), (0, len(text)))])
    searcher = Searcher(index, None, Grader.fitted())
    first = [hit.passage.id for hit in (await searcher.search(OPEN, k=30)).hits]
    assert len((await searcher.search(OPEN, k=10, without=first)).hits) == 10


async def test_known_passages_are_judged_again_in_the_order_given_as_far_as_they_are_in_reach() -> None:
    embedder = HashEmbedder()
    searcher = Searcher(await leaflets(RamIndex(), embedder=embedder), embedder, Grader.fitted())
    found = await searcher.search(OPEN)
    again = await searcher.again(OPEN, ["dogs#1", "flu#1", "gone#1", "blood#1"], collections={"public"})
    assert [hit.passage.id for hit in again.hits] == ["dogs#1", "flu#1"]
    cosines = {hit.passage.id: hit.cosine for hit in found.hits}
    assert again.hits[1].cosine == pytest.approx(cosines["flu#1"])
    assert again.grade is found.grade
    assert (await searcher.again(OPEN, ["gone#1"])).grade is Grade.INCORRECT


async def test_without_an_embedder_words_alone_find() -> None:
    evidence = await searcher(await leaflets(RamIndex(), embedder=HashEmbedder()), None).search(OPEN)
    assert evidence.hits[0].found_by == ("keyword",)
    assert [s.name for s in evidence.stages] == ["search", "grade"]
    assert stage(evidence, "search").degraded == "no-embedder"


async def test_hybrid_off_searches_words_alone_and_that_is_no_fault() -> None:
    embedder = Recording()
    index = await leaflets(RamIndex(), embedder=HashEmbedder())
    evidence = await searcher(index, embedder).search(OPEN, pipeline=PipelineSettings(hybrid=False))
    assert evidence.hits[0].found_by == ("keyword",)
    assert embedder.seen == []
    assert all(s.degraded is None for s in evidence.stages)


async def test_an_embedder_that_fails_costs_its_own_hits_only(caplog: pytest.LogCaptureFixture) -> None:
    index = await leaflets(RamIndex(), embedder=HashEmbedder())
    with caplog.at_level(logging.DEBUG):
        evidence = await searcher(index, Broken()).search(OPEN)
    assert evidence.hits[0].document.id == "flu"
    assert evidence.hits[0].found_by == ("keyword",)
    assert stage(evidence, "embed").degraded == "embedder-failed"
    assert stage(evidence, "search").degraded == "embedder-failed"
    assert "RuntimeError" in caplog.text
    assert "flu" not in caplog.text


async def test_an_embedder_that_is_still_loading_is_not_waited_for_longer_than_allowed() -> None:
    index = await leaflets(RamIndex(), embedder=HashEmbedder())
    evidence = await searcher(index, Stuck(), patience=0.01).search(OPEN)
    assert evidence.hits[0].document.id == "flu"
    assert stage(evidence, "embed").degraded == "embedder-slow"


async def test_before_any_vectors_are_in_the_embedder_is_left_alone() -> None:
    embedder = Recording()
    evidence = await searcher(await leaflets(RamIndex()), embedder).search(OPEN)
    assert evidence.hits[0].document.id == "flu"
    assert embedder.seen == []
    assert stage(evidence, "search").degraded == "no-vectors"


async def partly_filled(index: RamIndex, embedder: Embedder, *, waiting: int, of: int) -> None:
    """`of` leaflets, the last `waiting` of them without vectors."""
    for n in range(of):
        document = Document(f"ward-{n}", f"Ward {n}", f"/{n}.md", "public", "hash")
        await index.replace(
            document, [Passage(f"ward-{n}#1", document.id, 1, f"Ward number{n} is up.", "", (), (0, 9))]
        )
        if n < of - waiting:
            await fill(index, embedder)


async def test_while_most_vectors_are_missing_words_alone_find_and_the_share_is_shown() -> None:
    index, embedder = RamIndex(), Recording()
    await partly_filled(index, HashEmbedder(), waiting=3, of=4)
    evidence = await searcher(index, embedder).search(Query("q", "where is ward number3"))
    assert evidence.hits[0].document.id == "ward-3"
    assert embedder.seen == []
    assert stage(evidence, "search").degraded == "vectors 25 %"


async def test_once_nearly_all_vectors_are_in_both_lists_serve_and_what_waits_is_still_found() -> None:
    index, embedder = RamIndex(), HashEmbedder()
    await partly_filled(index, embedder, waiting=1, of=20)
    search = searcher(index, embedder).search
    filled, waiting = await search(Query("q", "ward number3")), await search(Query("q", "where is number19"))
    assert filled.hits[0].found_by == ("keyword", "vector")
    assert "ward-19" in {hit.document.id for hit in waiting.hits}
    assert stage(waiting, "search").degraded == "vectors 95 %"


ANY = Query("q", "flu clinic, pets on the ward, parking, blood tests")


async def test_a_reranker_gives_the_order_and_both_ranks_are_kept() -> None:
    index = await leaflets(RamIndex())
    fused = await searcher(index, None).search(ANY)
    last = fused.hits[-1].passage.id
    reranker = ScriptedReranker({last: 0.9})
    evidence = await searcher(index, None, reranker=reranker).search(ANY)
    assert [hit.passage.id for hit in evidence.hits] == [last, *(hit.passage.id for hit in fused.hits[:-1])]
    assert [hit.rank for hit in evidence.hits] == [1, 2, 3, 4]
    assert [hit.rank_before_rerank for hit in evidence.hits] == [4, 1, 2, 3]
    assert evidence.hits[0].score == 0.9
    assert reranker.asked == [(ANY.standalone, [hit.passage.id for hit in fused.hits])]
    assert [(s.name, s.backend, s.returned, s.degraded) for s in evidence.stages if s.name != "grade"] == [
        ("search", "ram", 4, "no-embedder"),
        ("rerank", "scripted", 4, None),
    ]


async def test_a_passage_deep_in_the_list_is_brought_to_the_front_and_what_is_deeper_stays() -> None:
    index = Spied()
    for n in range(RERANKED + 10):
        document = Document(f"d{n:02}", "Leaflet", f"/{n}.md", "public", "hash")
        text = f"asthma number{n}"
        await index.replace(document, [Passage(f"d{n:02}#1", document.id, 1, text, "", (), (0, len(text)))])
    search = searcher(index, None, reranker=ScriptedReranker({f"d{RERANKED - 1}#1": 0.9, "d35#1": 1.0})).search
    few, many = await search(Query("q", "asthma"), k=3), await search(Query("q", "asthma"), k=RERANKED + 10)
    assert [k for _, _, k in index.asked] == [RERANKED, RERANKED + 10]
    assert (len(few.hits), few.hits[0].document.id) == (3, f"d{RERANKED - 1}")
    assert [hit.rank for hit in many.hits] == list(range(1, RERANKED + 11))
    assert all(hit.rank == hit.rank_before_rerank for hit in many.hits[RERANKED:])
    assert len({hit.passage.id for hit in many.hits}) == RERANKED + 10


async def test_the_grade_is_of_the_hits_in_their_new_order() -> None:
    index = RamIndex()
    full = "The flu clinic is open for pregnant women, by appointment."
    for n, text in enumerate([full, *["The flu clinic."] * JUDGED, *["Ward."] * 40]):
        document = Document(f"d{n}", "Leaflet", f"/{n}.md", "public", "hash")
        await index.replace(document, [Passage(f"d{n}#1", document.id, 1, f"{text} Room {n}.", "", (), (0, 1))])
    question = Query("q", "is the flu clinic open for pregnant women by appointment?")
    up, down = ScriptedReranker({"d0#1": 1.0}), ScriptedReranker({"d0#1": -1.0})
    strong, weak = [await searcher(index, None, reranker=reranker).search(question) for reranker in (up, down)]
    assert len(weak.hits) == JUDGED + 1
    assert weak.best < strong.best


async def test_rerank_off_leaves_the_order_of_the_search_and_asks_nobody() -> None:
    index, reranker = await leaflets(RamIndex()), ScriptedReranker({"blood#1": 1.0})
    evidence = await searcher(index, None, reranker=reranker).search(ANY, pipeline=PipelineSettings(rerank=False))
    assert evidence.hits == (await searcher(index, None).search(ANY)).hits
    assert reranker.asked == []
    assert "rerank" not in {s.name for s in evidence.stages}


@pytest.mark.parametrize("reranker", [None, ScriptedReranker({f"list#{n}": 1.0 for n in range(3)})])
async def test_whoever_gave_the_order_one_section_does_not_fill_the_first_places(reranker: Reranker | None) -> None:
    index = RamIndex()
    checklist = Document("list", "Flu", "/list.md", "public", "hash")
    rows = [Passage(f"list#{n}", "list", n, f"Flu vaccine row {n}", "", ("Rows",), (0, 1)) for n in range(3)]
    await index.replace(checklist, rows)
    await index.replace(
        Document("text", "Leaflet", "/text.md", "public", "hash"),
        [Passage("text#0", "text", 0, "The vaccine is given once a year to those who ask.", "", ("Why",), (0, 1))],
    )
    found = await searcher(index, None, reranker=reranker).search(Query("q", "flu vaccine"))
    assert [(hit.passage.id, hit.rank, hit.rank_before_rerank) for hit in found.hits] == [
        ("list#0", 1, 1),
        ("list#1", 2, 2),
        ("text#0", 3, 4),
        ("list#2", 4, 3),
    ]


failing_rerankers = pytest.mark.parametrize(
    ("reranker", "why"),
    [
        (Raising(RetrievalError("busy")), "reranker-failed"),
        (Raising(RuntimeError("confidential")), "reranker-failed"),
        (TooFew(), "reranker-failed"),
        (Raising(None), "reranker-slow"),
    ],
    ids=["error", "surprise", "too few scores", "slow"],
)


@failing_rerankers
async def test_where_a_reranker_fails_or_is_slow_the_spare_gives_the_order(reranker: Reranker, why: str) -> None:
    index = await leaflets(RamIndex())
    last = (await searcher(index, None).search(ANY)).hits[-1].passage.id
    spare = ScriptedReranker({last: 0.9})
    evidence = await searcher(index, None, reranker=reranker, spare=spare, patience=0.05).search(ANY)
    assert (evidence.hits[0].passage.id, evidence.hits[0].rank_before_rerank) == (last, 4)
    ran = [stage for stage in evidence.stages if stage.name == "rerank"]
    assert [(stage.backend, stage.returned, stage.degraded) for stage in ran] == [("scripted", 4, why)]


async def test_a_spare_is_not_asked_while_the_reranker_answers() -> None:
    index, spare = await leaflets(RamIndex()), ScriptedReranker({})
    await searcher(index, None, reranker=ScriptedReranker({}), spare=spare).search(ANY)
    await searcher(index, None, spare=spare).search(ANY)
    assert spare.asked == []


@failing_rerankers
@pytest.mark.parametrize("spare", [None, Raising(RetrievalError("the index"))], ids=["no spare", "a spare that fails"])
async def test_a_reranker_that_fails_or_is_slow_leaves_the_order_of_the_search_if_no_spare_gives_one(
    reranker: Reranker, why: str, spare: Reranker | None, caplog: pytest.LogCaptureFixture
) -> None:
    index = await leaflets(RamIndex())
    evidence = await searcher(index, None, reranker=reranker, spare=spare, patience=0.05).search(ANY)
    fused = await searcher(index, None).search(ANY)
    assert (evidence.hits, evidence.grade, evidence.best) == (fused.hits, fused.grade, fused.best)
    ran = stage(evidence, "rerank")
    assert (ran.backend, ran.returned, ran.degraded) == (reranker.name, 0, why)
    assert "confidential" not in caplog.text


async def test_without_a_reranker_that_answers_one_section_does_not_fill_the_first_places() -> None:
    index = RamIndex()
    checklist, other = document("checklist"), document("other")
    boxes = passages(checklist, *(f"flu {n}" for n in range(6)))
    await index.replace(checklist, [replace(box, headings=("List",)) for box in boxes])
    await put(index, other, *(f"flu, and what else there is to be said of it: {n}" for n in range(3)))
    for reranker in (None, Raising(RetrievalError("busy"))):
        evidence = await searcher(index, None, reranker=reranker).search(Query("flu", "flu"))
        assert [hit.document.id for hit in evidence.hits[:5]] == [*["checklist"] * 2, *["other"] * 3]


async def test_where_nothing_is_found_no_reranker_is_asked() -> None:
    reranker = ScriptedReranker({})
    await searcher(RamIndex(), None, reranker=reranker).search(OPEN)
    assert reranker.asked == []


@pytest.mark.parametrize("question", ["", "   \n", "?!", "🙂", "—"])
async def test_a_question_without_words_finds_nothing(question: str) -> None:
    index = Spied()
    evidence = await searcher(await leaflets(index), None).search(Query(question, question))
    assert (evidence.hits, evidence.grade, evidence.best) == ((), Grade.INCORRECT, 0.0)
    assert index.asked == []


async def test_an_empty_index_is_no_evidence() -> None:
    evidence = await searcher(RamIndex(), HashEmbedder()).search(OPEN)
    assert (evidence.hits, evidence.grade, evidence.best) == ((), Grade.INCORRECT, 0.0)


async def test_grade_off_takes_what_was_found_as_correct_and_nothing_as_incorrect() -> None:
    off = PipelineSettings(grade=False)
    found = await searcher(await leaflets(RamIndex()), None).search(Query("q", "bus to Peru"), pipeline=off)
    nothing = await searcher(RamIndex(), None).search(Query("q", "bus to Peru"), pipeline=off)
    assert found.grade is Grade.CORRECT
    assert nothing.grade is Grade.INCORRECT
    assert [s.name for s in found.stages] == ["search"]


async def test_the_grade_does_not_depend_on_how_many_hits_are_asked_for() -> None:
    index, embedder = Spied(), HashEmbedder()
    search = searcher(await leaflets(index, embedder=embedder), embedder).search
    few, many = await search(OPEN, k=1), await search(OPEN, k=40)
    assert len(few.hits) == 1
    assert (few.best, few.grade) == (many.best, many.grade)
    assert [k for _, _, k in index.asked] == [RERANKED, 40]


async def test_only_the_collections_asked_for_are_searched() -> None:
    embedder = HashEmbedder()
    search = searcher(await leaflets(RamIndex(), embedder=embedder), embedder).search
    blood = Query("q", "Do blood tests need fasting?")
    assert "blood" in {hit.document.id for hit in (await search(blood, collections=["staff"])).hits}
    assert "blood" not in {hit.document.id for hit in (await search(blood, collections=["public"])).hits}
    assert (await search(blood, collections=[])).hits == ()


async def test_an_index_that_fails_is_a_retrieval_error_without_the_question() -> None:
    with pytest.raises(RetrievalError, match=r"ram index failed \(OSError\)") as caught:
        await searcher(Failing(OSError("disk")), None).search(OPEN)
    assert "flu" not in str(caught.value)


async def test_an_index_of_another_model_says_so_itself() -> None:
    mismatch = IndexMismatch("another model")
    with pytest.raises(IndexMismatch) as caught:
        await searcher(Failing(mismatch), None).search(OPEN)
    assert caught.value is mismatch


def test_settings_know_their_stages_only() -> None:
    assert PipelineSettings() == EVERY_STAGE
    misspelt = {"rerankk": False}
    with pytest.raises(TypeError):
        PipelineSettings(**misspelt)


def test_importing_the_search_loads_nothing_heavy() -> None:
    code = (
        "import sys, retrieval.search, retrieval.grade, retrieval.vectors; "
        "print([name for name in ('numpy', 'onnxruntime', 'tokenizers', 'pydantic') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
