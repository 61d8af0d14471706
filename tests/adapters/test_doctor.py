"""`citewell doctor`: what it finds, how it says to mend it, and that it shows no secret."""

from __future__ import annotations

import json
import os
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml
from aiohttp import web
from click.testing import CliRunner

from adapters.cli import main
from adapters.doctor.backends import look_at_backends
from adapters.doctor.finding import Findings, State
from adapters.doctor.lookups import look_at_lookups
from adapters.doctor.machine import look_at_machine
from adapters.settings import Settings
from adapters.slack.credentials import SCOPES
from adapters.slack.doctor import look_at_slack
from tests.doubles.claude import KEY, ClaudeDouble, Says
from tests.doubles.slack import ApiError, SlackDouble
from tests.e2e.serve_rig import free_port

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

ROOT = Path(__file__).resolve().parents[2]
NOW = datetime(2026, 11, 30, tzinfo=UTC)


def settings(home: Path, **given: object) -> Settings:
    return Settings(home=home, embedder="none", **given)  # type: ignore[arg-type]  # as `Settings` takes them


def states(found: Findings) -> dict[str, State]:
    return {one.check: one.state for one in found.all}


def of_slack(home: Path, slack: SlackDouble, **given: object) -> Settings:
    return settings(home, slack_api_url=slack.base_url, SLACK_BOT_TOKEN=slack.bot_token, **given)


@asynccontextmanager
async def slack_with(scopes: set[str]) -> AsyncIterator[SlackDouble]:
    async with SlackDouble(scopes=scopes) as slack:
        yield slack


async def slack_findings(given: Settings, *, now: datetime | None = None) -> Findings:
    found = Findings()
    await look_at_slack(given, found, now or datetime.now(UTC))
    return found


def test_the_scopes_looked_for_are_the_manifests() -> None:
    manifest = yaml.safe_load((ROOT / "manifest.yml").read_text(encoding="utf-8"))
    assert set(manifest["oauth_config"]["scopes"]["bot"]) == set(SCOPES)


async def test_a_good_set_up_of_slack_has_no_fault(tmp_path: Path) -> None:
    async with slack_with(set(SCOPES)) as slack:
        found = await slack_findings(of_slack(tmp_path, slack, SLACK_APP_TOKEN=slack.app_token))
    assert states(found).pop("slack events") is State.ABSENT
    assert {state for check, state in states(found).items() if check != "slack events"} == {State.GOOD}


async def test_a_scope_that_is_missing_is_named_with_the_way_to_get_it(tmp_path: Path) -> None:
    async with slack_with(set(SCOPES) - {"im:write"}) as slack:
        found = await slack_findings(of_slack(tmp_path, slack, SLACK_APP_TOKEN=slack.app_token))
    (fault,) = (one for one in found.all if one.state is State.FAULT)
    assert "im:write" in fault.said
    assert "manifest.yml" in fault.mend


@pytest.mark.parametrize(
    ("method", "check"), [("auth.test", "slack bot token"), ("apps.connections.open", "slack app token")]
)
async def test_a_token_that_slack_refuses_is_a_fault_of_its_own(tmp_path: Path, method: str, check: str) -> None:
    async with slack_with(set(SCOPES)) as slack:
        slack.fail(method, ApiError("invalid_auth"))
        found = await slack_findings(of_slack(tmp_path, slack, SLACK_APP_TOKEN=slack.app_token))
    assert states(found)[check] is State.FAULT


@pytest.mark.parametrize(("apart", "state"), [(2, State.GOOD), (120, State.WARNING), (600, State.FAULT)])
async def test_the_clock_is_held_to_slacks(tmp_path: Path, apart: int, state: State) -> None:
    async with slack_with(set(SCOPES)) as slack:
        now = datetime.now(UTC) - timedelta(seconds=apart)
        found = await slack_findings(of_slack(tmp_path, slack, SLACK_APP_TOKEN=slack.app_token), now=now)
    assert states(found)["clock"] is state


@pytest.mark.parametrize(("status", "state"), [(401, State.GOOD), (200, State.FAULT), (None, State.ABSENT)])
async def test_a_request_that_nobody_signed_has_to_be_refused(tmp_path: Path, status: int | None, state: State) -> None:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(status=status or 500)

    port = free_port()
    runner = web.AppRunner(web.Application())
    runner.app.router.add_post("/slack/events", answer)
    await runner.setup()
    if status is not None:
        await web.TCPSite(runner, "127.0.0.1", port).start()
    async with slack_with(set(SCOPES)) as slack:
        given = of_slack(tmp_path, slack, SLACK_SIGNING_SECRET="secret", CITEWELL_PORT=port)
        found = await slack_findings(given)
    await runner.cleanup()
    assert states(found)["slack requests"] is state


