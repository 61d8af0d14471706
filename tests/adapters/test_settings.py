"""Settings are checked before anything starts, and a fault says how to mend it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from adapters.settings import Settings
from bot.errors import Misconfigured
from retrieval.search import PipelineSettings

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No `.env` of the developer's own is read."""
    monkeypatch.chdir(tmp_path)


def test_with_nothing_set_it_runs_with_no_key() -> None:
    settings = Settings.load()
    assert settings.anthropic_api_key is None
    assert settings.slack_bot_token is None


def test_a_blank_value_counts_as_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "CITEWELL_COUNTRY", "CITEWELL_EMBEDDER", "CITEWELL_EVIDENCE_THRESHOLD"):
        monkeypatch.setenv(name, "")
    settings = Settings.load()
    assert (settings.anthropic_api_key, settings.country, settings.embedder) == (None, None, None)
    assert settings.evidence_threshold is None


def test_an_env_file_is_read(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("CITEWELL_COUNTRY=IE\nSOMETHING_ELSE=1\n")
    assert Settings.load().country == "IE"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CITEWELL_PORT", "99999"),
        ("CITEWELL_COUNTRY", "uk"),
        ("CITEWELL_EVIDENCE_THRESHOLD", "2"),
        ("CITEWELL_LOG_LEVEL", "LOUD"),
        ("CITEWELL_CRISIS_ALERT", "#care"),
        ("CITEWELL_CRISIS_PRIVATELY", "openly"),
        ("CITEWELL_CHECK_SAFETY", "perhaps"),
    ],
)
def test_a_bad_value_is_named(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(Misconfigured, match=name):
        Settings.load()


def test_a_file_may_stand_in_a_home_and_the_home_has_to_be_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert Settings.load(answer_prompt="~/own.md").answer_prompt == tmp_path / "own.md"
    with pytest.raises(Misconfigured, match="CITEWELL_ANSWER_PROMPT"):
        Settings.load(answer_prompt="~nobody-of-that-name/own.md")


def test_a_misspelt_name_is_refused_with_the_one_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITEWELL_COUNTY", "GB")
    with pytest.raises(Misconfigured, match="Did you mean CITEWELL_COUNTRY"):
        Settings.load()


def test_a_misspelt_name_in_the_env_file_is_refused_too(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("CITEWELL_COUNTY=GB\n")
    with pytest.raises(Misconfigured, match="Did you mean CITEWELL_COUNTRY"):
        Settings.load()


def test_a_fault_never_shows_a_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    monkeypatch.setenv("CITEWELL_PORT", "x")
    with pytest.raises(Misconfigured) as caught:
        Settings.load()
    assert "sk-secret" not in str(caught.value)
    assert "sk-secret" not in repr(Settings.load(port=1))


@pytest.mark.parametrize("written", ["public,staff", " public , staff, ", '["public", "staff"]'])
def test_public_collections_are_a_list_with_commas_or_of_json(monkeypatch: pytest.MonkeyPatch, written: str) -> None:
    monkeypatch.setenv("CITEWELL_PUBLIC_COLLECTIONS", written)
    assert Settings.load().public_collections == {"public", "staff"}


@pytest.mark.parametrize("written", ["[public", '["public", 1 2]', '{"public": 1}', '"public"', "a b", '["a b"]'])
def test_public_collections_that_cannot_be_read_are_told_how_to_write(
    monkeypatch: pytest.MonkeyPatch, written: str
) -> None:
    monkeypatch.setenv("CITEWELL_PUBLIC_COLLECTIONS", written)
    with pytest.raises(Misconfigured, match=r"CITEWELL_PUBLIC_COLLECTIONS: .*public, leaflets"):
        Settings.load()


def test_an_env_file_that_is_not_utf_8_is_named(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes("CITEWELL_COUNTRY=GB # né\n".encode("utf-16"))
    with pytest.raises(Misconfigured, match=r"\.env is not UTF-8"):
        Settings.load()


@pytest.mark.parametrize("written", ["hyde,rerank", " HYDE , Rerank, ", '["hyde", "rerank"]'])
def test_stages_can_be_switched_off_for_good(monkeypatch: pytest.MonkeyPatch, written: str) -> None:
    monkeypatch.setenv("CITEWELL_STAGES_OFF", written)
    assert Settings.load().pipeline == PipelineSettings(hyde=False, rerank=False)


@pytest.mark.parametrize(("deadline", "seconds"), [("60", 30), ("600", 300), ("20", 10)])
def test_each_backend_gets_its_share_of_the_time_of_a_turn_be_it_short_or_long(
    monkeypatch: pytest.MonkeyPatch, deadline: str, seconds: float
) -> None:
    monkeypatch.setenv("CITEWELL_TURN_DEADLINE", deadline)
    assert Settings.load().within_turn(30) == pytest.approx(seconds)


def test_every_stage_runs_unless_it_is_switched_off() -> None:
    assert Settings.load().pipeline == PipelineSettings()


@pytest.mark.parametrize("written", ["hyed", "hyde rerank", "[hyde", "search"])
def test_a_stage_that_is_not_known_is_refused_with_those_there_are(
    monkeypatch: pytest.MonkeyPatch, written: str
) -> None:
    monkeypatch.setenv("CITEWELL_STAGES_OFF", written)
    with pytest.raises(Misconfigured, match=r"CITEWELL_STAGES_OFF: .*"):
        Settings.load()


def test_the_wrong_one_among_stages_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITEWELL_STAGES_OFF", "hyde,Reranker")
    with pytest.raises(Misconfigured, match=r"'Reranker' is no stage.* there are hyde, hybrid"):
        Settings.load()


def test_a_threshold_that_is_no_number_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITEWELL_EVIDENCE_THRESHOLD", "nan")
    with pytest.raises(Misconfigured, match=r"CITEWELL_EVIDENCE_THRESHOLD: .*finite number"):
        Settings.load()
