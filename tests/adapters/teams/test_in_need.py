"""Someone in need is answered, whatever becomes of the chat that was meant for it."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.doubles.teams import TENANT, Broken, Dropped, RateLimited, Refuses, Stuck, TeamsDouble
from tests.doubles.teams.people import AMINA, BJORN
from tests.doubles.teams.server import CHANNEL, GROUP
from tests.e2e.slack_rig import CRISIS
from tests.e2e.teams_rig import running

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.doubles.teams import Fault
    from tests.e2e.teams_rig import Rig

CHAT = "a:1amina"
RISK = "I want to end my life"


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    async with TeamsDouble() as teams, running(teams, tmp_path, stream_after=60) as rig:
        yield rig


def edited(said: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        **said,
        "type": "messageUpdate",
        "channelData": {"tenant": {"id": TENANT}, "eventType": "editMessage"},
        "timestamp": "t1",
        **more,
    }


async def test_they_wait_for_no_other_turn_of_their_conversation_or_elsewhere(rig: Rig) -> None:
    rig.engine.gate.clear()
    for where in (GROUP, *(f"a:1chat{n}" for n in range(8))):
        await rig.teams.deliver(rig.teams.message(where, BJORN, "when?"))
    await rig.teams.deliver(rig.teams.message(GROUP, AMINA, RISK))
    async with asyncio.timeout(5):
        while RISK not in [one.text for one in rig.engine.asked]:  # noqa: ASYNC110 - it tells nobody
            await asyncio.sleep(0.002)
    rig.engine.gate.set()
    await rig.settled()


async def test_an_edit_into_words_of_someone_at_risk_waits_for_nothing(rig: Rig) -> None:
    rig.engine.gate.clear()
    said = rig.teams.message(CHAT, AMINA, "when?")
    await rig.teams.deliver(said)
    await rig.teams.deliver(edited(said, text=RISK))
    async with asyncio.timeout(5):
        while RISK not in [one.text for one in rig.engine.asked]:  # noqa: ASYNC110 - it tells nobody
            await asyncio.sleep(0.002)
    rig.engine.gate.set()
    await rig.settled()


async def test_an_edit_that_mentions_us_no_more_leaves_them_their_answer(rig: Rig) -> None:
    rig.engine.reply = CRISIS
    rig.engine.gate.clear()
    said = rig.teams.message(GROUP, AMINA, RISK)
    await rig.teams.deliver(said)
    await rig.teams.deliver(edited(said, text="never mind", entities=[]))
    rig.engine.gate.set()
    await rig.settled()
    assert ["116 123" in posted.text for posted in rig.teams.messages()] == [True]


PASSING = [Broken(412), Broken(500), Broken(502), Broken(503), RateLimited(1), Dropped(), Stuck()]


async def told(call: str, *faults: Fault, home: Path) -> tuple[set[str | None], list[float]]:
    """Who reads the lines after these faults, None for everyone there, and the pauses that were made."""
    async with TeamsDouble() as teams, running(teams, home, patience=0.3, stream_after=60) as rig:
        rig.engine.reply = CRISIS
        teams.fail(call, *faults)
        await teams.deliver(teams.message(CHANNEL, AMINA, RISK))
        await rig.settled()
        return {posted.to for posted in teams.messages() if "116 123" in posted.text}, rig.waits


@pytest.mark.parametrize("call", ["create", "send"])
@pytest.mark.parametrize("fault", PASSING)
async def test_what_passes_twice_makes_nothing_public(call: str, fault: Fault, tmp_path: Path) -> None:
    read, waits = await told(call, fault, fault, home=tmp_path)
    assert read == {AMINA.id}
    assert len(waits) == 2
    assert sum(waits) <= 5


@pytest.mark.parametrize("call", ["create", "send"])
@pytest.mark.parametrize("fault", [Broken(500), Broken(502), Stuck(), RateLimited(1)])
async def test_where_the_private_chat_keeps_failing_the_lines_stand_where_they_wrote(
    call: str, fault: Fault, tmp_path: Path
) -> None:
    read, waits = await told(call, fault, fault, fault, home=tmp_path)
    assert read == {None}
    assert len(waits) == 2


@pytest.mark.parametrize("call", ["create", "send"])
@pytest.mark.parametrize("fault", [Refuses(403, "BotNotInConversationRoster"), RateLimited(300)])
async def test_where_it_is_refused_or_far_off_they_stand_there_at_once(call: str, fault: Fault, tmp_path: Path) -> None:
    assert await told(call, fault, home=tmp_path) == ({None}, [])


async def test_a_long_rate_limit_everywhere_is_not_waited_out(tmp_path: Path) -> None:
    read, waits = await told("send", RateLimited(300), RateLimited(300), home=tmp_path)
    assert read == {AMINA.id}
    assert [wait <= 31 for wait in waits] == [True]


def commented(rig: Rig, text: str, *, about: str | None, reaction: str | None = "dislike") -> dict[str, Any]:
    """As Teams brings it: without an id."""
    said = {"reaction": reaction, "feedback": json.dumps({"feedbackText": text})}
    value = {"actionName": "feedback", "actionValue": said}
    made = rig.teams.activity(CHAT, AMINA, type="invoke", name="message/submitAction", value=value, replyToId=about)
    del made["id"]
    return made


@pytest.mark.parametrize("reaction", ["dislike", None])
@pytest.mark.parametrize("about", ["an answer", None])
@pytest.mark.parametrize("before", ["", "a " * 1_500])
async def test_a_comment_of_someone_at_risk_is_answered_whatever_else_it_lacks_and_kept_nowhere(
    rig: Rig, reaction: str | None, about: str | None, before: str
) -> None:
    await rig.teams.deliver(rig.teams.message(CHAT, AMINA, "when?"))
    await rig.settled()
    [answer] = rig.teams.messages()
    rig.engine.reply = CRISIS
    said = commented(rig, before + RISK, about=about and answer.id, reaction=reaction)
    assert (await rig.teams.deliver(said)).status == 200
    await rig.settled()
    assert [one.text[-len(RISK) :] for one in rig.engine.asked] == ["when?", RISK]
    comments = await rig.file.read(lambda db: [row[0] for row in db.execute("SELECT comment FROM ratings")])
    assert set(comments) <= {""}


async def test_two_comments_of_someone_at_risk_on_one_answer_are_two_messages(rig: Rig) -> None:
    for text in (RISK, f"{RISK} now"):
        await rig.teams.deliver(commented(rig, text, about="an answer"))
        await rig.settled()
    assert [one.text for one in rig.engine.asked] == [RISK, f"{RISK} now"]
