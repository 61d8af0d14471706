"""What is wired for which settings. `test_outages.py` takes the backends away again."""

from __future__ import annotations

import asyncio
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from adapters.app import build, utc_now
from adapters.console import message
from adapters.demo import demo_settings
from adapters.documents import fill_in
from adapters.settings import Settings
from bot.errors import Misconfigured
from bot.messages import TurnKind
from bot.prompts import Prompt
from memory.summary import Summary
from retrieval.errors import IndexMismatch, ModelRefused, RetrievalError
from retrieval.evidence import Query
from retrieval.ingest import ingest
from retrieval.ram_index import RamIndex
from retrieval.search import PipelineSettings
from tests.doubles import claude as claudes
from tests.doubles.onnx import cross_encoder
from tests.doubles.voyage import KEY, VoyageDouble

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from adapters.app import Application
    from retrieval.evidence import Stage

OPEN = "When is the flu clinic open?"
DECLINE = {"kind": "ungrounded", "sentences": [], "missing": ""}
LEAFLET = "# Flu clinic\n\nThe flu clinic is open on Tuesdays from 9 am to 12 noon.\n"


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No `.env` and no key of the developer's own."""
    monkeypatch.chdir(tmp_path)
    for name in ("VOYAGE_API_KEY", "VOYAGE_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
async def claude() -> AsyncIterator[claudes.ClaudeDouble]:
    async with claudes.ClaudeDouble([]) as running:
        yield running


@pytest.fixture
async def double() -> AsyncIterator[VoyageDouble]:
    async with VoyageDouble() as running:
        yield running


def settings(home: Path, *doubles: VoyageDouble | claudes.ClaudeDouble, **given: str) -> Settings:
    keys: dict[str, str] = {}
    for double in doubles:
        name, key = ("VOYAGE", KEY) if isinstance(double, VoyageDouble) else ("ANTHROPIC", claudes.KEY)
        keys |= {f"{name}_API_KEY": key, f"{name}_BASE_URL": double.url}
    return Settings.load(home=home / "home", **keys, **given)


async def filled(app: Application, folder: Path) -> Application:
    (folder / "flu.md").write_text(LEAFLET)
    await ingest([folder / "flu.md"], app.index)
    await fill_in(app)
    return app


async def stages(app: Application, question: str = OPEN) -> dict[str, Stage]:
    evidence = await app.searcher.search(Query(question, question), pipeline=app.engine.pipeline)
    return {stage.name: stage for stage in evidence.stages}


@pytest.mark.usefixtures("nothing_blocks_the_loop")
async def test_without_a_key_the_installations_own_models_embed_and_rerank(tmp_path: Path) -> None:
    loaded = await asyncio.to_thread(settings, tmp_path)
    async with await build(loaded) as app:
        ran = await stages(await filled(app, tmp_path))
        assert app.voyage is None
        assert {name: (stage.backend, stage.degraded) for name, stage in ran.items()} == {
            "embed": ("all-MiniLM-L6-v2", None),
            "search": ("sqlite", None),
            "rerank": ("fitted", None),
            "grade": ("fitted", None),
        }


async def test_with_a_key_voyage_embeds_and_reranks(tmp_path: Path, double: VoyageDouble) -> None:
    async with await build(settings(tmp_path, double)) as app:
        ran = await stages(await filled(app, tmp_path))
        assert {name: (stage.backend, stage.degraded) for name, stage in ran.items()} == {
            "embed": ("voyage-4", None),
            "search": ("sqlite", None),
            "rerank": ("rerank-2.5", None),
            "grade": ("fitted", None),
        }
        assert (await app.index.status()).model == "voyage-4"


async def test_the_models_can_be_chosen(tmp_path: Path, double: VoyageDouble) -> None:
    chosen = settings(tmp_path, double, voyage_model="voyage-context-3", rerank_model="rerank-2.5-lite")
    async with await build(chosen) as app:
        ran = await stages(await filled(app, tmp_path))
        assert (ran["embed"].backend, ran["rerank"].backend) == ("voyage-context-3", "rerank-2.5-lite")


async def test_the_demo_uses_no_key_and_no_reranker_that_needs_one(
    tmp_path: Path, double: VoyageDouble, claude: claudes.ClaudeDouble
) -> None:
    async with await build(demo_settings(settings(tmp_path, double, claude, reranker="voyage"))) as app:
        assert (app.voyage, app.claude) == (None, None)


async def test_with_claudes_key_alone_claude_reranks_and_its_small_model_can_be_chosen(
    tmp_path: Path, claude: claudes.ClaudeDouble
) -> None:
    async with await build(settings(tmp_path, claude, small_model=claudes.MODEL)) as app:
        ran = await stages(await filled(app, tmp_path))
        assert (ran["rerank"].backend, ran["rerank"].degraded) == (claudes.MODEL, None)


@pytest.mark.parametrize(
    ("reranker", "name"),
    [
        (None, "rerank-2.5"),
        ("voyage", "rerank-2.5"),
        ("Claude", claudes.SMALL_MODEL),
        ("fitted", "fitted"),
        ("none", None),
    ],
)
async def test_with_both_keys_voyage_reranks_unless_another_is_named(
    tmp_path: Path, double: VoyageDouble, claude: claudes.ClaudeDouble, reranker: str | None, name: str | None
) -> None:
    given = {"reranker": reranker} if reranker else {}
    async with await build(settings(tmp_path, double, claude, embedder="none", **given)) as app:
        assert (app.reranker.name if app.reranker else None) == name


@pytest.mark.parametrize(("reranker", "key"), [("voyage", "VOYAGE_API_KEY"), ("claude", "ANTHROPIC_API_KEY")])
async def test_a_reranker_that_lacks_its_key_says_which(tmp_path: Path, reranker: str, key: str) -> None:
    with pytest.raises(Misconfigured, match=rf"CITEWELL_RERANKER.*{key}"):
        await build(settings(tmp_path, reranker=reranker))


async def test_a_folder_that_is_named_reranks_before_any_key(tmp_path: Path, claude: claudes.ClaudeDouble) -> None:
    folder = await asyncio.to_thread(cross_encoder, tmp_path / "judge", knows=f"{OPEN} {LEAFLET}")
    async with await build(settings(tmp_path, claude, reranker=str(folder))) as app:
        ran = await stages(await filled(app, tmp_path))
        assert ran["rerank"].backend.startswith("judge-")
        assert ran["rerank"].degraded is None


async def test_a_folder_that_is_not_there_or_holds_no_model_is_said_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="CITEWELL_RERANKER names no folder"):
        await build(settings(tmp_path, reranker=str(tmp_path / "nowhere")))
    with pytest.raises(RetrievalError, match=r"model\.onnx"):
        await build(settings(tmp_path, reranker=str(tmp_path)))


