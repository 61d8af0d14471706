"""One workspace or many, and nothing by halves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from adapters.installing import slack_credentials
from adapters.settings import Settings
from adapters.slack.credentials import AppCredentials
from adapters.slack.install import Limit
from bot.errors import Misconfigured

if TYPE_CHECKING:
    from pathlib import Path

ID, SECRET = {"SLACK_CLIENT_ID": "1.2"}, {"SLACK_CLIENT_SECRET": "s3cret"}
URL, TEAMS = {"public_url": "https://bot.example.org/"}, {"slack_teams": "T0NORTH, E0TRUST"}
TOKEN = {"SLACK_BOT_TOKEN": "xoxb-1"}


@pytest.fixture(autouse=True)
def _nothing_else_is_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("SLACK_BOT_TOKEN", "SLACK_CLIENT_ID", "SLACK_CLIENT_SECRET", "CITEWELL_PUBLIC_URL"):
        monkeypatch.delenv(name, raising=False)


def settings(tmp_path: Path, *given: dict[str, str]) -> Settings:
    return Settings.load(home=tmp_path, **{name: value for one in given for name, value in one.items()})


def test_a_token_is_for_one_workspace_and_a_whole_app_for_many(tmp_path: Path) -> None:
    assert slack_credentials(settings(tmp_path, TOKEN)) == "xoxb-1"
    assert slack_credentials(settings(tmp_path, TOKEN, URL)) == "xoxb-1"
    app = slack_credentials(settings(tmp_path, ID, SECRET, URL, TEAMS))
    assert isinstance(app, AppCredentials)
    assert app.redirect_uri == "https://bot.example.org/slack/oauth_redirect"
    assert "s3cret" not in repr(app)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((), "No platform is configured"),
        ((URL,), "No platform is configured"),
        ((TOKEN, ID), "SLACK_BOT_TOKEN is for one workspace, SLACK_CLIENT_ID for many: unset one"),
        ((TOKEN, TEAMS), "SLACK_BOT_TOKEN is for one workspace, CITEWELL_SLACK_TEAMS for many"),
        ((ID,), "so SLACK_CLIENT_SECRET and CITEWELL_SLACK_TEAMS and CITEWELL_PUBLIC_URL must be too"),
        ((SECRET, URL), "SLACK_CLIENT_SECRET is set, so SLACK_CLIENT_ID and CITEWELL_SLACK_TEAMS must be too"),
        ((ID, SECRET, TEAMS), "SLACK_CLIENT_ID is set, so CITEWELL_PUBLIC_URL must be too"),
        ((TEAMS,), "CITEWELL_SLACK_TEAMS is set, so SLACK_CLIENT_ID and SLACK_CLIENT_SECRET"),
        ((ID, SECRET, URL), "Who may install Citewell?"),
    ],
)
def test_half_a_set_is_refused_with_the_other_half(
    tmp_path: Path, given: tuple[dict[str, str], ...], said: str
) -> None:
    with pytest.raises(Misconfigured) as refused:
        slack_credentials(settings(tmp_path, *given))
    assert said in str(refused.value)
    assert "s3cret" not in str(refused.value)


@pytest.mark.parametrize(
    "url",
    [
        "bot.example.org",
        "http://bot.example.org",
        "ftp://localhost",
        "https://",
        "https://user@bot.example.org",
        "https://bot.example.org/slack",
        "https://bot.example.org?x=1",
        "https://bot.example.org#x",
        "https://bot.example.org:0",
        "https://bot.example.org:port",
        'https://bot.example.org"onload',
        "https://[::1",
    ],
)
def test_an_address_that_is_not_ours_alone_is_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(Misconfigured, match="CITEWELL_PUBLIC_URL: write"):
        settings(tmp_path, {"public_url": url})


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("https://bot.example.org:8443/", "https://bot.example.org:8443"),
        ("http://127.0.0.1:3000", "http://127.0.0.1:3000"),
        ("http://localhost", "http://localhost"),
    ],
)
def test_an_address_is_kept_without_its_slash(tmp_path: Path, given: str, kept: str) -> None:
    assert settings(tmp_path, {"public_url": given}).public_url == kept


@pytest.mark.parametrize("teams", ["north", "T1", "any, T0NORTH", "C0WARD", "*"])
def test_what_is_no_workspace_is_refused(tmp_path: Path, teams: str) -> None:
    with pytest.raises(Misconfigured, match="CITEWELL_SLACK_TEAMS: write ids"):
        settings(tmp_path, {"slack_teams": teams})


def test_a_limit_lets_bursts_through_and_then_an_even_pace() -> None:
    now = [0.0]
    limit = Limit(lambda: now[0], most=3, seconds=30)
    assert [limit.passes() for _ in range(4)] == [True, True, True, False]
    now[0] = 10
    assert [limit.passes() for _ in range(2)] == [True, False]
    now[0] = 1000
    assert [limit.passes() for _ in range(4)] == [True, True, True, False]
