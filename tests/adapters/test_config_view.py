"""`citewell config`: what is in force, and from where."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from adapters.cli import main

if TYPE_CHECKING:
    from pathlib import Path


APP = "11111111-1111-4111-8111-111111111111"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CITEWELL_HOME", str(tmp_path))
    return tmp_path


def shown(*arguments: str) -> dict[str, tuple[object, str]]:
    """Each setting's value and where it is from."""
    result = CliRunner().invoke(main, ["config", "--json", *arguments])
    assert result.exit_code == 0, result.stderr
    return {row["setting"]: (row["value"], row["from"]) for row in json.loads(result.stdout)["settings"]}


def test_each_comes_with_the_place_that_set_it(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITEWELL_COUNTRY", "IE")
    (home / ".env").write_text("CITEWELL_PASSAGES=4\n", encoding="utf-8")
    (home / "citewell.toml").write_text("keep_days = 7\n", encoding="utf-8")
    found = shown()
    assert found["CITEWELL_COUNTRY"] == ("IE", "environment")
    assert found["CITEWELL_PASSAGES"] == (4, ".env")
    assert found["CITEWELL_KEEP_DAYS"] == (7, str(home / "citewell.toml"))
    assert "CITEWELL_PORT" not in found
    assert shown("--all")["CITEWELL_PORT"] == (3000, "default")


def test_a_secret_is_shown_as_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "very-secret")
    assert shown()["ANTHROPIC_API_KEY"] == ("(set)", "environment")
    assert "very-secret" not in CliRunner().invoke(main, ["config"]).output


def test_a_setting_that_goes_by_another_name_is_from_the_environment_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MICROSOFT_APP_ID", APP)
    found = [(value, place) for value, place in shown().values() if value == APP]
    assert found == [(APP, "environment")]


def test_a_name_that_is_no_setting_is_not_taken_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COUNTRY", "IE")
    assert "CITEWELL_COUNTRY" not in shown()