class Closing(RamIndex):
    """An index that knows whether it was closed."""

    closed = False

    async def close(self) -> None:
        self.closed = True


async def test_what_was_opened_is_closed_where_a_later_choice_cannot_be_made(tmp_path: Path) -> None:
    closing = Closing()
    with pytest.raises(Misconfigured, match="CITEWELL_RERANKER"):
        await build(settings(tmp_path, reranker=str(tmp_path / "nowhere")), index=closing)
    assert closing.closed


async def test_a_part_that_fails_to_close_keeps_no_other_open(tmp_path: Path) -> None:
    closing = Closing()

    async def fails() -> None:
        raise OSError("disk")

    app = await build(settings(tmp_path, embedder="none"), index=closing)
    assert not closing.closed
    app.opened.push_async_callback(fails)
    with pytest.raises(OSError, match="disk"):
        await app.close()
    assert closing.closed


async def test_what_needs_no_index_is_found_wrong_before_one_is_opened(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="CITEWELL_CONFIDENT_THRESHOLD"):
        await build(settings(tmp_path, evidence_threshold="0.9", confident_threshold="0.1"))
    assert not (tmp_path / "home" / "index.db").exists()


@pytest.mark.usefixtures("nothing_blocks_the_loop")
async def test_a_claude_that_hangs_in_every_stage_leaves_time_for_an_extract_before_the_deadline(
    tmp_path: Path, claude: claudes.ClaudeDouble
) -> None:
    loaded = await asyncio.to_thread(settings, tmp_path, claude, embedder="none", turn_deadline="5")
    async with await build(loaded) as app:
        await filled(app, tmp_path)
        claude.replies, claude.judging = [claudes.Hangs()] * 9, [claudes.Hangs()] * 9
        for number, text in enumerate((OPEN, "And when does the flu clinic open on Tuesdays?")):
            asked = message(text, id_=f"m{number}", thread="t", at=utc_now())
            async with asyncio.timeout(loaded.turn_deadline):
                reply = await app.respond(asked)
            assert "Tuesdays from 9 am to 12 noon" in reply.text
        assert claude.held == 5  # the second question is a follow-up too


