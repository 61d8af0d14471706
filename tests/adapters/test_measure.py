"""Questions are asked as people ask them, and what became of them is kept."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from adapters.app import build
from adapters.degraded import check_whole
from adapters.figures import stages
from adapters.measure import Posed, Trial, ask_all, pose, sample
from adapters.settings import Settings
from bot.answer import Fact, Sentence, Ungrounded
from bot.claude_message import Usage
from bot.claude_models import dollars
from bot.errors import Permanent
from bot.messages import TurnKind
from bot.trace import Span
from retrieval.corrective import ScriptedQueryRewriter
from retrieval.document import PUBLIC, Document
from retrieval.embed import HashEmbedder
from retrieval.grade import Grader
from retrieval.hyde import ScriptedWriter
from retrieval.ingest import ingest
from retrieval.question_file import BadQuestions, Question
from retrieval.search import Searcher
from retrieval.vectors import fill
from tests.bot.engine import bench
from tests.doubles.claude import KEY, MODEL, SMALL_MODEL, ClaudeDouble, Fails, Says

if TYPE_CHECKING:
    from pathlib import Path

    from bot.answer import Answer
    from bot.answerer import Asked
    from retrieval.evidence import Evidence

OPEN = "When is the flu clinic open?"
DECLINES = {"kind": "ungrounded", "sentences": [], "missing": ""}
FLU = Posed("flu", OPEN, {"d1": 3})
PERU = Posed("peru", "What is the capital of Peru?", {})


def silent(_done: int, _total: int) -> None:
    """Nobody watches."""


async def test_an_answer_is_right_if_it_stands_on_a_document_that_answers() -> None:
    made = await bench()
    right, other = await ask_all(made.engine, [FLU, Posed("x", OPEN, {"d3": 1})], on_progress=silent)
    assert (right.kind, set(right.cited), right.right) == (TurnKind.FACT, {"d1"}, True)
    assert (other.answered, other.right) == (True, False)
    assert right.ranking[0] == "d1"
    assert right.strength is not None


async def test_a_decline_is_one_whoever_declines() -> None:
    made = await bench(lambda _: Ungrounded())
    by_grade, by_answerer = await ask_all(made.engine, [PERU, FLU], on_progress=silent)
    assert (by_grade.declined, by_answerer.declined) == (True, True)
    assert not any(span.stage == "answer" for span in by_grade.spans)


@pytest.mark.parametrize("text", ["hello", "I want to kill myself", "x" * 9000])
async def test_what_is_not_searched_for_has_no_strength(text: str) -> None:
    made = await bench()
    _, trial = await ask_all(made.engine, [FLU, Posed("x", text, {"d1": 1})], on_progress=silent)
    assert trial.strength is None
    assert not trial.ranking
    assert not trial.answered
    assert not trial.declined


async def test_the_answerer_is_given_what_a_persons_question_would_give_it() -> None:
    """Though more is searched for."""
    leaflets = {f"Flu {n}": f"The flu clinic number {n} is open on day {n}." for n in range(25)}
    given: list[Evidence] = []

    def write(asked: Asked) -> Answer:
        given.append(asked.evidence)
        best = asked.evidence.hits[0].passage
        return Fact((Sentence(best.text, best.id, best.text),))

    made = await bench(write, leaflets=leaflets)
    (trial,) = await ask_all(made.engine, [FLU], on_progress=silent)
    assert [len(one.hits) for one in given] == [made.engine.settings.passages]
    assert len(trial.ranking) == 25


async def test_neither_memory_hears_of_it() -> None:
    made = await bench()
    await ask_all(made.engine, [FLU, PERU], on_progress=silent)
    assert await made.durable.last_answer("console:local:terminal", "local") is None
    assert await made.guests.last_answer("console:local:terminal", "local") is None


async def test_no_question_hears_of_another() -> None:
    made = await bench()
    heard = made.answerer.asked
    await ask_all(made.engine, [FLU, FLU], on_progress=silent)
    assert [len(one.history) for one in heard] == [0, 0]


async def test_it_tells_how_far_it_is() -> None:
    told: list[tuple[int, int]] = []
    await ask_all((await bench()).engine, [FLU, PERU], on_progress=lambda done, total: told.append((done, total)))
    assert told == [(0, 2), (1, 2), (2, 2)]


async def test_where_every_turn_breaks_there_are_no_figures() -> None:
    made = await bench()
    with pytest.raises(Permanent, match="Every question ended in an error"):
        await ask_all(made.engine, [Posed("long", "x" * 9000, {})], on_progress=silent)


@pytest.fixture
async def answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "flu.md").write_text("# Flu clinic\n\nThe flu clinic is open on Tuesdays from 9 am to 12 noon.\n")
    return Settings.load(home=tmp_path / "home", embedder="none", ANTHROPIC_API_KEY=KEY)


async def test_what_claude_costs_is_counted_by_stage(answered: Settings, tmp_path: Path) -> None:
    async with (
        ClaudeDouble([Says(DECLINES), Says(DECLINES)]) as double,
        await build(answered.model_copy(update={"anthropic_base_url": double.url})) as app,
    ):
        await ingest([tmp_path / "flu.md"], app.index)
        trials = await ask_all(app.engine, [FLU, FLU], on_progress=silent)
    found = {one.stage: one for one in stages(trials)}
    spent = [span.attributes for one in trials for span in one.spans if span.stage == "answer"]
    tokens = [sum(int(one[name]) for one in spent) for name in ("input_tokens", "output_tokens")]
    assert min(tokens) > 0
    assert [found["answer"].input_tokens, found["answer"].output_tokens] == tokens
    assert found["answer"].backends == (MODEL,)
    assert found["answer"].dollars == pytest.approx(dollars(Usage(MODEL, tokens[0], tokens[1], 0, 0)))
    assert found["rerank"].dollars == pytest.approx(dollars(Usage(SMALL_MODEL, found["rerank"].input_tokens, 10, 0, 0)))
    assert found["turn"].dollars == pytest.approx(sum(found[one].dollars or 0.0 for one in ("answer", "rerank")))
    assert found["search"].dollars == 0


async def test_a_stage_that_fell_back_says_so(answered: Settings, tmp_path: Path) -> None:
    async with (
        ClaudeDouble([Fails(401)]) as double,
        await build(answered.model_copy(update={"anthropic_base_url": double.url})) as app,
    ):
        await ingest([tmp_path / "flu.md"], app.index)
        trials = await ask_all(app.engine, [FLU], on_progress=silent)
    (answer,) = (one for one in stages(trials) if one.stage == "answer")
    assert (answer.backends, answer.degraded, answer.input_tokens) == (("extractive",), 1, 0)


async def test_thresholds_are_not_chosen_from_searches_that_did_not_run_as_they_should() -> None:
    made = await bench()  # without an embedder, which is as it should be
    trials = await ask_all(made.engine, [FLU, PERU], on_progress=silent)
    for trial in trials:
        check_whole(trial)
    late = Span("search", 1.0, {"backend": "ram", "degraded": "vectors 25 %"})
    with pytest.raises(Permanent, match="vectors missing"):
        check_whole(replace(trials[0], spans=(late,)))


async def test_no_more_is_asked_once_a_check_fails() -> None:
    made = await bench()
    seen: list[Trial] = []

    def check(trial: Trial) -> None:
        seen.append(trial)
        raise Permanent("no more")

    with pytest.raises(Permanent, match="no more"):
        await ask_all(made.engine, [FLU, PERU], on_progress=silent, check=check)
    assert len(seen) == 1


async def test_a_model_that_declines_to_help_a_search_leaves_it_as_it_should_be() -> None:
    made = await bench()
    embedder, unsure = HashEmbedder(), Grader.fitted(evidence=0.0, confident=1.0)
    await fill(made.index, embedder)
    searcher = Searcher(made.index, embedder, unsure, writer=ScriptedWriter(None), rewriter=ScriptedQueryRewriter(None))
    trials = await ask_all(replace(made.engine, searcher=searcher), [FLU], on_progress=silent)
    reasons = {span.attributes["degraded"] for span in trials[0].spans if "degraded" in span.attributes}
    assert reasons == {"hyde-declined", "rewriter-declined"}
    check_whole(trials[0])


def test_documents_are_known_by_their_ids_and_the_missing_are_named() -> None:
    documents = [Document("flu-1", "Flu", "/docs/flu.md", PUBLIC, "0")]
    known = Question("a", "When?", {"flu.md": 3, "gone.md": 2}, "q.jsonl:1")
    unknown = Question("b", "Where?", {"gone.md": 1}, "q.jsonl:2")
    none = Question("c", "Why?", {}, "q.jsonl:3")
    posed, missing = pose([known, unknown, none], documents)
    assert [(one.id, dict(one.grades)) for one in posed] == [("a", {"flu-1": 3}), ("c", {})]
    assert [line.split(": ")[0] for line in missing] == ["q.jsonl:1", "q.jsonl:2"]


def test_of_two_names_for_one_document_the_better_grade_counts() -> None:
    documents = [Document("flu-1", "Flu", "/docs/flu.md", PUBLIC, "0")]
    posed, _ = pose([Question("a", "When?", {"flu.md": 3, "flu-1": 1}, "q:1")], documents)
    assert posed[0].grades == {"flu-1": 3}


def test_questions_that_none_of_the_documents_answers_are_of_another_index() -> None:
    with pytest.raises(BadQuestions, match="ingest them first"):
        pose([Question("a", "When?", {"gone.md": 3}, "q:1"), Question("b", "Why?", {}, "q:2")], [])


def test_a_sample_is_as_large_as_asked_though_questions_repeat() -> None:
    assert len(sample([FLU, FLU, PERU], 2)) == 2
    assert sample([FLU, PERU], 9) == [FLU, PERU]
