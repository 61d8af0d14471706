"""Many workspaces, each with a token and data of its own: from installing to leaving, in Socket Mode and over HTTP."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

import pytest

from memory.conversation import Conversation
from tests.doubles.slack import ApiError, SlackDouble, payloads
from tests.e2e.installing_rig import NORTH, SOUTH, TRUST, WORDS, a_workspace, installing
from tests.e2e.serve_rig import eventually

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.doubles.slack import Workspace
    from tests.doubles.slack.server import Ack
    from tests.e2e.installing_rig import Installing
    from tests.e2e.slack_rig import Mode

CHANNEL, AMINA = "C0WARD", "U0AMINA"
DONE = WORDS.install.done.title
A_LITTLE_LATER = 60


@pytest.fixture
async def slack() -> AsyncIterator[SlackDouble]:
    async with SlackDouble() as slack:
        yield slack


@pytest.fixture(params=["socket", "http"])
async def stage(request: pytest.FixtureRequest, slack: SlackDouble, tmp_path: Path) -> AsyncIterator[Installing]:
    mode: Mode = request.param
    async with installing(slack, mode, tmp_path) as stage:
        yield stage


async def ask(
    stage: Installing, home: Workspace, text: str, *, ts: str = "1764500000.000100", org_wide: bool = False, **more: Any
) -> Ack:
    """Someone mentions the app in a workspace: what that comes to, once all is settled."""
    event = payloads.mention(CHANNEL, AMINA, f"<@{home.bot}> {text}", ts, **more)
    body = payloads.of_workspace(payloads.callback(event), home, org_wide=org_wide)
    ack = await stage.slack.deliver(body)
    await stage.rig.settled()
    return ack


def tokens_that_posted(slack: SlackDouble) -> list[str]:
    return [call.token for call in slack.called("chat.postMessage")]


def later() -> int:
    """A time at which everything so far is past."""
    return int(time.time()) + A_LITTLE_LATER


async def turns(stage: Installing, home: Workspace) -> list[str]:
    where = Conversation("slack", home.team, CHANNEL, "1764500000.000100")
    return [turn.question for turn in await stage.rig.memories.durable.turns(where)]


async def bytes_kept(home: Path) -> bytes:
    """All that is on the disk."""
    return await asyncio.to_thread(
        lambda: b"".join(path.read_bytes() for path in sorted(home.rglob("*")) if path.is_file())
    )


async def test_two_workspaces_are_answered_side_by_side_each_with_its_own_token(stage: Installing) -> None:
    north, south = a_workspace(NORTH), a_workspace(SOUTH)
    assert (await stage.install(north)).title == DONE
    assert (await stage.install(south)).title == DONE
    assert (await ask(stage, north, "when may I visit the north?")).ok
    assert (await ask(stage, south, "when may I visit the south?")).ok
    assert len(north.posted(CHANNEL)) == len(south.posted(CHANNEL)) == 1
    assert tokens_that_posted(stage.slack) == stage.slack.oauth.issued
    assert await turns(stage, north) == ["when may I visit the north?"]
    assert await turns(stage, south) == ["when may I visit the south?"]
    assert stage.slack.rejections == []


async def test_a_person_is_known_in_each_workspace_by_itself(stage: Installing) -> None:
    north, south = a_workspace(NORTH), a_workspace(SOUTH)
    south.add_user(AMINA, is_restricted=True)
    for home in (north, south):
        await stage.install(home)
        await ask(stage, home, "when?")
    assert [message.author.guest for message in stage.rig.engine.asked] == [False, True]


async def test_a_button_of_one_workspace_opens_nothing_in_another(stage: Installing) -> None:
    north, south = a_workspace(NORTH), a_workspace(SOUTH)
    for home in (north, south):
        await stage.install(home)
    asked = payloads.message("D0AMINA", AMINA, "when?", "1764500000.000100")
    await stage.slack.deliver(payloads.of_workspace(payloads.callback(asked), north))
    await stage.rig.settled()
    (answer,) = north.posted("D0AMINA")
    thumbs = answer.blocks[-1]["elements"][0]
    thumb = {"action_id": thumbs["action_id"], "value": thumbs["positive_button"]["value"], "type": "feedback_buttons"}
    for home in (north, south):
        body = payloads.click(thumb, answer.channel, AMINA, answer.ts)
        body["user"]["team_id"] = home.team
        await stage.slack.deliver(payloads.of_workspace(body, home), "interactive")
    await stage.slack.until(lambda: north.ephemeral and south.ephemeral)
    assert north.ephemeral[0].text == WORDS.feedback.thanks
    assert south.ephemeral[0].text == WORDS.feedback.gone


async def test_what_comes_from_where_we_are_not_installed_is_acknowledged_and_left_alone(
    stage: Installing, caplog: pytest.LogCaptureFixture
) -> None:
    await stage.install(a_workspace(NORTH))
    caplog.clear()
    assert (await ask(stage, a_workspace(SOUTH), "is anyone there?")).ok
    assert stage.rig.engine.asked == []
    assert [record.message for record in caplog.records] == [
        "left alone: Citewell is not installed in the workspace T0SOUTH"
    ]


async def test_what_was_sent_to_another_app_is_acknowledged_and_left_alone(
    stage: Installing, caplog: pytest.LogCaptureFixture
) -> None:
    north = a_workspace(NORTH)
    await stage.install(north)
    caplog.clear()
    event = payloads.message("D0AMINA", AMINA, "hello", "1764500000.000100")
    body = payloads.of_workspace(payloads.callback(event), north) | {"api_app_id": "A0OTHER"}
    assert (await stage.slack.deliver(body)).ok
    assert (await stage.slack.deliver(payloads.uninstalled(north, at=later()) | {"api_app_id": "A0OTHER"})).ok
    await stage.rig.settled()
    assert stage.rig.engine.asked == []
    assert len(caplog.records) == 2
    assert (await ask(stage, north, "and now?")).ok
    assert len(stage.rig.engine.asked) == 1


async def test_an_organisation_installs_once_for_all_its_workspaces(stage: Installing) -> None:
    north, south = a_workspace(NORTH, TRUST), a_workspace(SOUTH, TRUST)
    assert (await stage.install(north, org_wide=True)).title == DONE
    south.bot, south.bot_id = north.bot, north.bot_id
    for home in (north, south):
        home.add_user(AMINA, team_id=TRUST, enterprise_user={"enterprise_id": TRUST, "teams": [NORTH[0], SOUTH[0]]})
        assert (await ask(stage, home, f"when in {home.team}?", org_wide=True)).ok
    assert [message.author.guest for message in stage.rig.engine.asked] == [False, False]
    assert await turns(stage, north) == ["when in T0NORTH?"]
    assert await turns(stage, south) == ["when in T0SOUTH?"]
    assert tokens_that_posted(stage.slack) == stage.slack.oauth.issued * 2


async def test_an_organisation_that_takes_the_app_out_of_one_workspace_keeps_it_in_the_others(
    stage: Installing,
) -> None:
    north, south = a_workspace(NORTH, TRUST), a_workspace(SOUTH, TRUST)
    await stage.install(north, org_wide=True)
    for home in (north, south):
        await ask(stage, home, f"when in {home.team}?", org_wide=True)
    body = payloads.team_access_revoked(north, south.team, "T0UNHEARD", at=later())
    assert (await stage.slack.deliver(body)).ok
    assert await turns(stage, north) == ["when in T0NORTH?"]
    assert await turns(stage, south) == []
    stage.slack.oauth.uninstall(north)
    gone = payloads.uninstalled(north, at=later()) | {"team_id": TRUST}
    assert (await stage.slack.deliver(gone)).ok
    assert await turns(stage, north) == []
    assert b"T0NORTH" not in await bytes_kept(stage.home)


@pytest.mark.parametrize("expired", [False, True])
async def test_a_token_is_renewed_before_it_expires_and_where_it_has(stage: Installing, *, expired: bool) -> None:
    north, oauth = a_workspace(NORTH), stage.slack.oauth
    oauth.lifetime = 1 if expired else 3600
    await stage.install(north)
    first, refresh = oauth.issued
    oauth.lifetime = 43_200
    if expired:
        oauth.expire(north)
    else:
        await stage.workspaces.refresh()
    assert (await ask(stage, north, "when?")).ok
    second = oauth.issued[2]
    assert tokens_that_posted(stage.slack) == [second]
    kept = await bytes_kept(stage.home)
    assert second.encode() in kept
    assert first.encode() not in kept
    assert refresh.encode() not in kept
    await stage.workspaces.refresh()
    assert len(oauth.issued) == 4, "one that holds for twelve hours is let be"


async def test_a_token_that_cannot_be_renewed_is_used_for_as_long_as_it_holds(
    stage: Installing, caplog: pytest.LogCaptureFixture
) -> None:
    north = a_workspace(NORTH)
    stage.slack.oauth.lifetime = 3600
    await stage.install(north)
    stage.slack.fail("oauth.v2.access", ApiError("internal_error"), ApiError("invalid_refresh_token"))
    await stage.workspaces.refresh()
    await stage.workspaces.refresh()
    assert (await ask(stage, north, "when?")).ok
    assert len(north.posted(CHANNEL)) == 1
    assert "install the app there anew: oauth.v2.access: invalid_refresh_token" in caplog.text


async def test_an_event_is_not_acknowledged_while_its_expired_token_cannot_be_renewed(
    slack: SlackDouble, tmp_path: Path
) -> None:
    north = a_workspace(NORTH)
    async with installing(slack, "http", tmp_path) as stage:
        slack.oauth.lifetime = 1
        await stage.install(north)
        installed = time.time()
        await eventually(lambda: time.time() > installed + 1)
        slack.fail("oauth.v2.access", ApiError("internal_error"))
        assert (await ask(stage, north, "when?")).status == 503
        assert (await ask(stage, north, "when?")).ok
        assert len(north.posted(CHANNEL)) == 1


async def test_installing_again_replaces_the_token(stage: Installing) -> None:
    north = a_workspace(NORTH)
    await stage.install(north)
    await ask(stage, north, "when?")
    await stage.install(north)
    await ask(stage, north, "and now?", ts="1764500000.000200")
    first, second = stage.slack.oauth.issued
    assert tokens_that_posted(stage.slack) == [first, second]
    assert first.encode() not in await bytes_kept(stage.home)


async def test_a_workspace_that_leaves_leaves_nothing_and_the_others_stay(stage: Installing) -> None:
    north, south = a_workspace(NORTH), a_workspace(SOUTH)
    for home in (north, south):
        await stage.install(home)
        await ask(stage, home, f"a secret of {home.team}")
        home.add_user("U0GUEST", is_restricted=True)
        guest = payloads.message("D0GUEST", "U0GUEST", f"a guest of {home.team}", "1764500000.000500")
        await stage.slack.deliver(payloads.of_workspace(payloads.callback(guest), home))
        await stage.rig.settled()
        place = Conversation("slack", home.team, CHANNEL).place
        assert await stage.rig.memories.durable.rate("t1", place=place, author=AMINA, good=True)
    north_token, south_token = (token.encode() for token in stage.slack.oauth.issued)
    stage.slack.oauth.uninstall(north)
    assert (await stage.slack.deliver(payloads.uninstalled(north, at=later()))).ok
    kept = await bytes_kept(stage.home)
    assert await turns(stage, north) == []
    assert await turns(stage, south) == ["a secret of T0SOUTH"]
    assert b"T0NORTH" not in kept
    assert north_token not in kept
    assert b"a secret of T0SOUTH" in kept
    assert south_token in kept
    guests = stage.rig.memories.guests
    assert not await guests.turns(Conversation("slack", north.team, "D0GUEST"))
    assert len(await guests.turns(Conversation("slack", south.team, "D0GUEST"))) == 1
    assert (await ask(stage, north, "anyone?", ts="1764500000.000900")).ok
    assert (await ask(stage, south, "and you?", ts="1764500000.000900")).ok
    assert len(north.posted(CHANNEL)) == 1
    assert len(south.posted(CHANNEL)) == 2


async def test_leaving_is_said_twice_and_done_once(stage: Installing) -> None:
    north = a_workspace(NORTH)
    await stage.install(north)
    await ask(stage, north, "when?")
    stage.slack.oauth.uninstall(north)
    assert (await stage.slack.deliver(payloads.tokens_revoked(north, at=later()))).ok
    assert await turns(stage, north) == []
    assert (await stage.slack.deliver(payloads.uninstalled(north, at=later()))).ok
    assert (await stage.slack.deliver(payloads.uninstalled(north, at=later()))).ok


async def test_a_workspace_that_comes_back_is_not_sent_away_by_an_event_of_before(stage: Installing) -> None:
    north = a_workspace(NORTH)
    await stage.install(north)
    assert (await stage.slack.deliver(payloads.uninstalled(north, at=int(time.time()) - A_LITTLE_LATER))).ok
    assert (await ask(stage, north, "when?")).ok
    assert len(north.posted(CHANNEL)) == 1


@pytest.mark.parametrize("bot", [False, True])
async def test_tokens_of_people_and_old_ones_of_the_bot_are_revoked_without_harm(
    stage: Installing, *, bot: bool
) -> None:
    north = a_workspace(NORTH)
    await stage.install(north)
    await ask(stage, north, "when?")
    assert (await stage.slack.deliver(payloads.tokens_revoked(north, bot=bot, at=later()))).ok
    assert await turns(stage, north) == ["when?"]


async def test_what_is_being_answered_while_its_workspace_leaves_is_not_kept(stage: Installing) -> None:
    north = a_workspace(NORTH)
    await stage.install(north)
    stage.rig.engine.gate.clear()
    event = payloads.mention(CHANNEL, AMINA, f"<@{north.bot}> a long secret", "1764500000.000100")
    await stage.slack.deliver(payloads.of_workspace(payloads.callback(event), north))
    await eventually(lambda: stage.rig.engine.asked)
    stage.slack.oauth.uninstall(north)
    assert (await stage.slack.deliver(payloads.uninstalled(north, at=later()))).ok
    stage.rig.engine.gate.set()
    await stage.rig.settled()
    assert await turns(stage, north) == []
    assert b"a long secret" not in await bytes_kept(stage.home)
    assert north.posted(CHANNEL) == []


async def test_an_event_that_is_being_taken_in_is_waited_for(slack: SlackDouble, tmp_path: Path) -> None:
    north = a_workspace(NORTH)
    async with installing(slack, "http", tmp_path) as stage:
        await stage.install(north)
        stage.rig.door.gate.clear()
        event = payloads.mention(CHANNEL, AMINA, f"<@{north.bot}> a late secret", "1764500000.000100")
        taking = asyncio.create_task(slack.deliver(payloads.of_workspace(payloads.callback(event), north)))
        await stage.rig.door.reached.wait()
        slack.oauth.uninstall(north)
        leaving = asyncio.create_task(slack.deliver(payloads.uninstalled(north, at=later())))
        await eventually(lambda: not _installed(stage))
        left, _ = await asyncio.wait({leaving}, timeout=0.3)
        stage.rig.door.gate.set()
        assert not left, "something is still being taken in"
        assert (await taking).ok
        assert (await leaving).ok
        await stage.rig.settled()
        assert b"a late secret" not in await bytes_kept(tmp_path)


def _installed(stage: Installing) -> bool:
    return bool(stage.workspaces._known)


async def test_a_token_that_was_revoked_costs_its_own_workspace_alone(
    stage: Installing, caplog: pytest.LogCaptureFixture
) -> None:
    north, south = a_workspace(NORTH), a_workspace(SOUTH)
    for home in (north, south):
        await stage.install(home)
    stage.slack.oauth.uninstall(north)
    for home in (north, south):
        assert (await ask(stage, home, "when?")).ok
    assert north.posted(CHANNEL) == []
    assert len(south.posted(CHANNEL)) == 1
    assert "token_revoked: the app was uninstalled or its token revoked" in caplog.text


async def test_events_are_not_acknowledged_while_installations_cannot_be_read(
    slack: SlackDouble, tmp_path: Path
) -> None:
    north = a_workspace(NORTH)
    async with installing(slack, "http", tmp_path) as stage:
        await stage.workspaces._installations.close()
        assert (await ask(stage, north, "when?")).status == 503
        assert (await slack.deliver(payloads.uninstalled(north, at=later()))).status == 503


async def test_installations_outlive_the_process(slack: SlackDouble, tmp_path: Path) -> None:
    north = a_workspace(NORTH)
    async with installing(slack, "http", tmp_path) as stage:
        await stage.install(north)
    async with installing(slack, "socket", tmp_path) as stage:
        slack.request_url = None
        assert (await ask(stage, north, "when?")).ok
        assert len(north.posted(CHANNEL)) == 1
    assert (await asyncio.to_thread((tmp_path / "slack.db").stat)).st_mode & 0o777 == 0o600


async def test_no_secret_is_logged(stage: Installing, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    north, oauth = a_workspace(NORTH), stage.slack.oauth
    oauth.lifetime = 3600
    await stage.install(north)
    await stage.workspaces.refresh()
    await ask(stage, north, "a secret question")
    stage.slack.fail("oauth.v2.access", ApiError("bad_client_secret"), ApiError("invalid_code"))
    back = await (await stage.browser()).agree()
    await (await stage.browser()).get(back)
    stage.slack.oauth.uninstall(north)
    await stage.slack.deliver(payloads.uninstalled(north, at=later()))
    for secret in (*oauth.issued, oauth.client_secret, stage.slack.app_token, stage.slack.signing_secret):
        assert secret not in caplog.text
    assert "secret question" not in caplog.text
