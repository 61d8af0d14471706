"""The one workspace of a bot token leaves."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

import pytest

from tests.doubles.slack import BOT, TEAM, ApiError, SlackDouble, payloads
from tests.e2e.slack_rig import running

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.e2e.slack_rig import Mode, Rig

CHANNEL, AMINA = "C0WARD", "U0AMINA"
SECRET = f"<@{BOT}> a secret of the clinic"


@pytest.fixture(params=["socket", "http"])
async def rig(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Rig]:
    mode: Mode = request.param
    async with SlackDouble() as slack, running(slack, mode, tmp_path) as rig:
        await slack.say(CHANNEL, AMINA, SECRET)
        await rig.settled()
        yield rig


async def _kept(rig: Rig) -> bytes:
    folder = rig.file.path.parent
    return await asyncio.to_thread(lambda: b"".join(one.read_bytes() for one in folder.iterdir() if one.is_file()))


async def test_it_leaves_nothing_behind_and_is_heard_no_more(rig: Rig) -> None:
    assert b"a secret of the clinic" in await _kept(rig)
    assert (await rig.slack.deliver(payloads.uninstalled(rig.slack.workspace, at=int(time.time())))).ok
    assert TEAM.encode() not in await _kept(rig)
    await rig.slack.say(CHANNEL, AMINA, SECRET)
    await rig.settled()
    assert len(rig.engine.asked) == 1
    assert TEAM.encode() not in await _kept(rig)


@pytest.mark.parametrize(("error", "left"), [(None, False), ("token_revoked", True), ("account_inactive", True)])
async def test_a_revoked_token_is_believed_where_slack_takes_it_no_more(
    rig: Rig, error: str | None, *, left: bool
) -> None:
    if error is not None:
        rig.slack.fail("auth.test", ApiError(error))
    assert (await rig.slack.deliver(payloads.tokens_revoked(rig.slack.workspace, at=int(time.time())))).ok
    assert (b"a secret of the clinic" not in await _kept(rig)) is left


async def test_while_slack_does_not_say_whether_it_takes_the_token_nothing_is_done(rig: Rig) -> None:
    rig.slack.fail("auth.test", ApiError("internal_error"))
    body = payloads.tokens_revoked(rig.slack.workspace, at=int(time.time()))
    if rig.slack.request_url is None:
        envelope = await rig.slack.send(body)
        await rig.slack.until(lambda: len(rig.slack.called("auth.test")) == 2)
        assert not rig.slack.is_acknowledged(envelope)
    else:
        assert (await rig.slack.deliver(body)).status == 503
    assert b"a secret of the clinic" in await _kept(rig)


async def test_another_workspace_cannot_send_it_away(rig: Rig) -> None:
    body = payloads.uninstalled(rig.slack.workspace, at=int(time.time())) | {"team_id": "T0OTHER"}
    assert (await rig.slack.deliver(body)).ok
    assert b"a secret of the clinic" in await _kept(rig)


async def test_what_was_sent_to_another_app_does_nothing(rig: Rig, caplog: pytest.LogCaptureFixture) -> None:
    (event,) = rig.slack.events_of(await rig.slack.write("D0AMINA", AMINA, "hello"))
    for body in (event, payloads.uninstalled(rig.slack.workspace, at=int(time.time()))):
        assert (await rig.slack.deliver(body | {"api_app_id": "A0OTHER"})).ok
    await rig.settled()
    assert len(rig.engine.asked) == 1
    assert b"a secret of the clinic" in await _kept(rig)
    assert [record.message for record in caplog.records] == [
        "left alone: it was sent to the app A0OTHER, and this is A0CITEWELL"
    ] * 2