async def test_what_was_chosen_is_said_in_a_line(tmp_path: Path, claude: claudes.ClaudeDouble) -> None:
    async with await build(settings(tmp_path, claude)) as app:
        assert app.backends == (
            "Index: sqlite. Embedder: all-MiniLM-L6-v2. Reranker: claude-haiku-5-5. Answers: claude-sonnet-5-5."
        )
    async with await build(settings(tmp_path, embedder="none")) as app:
        assert app.backends == "Index: sqlite. Embedder: none. Reranker: fitted. Answers: extractive."


def spent(caplog: pytest.LogCaptureFixture) -> dict[str, dict[str, float]]:
    """The counts of each stage of the latest turn that asked a model, as the log gives them."""
    (*_, turn) = [record.getMessage() for record in caplog.records if record.name == "bot.turn"]
    lines = {stage.split()[0]: dict(re.findall(r"(\w+)=([\d.]+)(?= |$)", stage)) for stage in turn.split(" | ")[1:]}
    counts = ("input_tokens", "output_tokens", "dollars", "unpriced_calls")
    return {
        stage: {name: float(count) for name, count in noted.items() if name in counts}
        for stage, noted in lines.items()
        if "input_tokens" in noted
    }


async def test_a_turns_trace_has_the_tokens_and_dollars_of_each_stage_that_asked_a_model_and_their_sum(
    tmp_path: Path, claude: claudes.ClaudeDouble, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", logger="bot.turn")
    made_up, follow_up = claudes.Says({"passage": LEAFLET}), claudes.Says({"question": OPEN})
    claude.replies = [made_up, claudes.Says(DECLINE), follow_up, made_up, claudes.Says(DECLINE)]
    async with await build(settings(tmp_path, claude)) as app:
        await filled(app, tmp_path)
        for number in (1, 2):
            await app.engine.respond(message(OPEN, id_=f"m{number}", thread="t", at=utc_now()))
    stages = spent(caplog)
    whole = stages.pop("turn")
    assert stages.keys() >= {"followup", "hyde", "rerank", "answer"}
    for name in ("input_tokens", "output_tokens"):
        assert whole[name] == sum(stage[name] for stage in stages.values())
    assert 0 < whole["dollars"] == pytest.approx(sum(stage["dollars"] for stage in stages.values()), abs=1e-5)


async def test_of_a_model_whose_price_is_not_known_calls_are_counted_in_place_of_dollars(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", logger="bot.turn")
    server = claudes.ClaudeDouble([claudes.Says(DECLINE)], models=["qwen3:4b", claudes.SMALL_MODEL])
    async with server, await build(settings(tmp_path, server, model="qwen3:4b", stages_off="hyde")) as app:
        await filled(app, tmp_path)
        await app.engine.respond(message(OPEN, id_="m1", thread="t", at=utc_now()))
    stages = spent(caplog)
    assert stages["answer"]["unpriced_calls"] == stages["turn"]["unpriced_calls"] == 1
    assert "dollars" not in stages["answer"]
    assert stages["turn"]["dollars"] == stages["rerank"]["dollars"]


async def test_an_operators_own_instructions_are_sent_and_their_version_is_in_the_trace(
    tmp_path: Path, claude: claudes.ClaudeDouble, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", logger="bot.turn")
    claude.replies = [claudes.Says(DECLINE)]
    own = tmp_path / "own.md"
    own.write_text("Answer in rhyme.\n")
    async with await build(settings(tmp_path, claude, stages_off="hyde,rerank", answer_prompt=str(own))) as app:
        await filled(app, tmp_path)
        await app.engine.respond(message(OPEN, id_="m1", thread="t", at=utc_now()))
    assert [block["text"] for block in claude.requests[-1]["system"]] == ["Answer in rhyme."]
    assert f" prompt={Prompt('answer', 'Answer in rhyme.').version} " in caplog.text


@pytest.mark.parametrize("content", [None, "  \n"], ids=["missing", "empty"])
async def test_instructions_that_cannot_be_read_are_said_before_anything_starts(
    tmp_path: Path, claude: claudes.ClaudeDouble, content: str | None
) -> None:
    if content is not None:
        (tmp_path / "own.md").write_text(content)
    with pytest.raises(Misconfigured, match=r"own\.md.*CITEWELL_ANSWER_PROMPT"):
        await build(settings(tmp_path, claude, answer_prompt="own.md"))


@pytest.mark.parametrize(("embedder", "name"), [("local", "all-MiniLM-L6-v2"), ("none", None)])
async def test_an_embedder_that_is_named_goes_before_the_key_which_reranks_still(
    tmp_path: Path, double: VoyageDouble, embedder: str, name: str | None
) -> None:
    async with await build(settings(tmp_path, double, embedder=embedder)) as app:
        await filled(app, tmp_path)
        assert (app.embedder.name if app.embedder else None) == name
        assert (await stages(app))["rerank"].backend == "rerank-2.5"
    assert {path for path, _ in double.requests} == {"/v1/rerank"}


async def test_a_key_given_later_is_refused_until_the_documents_are_embedded_anew(
    tmp_path: Path, double: VoyageDouble
) -> None:
    async with await build(settings(tmp_path)) as app:
        await filled(app, tmp_path)
    with pytest.raises(IndexMismatch, match="--re-embed"):
        await build(settings(tmp_path, double))
    async with await build(settings(tmp_path, double), re_embed=True) as app:
        assert (await fill_in(app)).status.model == "voyage-4"


async def test_with_a_model_made_up_passages_and_other_words_help_the_search(tmp_path: Path) -> None:
    made_up, other_words = claudes.Says({"passage": LEAFLET}), claudes.Says({"query": "flu clinic hours"})
    async with claudes.ClaudeDouble([made_up], rewording=[other_words]) as model:
        keys = {"ANTHROPIC_API_KEY": claudes.KEY, "ANTHROPIC_BASE_URL": model.url}
        weak = settings(tmp_path, evidence_threshold="0", stages_off="rerank", **keys)
        async with await build(weak) as app:
            ran = await stages(await filled(app, tmp_path), "Who vaccinates parrots?")
    assert [ran[name].backend for name in ("hyde", "rewrite")] == [claudes.SMALL_MODEL] * 2
    assert {"embed again", "search again", "grade again"} <= ran.keys()
    assert {stage.degraded for stage in ran.values()} == {None}


async def test_without_a_model_nothing_is_made_up_or_rewritten(tmp_path: Path) -> None:
    async with await build(settings(tmp_path, evidence_threshold="0")) as app:
        ran = await stages(await filled(app, tmp_path), "Who vaccinates parrots?")
    assert ran.keys() == {"embed", "search", "rerank", "grade"}


async def test_a_stage_switched_off_for_good_runs_in_no_turn(tmp_path: Path) -> None:
    async with await build(settings(tmp_path, stages_off="hyde,hybrid")) as app:
        assert app.engine.pipeline == PipelineSettings(hyde=False, hybrid=False)


async def test_what_cannot_be_a_key_or_an_address_is_named(tmp_path: Path, double: VoyageDouble) -> None:
    with pytest.raises(ModelRefused, match="VOYAGE_API_KEY"):
        await build(settings(tmp_path, VOYAGE_API_KEY="two words"))
    for name in ("VOYAGE_BASE_URL", "ANTHROPIC_BASE_URL"):
        for given in ("api.example", "localhost:8080", "http://", "http://host:port"):
            with pytest.raises(Misconfigured, match=f"{name}: .* https://"):
                settings(tmp_path, **{name: given})


async def test_voyage_gone_altogether_leaves_an_answer(tmp_path: Path) -> None:
    async with VoyageDouble() as double:
        app = await filled(await build(settings(tmp_path, double)), tmp_path)
    async with app:
        reply = await app.engine.respond(message(OPEN, id_="m1", thread="t", at=utc_now()))
        assert "Tuesdays from 9 am to 12 noon" in reply.text


async def test_with_no_days_to_keep_a_conversation_goes_on_and_nothing_is_written(tmp_path: Path) -> None:
    async with await build(await asyncio.to_thread(settings, tmp_path, embedder="none", keep_days="0")) as app:
        await filled(app, tmp_path)
        for text in (OPEN, "And on which day?"):
            assert (await app.respond(message(text, id_=text, thread="t", at=utc_now()))).kind is TurnKind.FACT
        assert (
            len(await app.engine.memories.durable.turns(message("", id_="", thread="t", at=utc_now()).conversation))
            == 2
        )
    assert not (tmp_path / "home" / "memory.db").exists()


async def test_who_asks_to_be_forgotten_is_forgotten_and_not_written_down_for_it(tmp_path: Path) -> None:
    async with await build(await asyncio.to_thread(settings, tmp_path, embedder="none")) as app:
        await filled(app, tmp_path)
        for text in (OPEN, "forget this thread"):
            await app.respond(message(text, id_=text, thread="t", at=utc_now()))
        conversation = message("", id_="", thread="t", at=utc_now()).conversation
        assert list(await app.engine.memories.durable.turns(conversation)) == []
    assert b"forget" not in (tmp_path / "home" / "memory.db").read_bytes()


async def test_with_a_model_older_turns_are_summarised_and_the_summary_is_kept(
    tmp_path: Path, claude: claudes.ClaudeDouble
) -> None:
    quote = "The flu clinic is open on Tuesdays from 9 am to 12 noon."
    draft = {"kind": "fact", "missing": "", "sentences": [{"text": quote, "passage_id": "p1", "quote": quote}]}
    claude.replies.append(claudes.Says(draft))
    loaded = await asyncio.to_thread(
        settings, tmp_path, claude, embedder="none", reranker="none", stages_off="hyde,grade", replay_tokens="45"
    )
    async with await build(loaded) as app:
        await filled(app, tmp_path)
        incoming = message(OPEN, id_="1", thread="t", at=utc_now())
        reply = await app.respond(incoming)
    async with await build(loaded) as app:
        summary = await app.engine.memories.durable.summary(incoming.conversation)
    assert summary == Summary("Things were asked.", (reply.trace_id,))
    assert [body["model"] for body in claude.summarised] == [claudes.SMALL_MODEL]


async def test_the_organisations_own_people_come_first_and_a_faulty_file_is_found_before_anything_starts(
    tmp_path: Path,
) -> None:
    file = tmp_path / "people.toml"
    file.write_text('[[people]]\nname = "Occupational health"\nphone = "01632 960 100"\nreview_by = 2100-01-01\n')
    async with await build(settings(tmp_path, own_people=str(file), embedder="none")) as app:
        crisis = message("I want to kill myself", id_="1", thread="t", at=utc_now(), country="GB")
        assert (await app.respond(crisis)).resources[0].name == "Occupational health"
    file.write_text("people = 1")
    with pytest.raises(Misconfigured, match="CITEWELL_OWN_PEOPLE"):
        await build(settings(tmp_path, own_people=str(file)))


async def test_lines_past_their_review_date_are_named_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with await build(settings(tmp_path, embedder="none"), clock=lambda: datetime(2100, 1, 1, tzinfo=UTC)):
        assert "Samaritans (GB)" in caplog.text


async def test_a_second_look_is_taken_only_where_it_is_wanted_and_needs_a_key(
    tmp_path: Path, claude: claudes.ClaudeDouble
) -> None:
    async with await build(settings(tmp_path, claude)) as app:
        assert app.engine.second_look is None
    async with await build(settings(tmp_path, claude, check_safety="1")) as app:
        assert app.engine.second_look is not None
        assert app.engine.second_look.name == claudes.SMALL_MODEL
    with pytest.raises(Misconfigured, match="CITEWELL_CHECK_SAFETY"):
        await build(settings(tmp_path, check_safety="1"))
