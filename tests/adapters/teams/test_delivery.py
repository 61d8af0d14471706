"""Once, and never silently nothing: through rate limits, faults, lost answers, crashes and sizes."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from bot.messages import Reply, TurnKind
from tests.doubles.teams import Broken, Dropped, Fault, RateLimited, Refuses, Stuck, TeamsDouble
from tests.doubles.teams.people import AMINA
from tests.doubles.teams.server import CHANNEL
from tests.e2e.slack_rig import CRISIS, FACT
from tests.e2e.teams_rig import running

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.e2e.teams_rig import Rig

CHAT = "a:1amina"
INTERRUPTED = "I was interrupted"


@pytest.fixture
async def teams() -> AsyncIterator[TeamsDouble]:
    async with TeamsDouble() as teams:
        yield teams


@pytest.fixture
async def rig(teams: TeamsDouble, tmp_path: Path) -> AsyncIterator[Rig]:
    async with running(teams, tmp_path, patience=0.3, stream_after=60) as rig:
        yield rig


async def ask(rig: Rig, where: str = CHAT) -> dict[str, Any]:
    """No sign of work is shown: the first call is the answer."""
    activity = rig.teams.message(where, AMINA, "when?")
    assert (await rig.teams.deliver(activity)).status == 200
    await rig.settled()
    return activity


def texts(rig: Rig) -> list[str]:
    return [posted.text for posted in rig.teams.messages()]


@pytest.mark.parametrize("fault", [Broken(412), Broken(502), Broken(503), Broken(504)])
async def test_what_passes_is_waited_for_with_growing_patience(rig: Rig, fault: Fault) -> None:
    rig.teams.fail("send", fault, fault, fault)
    await ask(rig)
    assert len(rig.teams.messages()) == 1
    assert len(rig.waits) == 3
    assert rig.waits[2] > rig.waits[0]


async def test_a_rate_limit_is_waited_out_as_long_as_teams_says(rig: Rig) -> None:
    rig.teams.fail("send", RateLimited(7), RateLimited(11))
    await ask(rig)
    assert len(rig.teams.messages()) == 1
    assert [int(wait) for wait in rig.waits] == [7, 11]


@pytest.mark.parametrize(
    "fault", [Dropped(), Stuck(after_the_fact=True), Broken(500, after_the_fact=True)], ids=["dropped", "slow", "500"]
)
async def test_an_answer_of_which_nobody_knows_is_never_sent_again_and_the_person_is_told(
    rig: Rig, fault: Fault
) -> None:
    rig.teams.fail("send", fault)
    await ask(rig)
    answer, note = texts(rig)
    assert "welcome" in answer
    assert note.startswith(INTERRUPTED)


async def test_from_there_it_can_be_asked_again_with_a_click(rig: Rig) -> None:
    rig.teams.fail("send", Stuck())
    await ask(rig)
    [note] = rig.teams.messages()
    [button] = note.cards[0]["body"][0]["actions"]
    await rig.teams.deliver(rig.teams.activity(CHAT, AMINA, type="message", value=button["data"]))
    await rig.settled()
    assert "welcome" in texts(rig)[-1]


async def test_an_answer_that_was_lost_on_the_way_is_not_lost_silently(rig: Rig) -> None:
    rig.teams.fail("send", Stuck())
    await ask(rig)
    [note] = texts(rig)
    assert note.startswith(INTERRUPTED)


async def test_someone_in_need_is_told_again_rather_than_not(rig: Rig) -> None:
    rig.engine.reply = CRISIS
    rig.teams.fail("send", Dropped())
    await ask(rig)
    assert len([text for text in texts(rig) if "116 123" in text]) == 2


@pytest.mark.parametrize("fault", [Dropped(), Stuck(after_the_fact=True)])
async def test_the_end_of_a_stream_is_sent_again_and_stands_once(
    teams: TeamsDouble, tmp_path: Path, fault: Fault
) -> None:
    async with running(teams, tmp_path, patience=0.3) as rig:
        rig.engine.gate.clear()
        await teams.deliver(teams.message(CHAT, AMINA, "when?"))
        await teams.until(lambda: teams.connector.streams)
        teams.fail("send", fault)
        rig.engine.gate.set()
        await rig.settled()
    [posted] = teams.messages()
    assert "welcome" in posted.text


async def test_a_stream_that_a_crash_left_open_ends_with_the_answer_after_the_restart(
    teams: TeamsDouble, tmp_path: Path
) -> None:
    async with running(teams, tmp_path) as rig:
        rig.engine.gate.clear()
        await teams.deliver(teams.message(CHAT, AMINA, "when?"))
        await teams.until(lambda: teams.connector.streams)
        [stream] = teams.connector.streams
        while not any(part.sent_as for part in await rig.box.parts(rig.engine.asked[0].key)):
            pass
        await rig.dispatcher.drain(0)
    async with running(teams, tmp_path, resume=True, stream_after=60) as rig:
        await rig.settled()
    [posted] = teams.messages()
    assert posted.id == stream


@pytest.mark.parametrize("fault", [Refuses(403, "BotNotInConversationRoster"), Refuses(404, "ConversationNotFound")])
async def test_where_the_bot_was_removed_it_is_tried_once_and_given_up(
    rig: Rig, fault: Fault, caplog: pytest.LogCaptureFixture
) -> None:
    rig.teams.fail("send", fault)
    await ask(rig)
    assert rig.teams.messages() == []
    assert rig.teams.connector.calls.count("send") == 1
    assert "SECRET" not in caplog.text


async def test_a_refused_token_is_asked_for_anew(rig: Rig) -> None:
    rig.teams.fail("send", Refuses(401, "Unauthorized"))
    await ask(rig)
    assert len(rig.teams.messages()) == 1


@pytest.mark.parametrize(
    "fault", [Refuses(413, "MessageSizeTooBig"), Refuses(400, "BadSyntax"), Refuses(400, "MessageSizeTooBig")]
)
async def test_what_teams_cannot_show_goes_out_as_text(rig: Rig, fault: Fault) -> None:
    rig.teams.fail("send", fault)
    await ask(rig)
    said = rig.teams.messages()
    assert [posted.cards for posted in said] == [[]] * len(said)
    assert "".join(texts(rig)).count("welcome") == 1
    assert "Visiting hours" in said[-1].text


async def test_a_long_answer_comes_in_parts_each_once_though_the_second_is_held_up(rig: Rig) -> None:
    rig.engine.reply = replace(FACT, text="\n\n".join(f"Paragraph {n}. " + "word " * 300 for n in range(20)))
    rig.teams.fail("send", None, RateLimited(1), Broken(502))
    await ask(rig)
    said = "".join(texts(rig))
    assert len(rig.teams.messages()) > 3
    assert [said.count(f"Paragraph {n}. ") for n in range(20)] == [1] * 20
    assert rig.teams.rejections == []


async def test_parts_that_stand_at_a_restart_are_not_sent_again(teams: TeamsDouble, tmp_path: Path) -> None:
    long = Reply(TurnKind.FACT, "\n\n".join(f"Paragraph {n}. " + "word " * 300 for n in range(20)), "t1")
    async with running(teams, tmp_path, patience=0.3) as rig:
        rig.engine.reply = long
        teams.fail("send", *[None, None, *[Broken(502)] * 6])
        await teams.deliver(teams.message(CHANNEL, AMINA, "when?"))
        await rig.settled()
    async with running(teams, tmp_path, resume=True) as rig:
        rig.engine.reply = long
        await rig.settled()
    said = "".join(posted.text for posted in teams.messages())
    assert [said.count(f"Paragraph {n}. ") for n in range(20)] == [1] * 20


@pytest.mark.parametrize("standing", [True, False])
async def test_a_crash_between_sending_and_noting_it_shows_no_second_answer(
    teams: TeamsDouble, tmp_path: Path, standing: bool
) -> None:
    """As it stands on the disk: the part was begun, and no more is known."""
    async with running(teams, tmp_path) as rig:
        rig.engine.gate.clear()
        await teams.deliver(teams.message(CHANNEL, AMINA, "when?"))
        await rig.dispatcher.drain(0)
        key = (await rig.file.read(lambda db: db.execute("SELECT key FROM inbox").fetchone()))[0]
        await rig.box.begin(key, 0, of=1, trace="t1", at=datetime.now(UTC))
        if standing:
            await rig.box.stands(key, 0, "17640001")
    for _ in range(2):
        async with running(teams, tmp_path, resume=True) as rig:
            await rig.settled()
    assert [posted.text[: len(INTERRUPTED)] for posted in teams.messages()] == ([] if standing else [INTERRUPTED])


async def test_no_call_goes_to_a_host_that_is_no_longer_on_the_list(teams: TeamsDouble, tmp_path: Path) -> None:
    async with running(teams, tmp_path) as rig:
        rig.engine.gate.clear()
        await teams.deliver(teams.message(CHANNEL, AMINA, "when?"))
        await rig.dispatcher.drain(0)
    before = list(teams.connector.calls)
    async with running(teams, tmp_path, hosts=["smba.trafficmanager.net"], resume=True) as rig:
        await rig.settled()
    assert teams.connector.calls == before


async def test_what_is_noted_holds_no_words(rig: Rig) -> None:
    await ask(rig)
    rows = await rig.file.read(
        lambda db: [dict(row) for table in ("outbox", "addresses") for row in db.query(f"SELECT * FROM {table}")]
    )
    assert len(rows) == 2
    said = json.dumps(rows)
    assert not any(words in said for words in ("when?", "welcome", "Visit"))


async def test_what_was_noted_long_ago_is_dropped_and_the_place_is_still_reached(
    teams: TeamsDouble, tmp_path: Path
) -> None:
    now = [datetime(2026, 11, 30, tzinfo=UTC)]
    async with running(teams, tmp_path, stream_after=60, now=lambda: now[0]) as rig:
        first = await ask(rig)
        now[0] += timedelta(days=91)
        await ask(rig)
        assert list(await rig.box.parts(f"{rig.engine.asked[0].conversation.place}:{first['id']}")) == []
        await ask(rig)
    assert len(teams.messages()) == 3


async def test_a_private_reply_that_has_to_wait_a_moment_stays_private(rig: Rig) -> None:
    rig.engine.reply = CRISIS
    rig.teams.fail("create", RateLimited(1))
    rig.teams.fail("send", RateLimited(1))
    await ask(rig, CHANNEL)
    assert [posted.to for posted in rig.teams.messages()] == [AMINA.id]


async def test_rows_about_somebody_are_never_public_though_they_cannot_be_told_alone(rig: Rig) -> None:
    rig.engine.reply = Reply(TurnKind.FACT, "Your result came on Monday.", "t1", private=True)
    rig.teams.fail("create", *[Broken(503)] * 3)
    await ask(rig, CHANNEL)
    (posted,) = rig.teams.messages()
    assert "Your result" not in posted.text
    assert "a chat with just the two of us" in posted.text


async def test_who_got_a_part_of_rows_alone_is_told_that_the_rest_could_not_be_brought(rig: Rig) -> None:
    rig.engine.reply = Reply(
        TurnKind.FACT, "\n\n".join(f"Shift {n}. " + "x" * 3000 for n in range(20)), "t1", private=True
    )
    rig.teams.fail("send", None, *[Broken(503)] * 3)
    await ask(rig, CHANNEL)
    alone, told = rig.teams.messages()
    assert alone.to == AMINA.id
    assert "Shift" not in told.text
    assert "a chat with just the two of us" in told.text
