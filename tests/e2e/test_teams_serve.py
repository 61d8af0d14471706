"""`citewell serve` with Teams, as an operator runs it: processes, kills, and what it refuses to start with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.doubles.slack import SlackDouble
from tests.doubles.teams import APP, TENANT, TeamsDouble
from tests.doubles.teams.people import AMINA
from tests.doubles.teams.server import CHANNEL
from tests.e2e.serve_rig import Served
from tests.e2e.teams_load import Load

if TYPE_CHECKING:
    from pathlib import Path


async def test_through_kills_and_re_deliveries_nothing_is_answered_twice_or_left_silent(tmp_path: Path) -> None:
    async with TeamsDouble(token="") as teams:
        outcome = await Load(teams, tmp_path, text="hello").run(60, rate=40, again=0.4, kills=3)
        assert teams.rejections == []
    assert (outcome.kills, outcome.duplicates, outcome.silent) == (3, [], [])
    assert outcome.deliveries > len(outcome.asked) == 60


@pytest.mark.parametrize(
    ("environment", "options", "said"),
    [
        ({}, [], "For Microsoft Teams set TEAMS_APP_ID"),
        ({"TEAMS_APP_PASSWORD": "secret"}, [], "TEAMS_APP_ID is empty"),
        ({"TEAMS_APP_ID": APP, "TEAMS_APP_PASSWORD": "secret"}, [], "TEAMS_TENANT_ID is missing"),
        ({"CITEWELL_HOST": "0.0.0.0"}, ["--local"], "listens on this machine alone"),
    ],
)
async def test_it_does_not_start_open_to_everyone_and_says_what_to_mend(
    tmp_path: Path, environment: dict[str, str], options: list[str], said: str
) -> None:
    served = await Served.start(tmp_path, environment | {"CITEWELL_HOME": str(tmp_path)}, *options)
    assert await served.ended() == 1
    assert said in "\n".join(served.lines)
    assert "Traceback" not in "\n".join(served.lines)


async def test_slack_and_teams_are_served_at_once(tmp_path: Path) -> None:
    async with SlackDouble() as slack, TeamsDouble() as teams:
        environment = {
            "CITEWELL_HOME": str(tmp_path),
            "CITEWELL_EMBEDDER": "none",
            "CITEWELL_SLACK_API_URL": slack.base_url,
            "SLACK_BOT_TOKEN": slack.bot_token,
            "SLACK_APP_TOKEN": slack.app_token,
            "TEAMS_APP_ID": APP,
            "TEAMS_TENANT_ID": TENANT,
            "TEAMS_APP_PASSWORD": "secret",
            "CITEWELL_TEAMS_OPENID_URL": teams.openid_url,
        }
        served = await Served.start(tmp_path, environment)
        await served.ready()
        assert any("Slack (Socket Mode) and in Teams (HTTP, port" in line for line in served.lines)
        teams.endpoint = f"http://127.0.0.1:{served.port}/api/messages"
        assert (await teams.deliver(teams.message(CHANNEL, AMINA, "hello"), header="Bearer x")).status == 401
        await served.end()