async def test_without_a_door_nothing_can_arrive(tmp_path: Path) -> None:
    async with slack_with(set(SCOPES)) as slack:
        assert states(await slack_findings(of_slack(tmp_path, slack)))["slack door"] is State.FAULT


async def test_claude_is_asked_once_and_its_refusal_is_a_fault(tmp_path: Path) -> None:
    async with ClaudeDouble([Says({"ready": True})]) as claude:
        given = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": claude.url}
        found = Findings()
        await look_at_backends(settings(tmp_path, **given), found, ask=True)
        assert states(found)["claude"] is State.GOOD
        found = Findings()
        await look_at_backends(settings(tmp_path, **given | {"ANTHROPIC_API_KEY": "another-key"}), found, ask=True)
    assert states(found)["claude"] is State.FAULT


@pytest.mark.parametrize(
    ("left", "state"),
    [("48", State.GOOD), ("2", State.WARNING), (None, State.ABSENT)],
    ids=["room", "hardly", "unsaid"],
)
async def test_what_is_left_of_claudes_limits_is_told(tmp_path: Path, left: str | None, state: State) -> None:
    async with ClaudeDouble([Says({"ready": True})]) as claude:
        if left is not None:
            limit = "anthropic-ratelimit-input-tokens"
            claude.limits = {
                f"{limit}-limit": "50",
                f"{limit}-remaining": left,
                f"{limit}-reset": "2026-11-30T00:01:00Z",
            }
        found = Findings()
        given = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": claude.url}
        await look_at_backends(settings(tmp_path, **given), found, ask=True)
    (quota,) = (one for one in found.all if one.check == "claude quota")
    assert quota.state is state
    assert left is None or f"{left} of 50 input tokens are left" in quota.said


async def test_an_index_that_cannot_be_opened_leaves_the_other_looks_alone(tmp_path: Path) -> None:
    (tmp_path / "index.db").write_bytes(b"no database, for sure" * 100)
    found = Findings()
    await look_at_backends(settings(tmp_path), found, ask=True)
    assert states(found)["index"] is State.FAULT
    assert states(found)["claude"] is State.ABSENT


async def test_what_others_can_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "traces.jsonl").touch(0o644)
    found = Findings()
    await look_at_machine(settings(tmp_path), found, NOW.date())
    (said,) = (one for one in found.all if one.check == "home")
    assert said.state is State.WARNING
    assert "traces.jsonl" in said.said


async def test_each_look_up_that_cannot_be_asked_is_a_fault_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "stock.csv").write_text("vaccine,left\nMMR,3\n")
    stock = {"title": "Stock", "file": "stock.csv", "keys": ["vaccine"], "columns": {"vaccine": {}, "left": {}}}
    broken = {"gone": stock | {"file": "gone.csv"}, "rota": {"title": "Rota", "module": "rota.py"}}
    found = Findings()
    await look_at_lookups(settings(tmp_path, lookups={"stock": stock} | broken), found, NOW.date())
    assert [one.state for one in found.all] == [State.GOOD, State.FAULT, State.FAULT]
    assert "gone.csv cannot be read" in found.all[1].said
    assert "rota.py is not there" in found.all[2].said


def test_no_secret_is_shown_and_a_fault_makes_it_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    secrets = {"SLACK_BOT_TOKEN": "xoxb-very-secret", "SLACK_APP_TOKEN": "xapp-very-secret"}
    given = {
        "CITEWELL_HOME": str(tmp_path),
        "CITEWELL_EMBEDDER": "none",
        "CITEWELL_SLACK_API_URL": "http://127.0.0.1:9/",
    }
    for name, value in (secrets | given).items():
        monkeypatch.setenv(name, value)
    for arguments in ([], ["--json"]):
        result = CliRunner().invoke(main, ["doctor", *arguments])
        assert result.exit_code == 1
        assert "very-secret" not in result.output
    assert json.loads(result.stdout)["faults"] == 2
    assert os.environ["CITEWELL_HOME"] == str(tmp_path)
