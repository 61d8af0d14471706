"""The second opinion on each sentence, where it is set."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from adapters.app import build, utc_now
from adapters.console import message
from adapters.demo import demo_settings
from adapters.settings import Settings
from bot.errors import Misconfigured
from bot.messages import TurnKind
from retrieval.ingest import ingest
from tests.doubles.claude import KEY, MODEL, SMALL_MODEL, ClaudeDouble, Says

if TYPE_CHECKING:
    from pathlib import Path

LEAFLET = "# Flu clinic\n\nThe flu clinic is open on Tuesdays from 9 am to 12 noon.\n"
SENTENCE = {
    "text": "The flu clinic is open to everybody on Tuesdays.",
    "passage_id": "p1",
    "quote": "The flu clinic is open on Tuesdays",
}
DRAFT = Says({"kind": "fact", "sentences": [SENTENCE], "missing": ""})


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No `.env` and no key of the developer's own."""
    monkeypatch.chdir(tmp_path)
    for name in ("VOYAGE_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def settings(home: Path, double: ClaudeDouble | None = None, **given: str) -> Settings:
    key = {} if double is None else {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": double.url}
    return Settings.load(home=home, embedder="none", reranker="none", stages_off="hyde", **key, **given)


async def test_without_the_setting_nobody_is_asked(tmp_path: Path) -> None:
    async with ClaudeDouble([]) as double, await build(settings(tmp_path, double)) as app:
        assert app.engine.entailment is None


async def test_the_setting_without_a_key_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match=r"CITEWELL_CHECK_ENTAILMENT.*ANTHROPIC_API_KEY"):
        await build(settings(tmp_path, check_entailment="1"))


async def test_the_demo_does_without(tmp_path: Path) -> None:
    async with ClaudeDouble([]) as double:
        loaded = settings(tmp_path, double, check_entailment="1")
        async with await build(demo_settings(loaded)) as app:
            assert app.engine.entailment is None


async def test_the_small_model_has_a_say_in_the_answer_and_its_tokens_stand_in_a_stage_of_their_own(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", logger="bot.turn")
    (tmp_path / "flu.md").write_text(LEAFLET)
    async with ClaudeDouble([DRAFT, Says({"follows": "no"})]) as double:
        async with await build(settings(tmp_path / "home", double, check_entailment="1")) as app:
            await ingest([tmp_path / "flu.md"], app.index)
            asked = message("When is the flu clinic open?", id_="m", thread="t", at=utc_now())
            reply = await app.respond(asked)
        assert reply.kind is TurnKind.UNGROUNDED
        assert [request["model"] for request in double.requests] == [MODEL, SMALL_MODEL]
        assert double.refused == []
    (turn,) = [record.getMessage() for record in caplog.records if record.getMessage().startswith("turn ungrounded")]
    (stage,) = [part for part in turn.split(" | ") if part.startswith("check_entailment ")]
    assert f"backend={SMALL_MODEL} model={SMALL_MODEL} asked=1" in stage
    assert "no=1" in stage
    assert "output_tokens=" in stage
    assert "dropped=not_entailed" in turn
