"""What `citewell doctor` finds at Teams, at Weaviate's two ports, and of events that have come."""

from __future__ import annotations

import json
import socket
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import jwt
import pytest
from aiohttp import web

from adapters.doctor.backends import look_at_backends
from adapters.doctor.finding import Findings, State
from adapters.settings import Settings
from adapters.slack.credentials import SCOPES
from adapters.slack.doctor import look_at_slack
from adapters.teams.doctor import look_at_teams
from adapters.teams.tokens import Tokens
from tests.adapters.tracing.records import a_record
from tests.doubles.slack import SlackDouble
from tests.doubles.teams import APP, TENANT, TeamsDouble
from tests.doubles.weaviate import WeaviateDouble
from tests.e2e.serve_rig import free_port
from tests.e2e.teams_rig import StaticToken

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

TEAMS = {"TEAMS_APP_ID": APP, "TEAMS_TENANT_ID": TENANT, "TEAMS_APP_PASSWORD": "very-secret"}
SIGNED_BY_NOBODY = "a secret of thirty-two bytes or so"


def bearing(**claims: str) -> StaticToken:
    return StaticToken(jwt.encode({"appid": APP, "tid": TENANT} | claims, SIGNED_BY_NOBODY))


async def at_teams(home: Path, teams: TeamsDouble, tokens: StaticToken | Tokens, **given: object) -> Findings:
    found = Findings()
    set_up = {"CITEWELL_PORT": free_port(), **TEAMS, **given}
    settings = Settings.load(home=home, embedder="none", teams_openid_url=teams.openid_url, **set_up)
    await look_at_teams(settings, found, tokens=tokens)
    assert "very-secret" not in str(found.all)
    return found


def states(found: Findings) -> Mapping[str, State]:
    return {one.check: one.state for one in found.all}


async def test_a_good_set_up_of_teams_has_no_fault(tmp_path: Path) -> None:
    async with TeamsDouble() as teams:
        found = await at_teams(tmp_path, teams, bearing())
    assert states(found) == {
        "teams ids": State.GOOD,
        "teams token": State.GOOD,
        "teams signing keys": State.GOOD,
        "teams requests": State.ABSENT,
    }


async def test_without_teams_nothing_is_asked(tmp_path: Path) -> None:
    found = Findings()
    await look_at_teams(Settings.load(home=tmp_path), found)
    assert states(found) == {"teams": State.ABSENT}


async def test_half_a_set_up_says_what_is_missing(tmp_path: Path) -> None:
    found = Findings()
    await look_at_teams(Settings.load(home=tmp_path, TEAMS_APP_ID=APP), found)
    (fault,) = found.all
    assert fault.state is State.FAULT
    assert "TEAMS_TENANT_ID" in fault.said


@pytest.mark.parametrize(
    ("claims", "given", "state"),
    [
        ({"tid": "00000000-0000-4000-8000-00000000000f"}, {}, State.FAULT),
        ({"tid": "00000000-0000-4000-8000-00000000000f"}, {"TEAMS_APP_TYPE": "MultiTenant"}, State.GOOD),
        ({"appid": "00000000-0000-4000-8000-00000000000f"}, {}, State.FAULT),
        ({"appid": APP.upper()}, {}, State.GOOD),
    ],
)
async def test_whose_token_it_is_has_to_fit_the_ids_and_the_tenants_type(
    tmp_path: Path, claims: dict[str, str], given: dict[str, str], state: State
) -> None:
    async with TeamsDouble() as teams:
        found = await at_teams(tmp_path, teams, bearing(**claims), **given)
    assert states(found)["teams token"] is state


class Refused:
    """Credentials that Microsoft does not take."""

    def get_access_token(self, force_refresh: bool = False) -> str:
        raise PermissionError


async def test_credentials_that_microsoft_refuses_are_a_fault_with_its_mend(tmp_path: Path) -> None:
    tokens = Tokens(Refused())
    async with TeamsDouble() as teams:
        teams.provider.published.clear()
        found = await at_teams(tmp_path, teams, tokens)
    tokens.close()
    assert states(found)["teams token"] is State.FAULT
    assert "check TEAMS_APP_ID" in next(one.said for one in found.all if one.check == "teams token")
    assert states(found)["teams signing keys"] is State.FAULT


@pytest.mark.parametrize(("status", "state"), [(401, State.GOOD), (403, State.GOOD), (202, State.FAULT)])
async def test_what_nobody_signed_has_to_be_refused(tmp_path: Path, status: int, state: State) -> None:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(status=status)

    runner = web.AppRunner(web.Application())
    runner.app.router.add_post("/api/messages", answer)
    await runner.setup()
    port = free_port()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    async with TeamsDouble() as teams:
        found = await at_teams(tmp_path, teams, bearing(), CITEWELL_PORT=port)
    await runner.cleanup()
    assert states(found)["teams requests"] is state


async def test_events_that_came_have_left_their_trace(tmp_path: Path) -> None:
    line = json.dumps(a_record().as_json())
    (tmp_path / "traces.jsonl").write_text(f"{line}\n", encoding="utf-8")
    async with SlackDouble(scopes=set(SCOPES)) as slack:
        given = {"slack_api_url": slack.base_url, "SLACK_BOT_TOKEN": slack.bot_token}
        found = Findings()
        await look_at_slack(Settings.load(home=tmp_path, **given), found, datetime.now(UTC))
    assert states(found)["slack events"] is State.GOOD


async def test_each_of_weaviates_ports_is_named(tmp_path: Path) -> None:
    with WeaviateDouble() as weaviate, socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        nobody = closed.getsockname()[1]
        both, http_only = Findings(), Findings()
        settings = Settings.load(home=tmp_path, embedder="none", WEAVIATE_URL=weaviate.url)
        await look_at_backends(settings, both, ask=False)
        url = f"http://127.0.0.1:{weaviate.http_port}?grpc=127.0.0.1:{nobody}"
        await look_at_backends(Settings.load(home=tmp_path, embedder="none", WEAVIATE_URL=url), http_only, ask=False)
    assert (states(both)["weaviate http"], states(both)["weaviate grpc"]) == (State.GOOD, State.GOOD)
    assert (states(http_only)["weaviate http"], states(http_only)["weaviate grpc"]) == (State.GOOD, State.FAULT)
