"""What a second reading of the settings changes, what it leaves for a restart, and that it is all or nothing."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

import pytest

from adapters.app import build
from adapters.reload import RELOADED, Reloaded, reload
from adapters.settings import Settings
from bot.errors import Misconfigured
from bot.messages import Author
from memory.conversation import Conversation
from tests.doubles.claude import KEY, ClaudeDouble

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from adapters.app import Application

WARD = Conversation("slack", "T1", "C0WARD")


def settings(home: Path, **given: object) -> Settings:
    return Settings.load(home=home, embedder="none", **given)


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[Application]:
    async with await build(settings(tmp_path)) as app:
        yield app


async def read(app: Application, **given: object) -> Reloaded:
    return await reload(app, lambda: settings(app.settings.home, **given))


async def test_what_a_turn_is_told_changes_with_the_next_turn(app: Application) -> None:
    before = app.engine
    done = await read(app, passages=3, stages_off="rerank", country="IE", question_limit=500)
    assert (app.engine.settings.passages, app.engine.settings.country) == (3, "IE")
    assert not app.engine.pipeline.rerank
    assert before.settings.passages == 8
    assert set(done.changed) == {
        *("CITEWELL_PASSAGES", "CITEWELL_STAGES_OFF", "CITEWELL_COUNTRY", "CITEWELL_QUESTION_LIMIT")
    }
    assert done.waiting == ()


async def test_thresholds_collections_and_who_may_send_documents_change(app: Application) -> None:
    channels = {"slack": {"C0WARD": ["public", "wards"]}}
    await read(app, evidence_threshold=0.9, confident_threshold=0.95, channels=channels, documents_from="U0AMINA")
    assert (app.grader.evidence, app.grader.confident) == (0.9, 0.95)
    assert app.access.shelving.of_channel(WARD) == frozenset({"public", "wards"})
    assert app.intake.allowed(Author("U0AMINA"), WARD)
    await read(app)
    assert not app.intake.allowed(Author("U0AMINA"), WARD)
    assert app.grader.evidence != 0.9


async def test_what_needs_a_restart_is_named_and_stays(app: Application) -> None:
    done = await read(app, port=4444, keep_days=7, passages=2)
    assert set(done.waiting) == {"CITEWELL_PORT", "CITEWELL_KEEP_DAYS"}
    assert "needs a restart: " in str(done)
    assert (app.settings.port, app.settings.keep_days, app.settings.passages) == (3000, 90, 2)
    assert (await read(app, port=4444, passages=2)).waiting == ("CITEWELL_PORT",)


async def test_a_fault_in_one_place_changes_nothing_anywhere(app: Application, tmp_path: Path) -> None:
    before, people = (app.settings, app.engine), tmp_path / "people.toml"
    people.write_text("people = 3\n", encoding="utf-8")
    with pytest.raises(Misconfigured, match="people"):
        await read(app, own_people=people, passages=2, evidence_threshold=0.9)
    with pytest.raises(Misconfigured, match="CONFIDENT_THRESHOLD"):
        await read(app, evidence_threshold=0.9, confident_threshold=0.1, passages=2)
    with pytest.raises(Misconfigured, match="PASSAGES"):
        await read(app, passages=0)
    assert (app.settings, app.engine) == before
    assert app.grader.evidence != 0.9


async def test_the_files_that_settings_name_are_read_again(tmp_path: Path) -> None:
    people, prompt = tmp_path / "people.toml", tmp_path / "answer.md"
    entry = '[[people]]\nname = "{}"\nphone = "020 7946 0000"\nreview_by = 2099-01-01\n'
    people.write_text(entry.format("Occupational health"), encoding="utf-8")
    prompt.write_text("Answer briefly.", encoding="utf-8")
    async with ClaudeDouble([]) as claude:
        given: dict[str, object] = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": claude.url}
        given |= {"own_people": people, "answer_prompt": prompt}
        async with await build(settings(tmp_path, **given)) as app:
            before = app.engine
            people.write_text(entry.format("The chaplain"), encoding="utf-8")
            prompt.write_text("Answer at length.", encoding="utf-8")
            await read(app, **given)
            assert [one.name for one in app.engine.settings.people] == ["The chaplain"]
            assert app.engine.answerer is not before.answerer
            prompt.write_text("", encoding="utf-8")
            with pytest.raises(Misconfigured, match="empty"):
                await read(app, **given)


async def test_stages_that_somebody_switched_off_stay_off(app: Application) -> None:
    app.engine.switches.turn("rerank", on=False)
    await read(app, passages=3)
    assert app.engine.switches.off == {"rerank"}


def test_only_settings_are_named_and_no_key_or_address_among_them() -> None:
    assert set(Settings.model_fields) >= RELOADED
    assert not any(word in name for name in RELOADED for word in ("key", "secret", "url", "port"))


def test_the_engine_has_no_part_that_was_forgotten() -> None:
    """Whoever adds a setting to a turn decides here too whether it is read again."""
    from bot.settings import TurnSettings

    assert {field.name for field in fields(TurnSettings)} - {"people"} <= RELOADED
