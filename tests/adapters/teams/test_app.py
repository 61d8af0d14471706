"""The wiring: what is answered, where, how often, and what a click brings."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from bot.errors import Transient
from memory.conversation import Conversation
from memory.errors import MemoryUnavailable
from tests.doubles.teams import BOT, TENANT, Broken, Person, RateLimited, Refuses, Stuck, TeamsDouble
from tests.doubles.teams.people import AMINA, BJORN, GUEST
from tests.doubles.teams.server import CHANNEL, GROUP
from tests.e2e.slack_rig import CRISIS, FACT, LINKED, UNLINKED
from tests.e2e.teams_rig import running

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.doubles.teams import Fault
    from tests.e2e.teams_rig import Rig

CHAT = "a:1amina"


@pytest.fixture
async def teams() -> AsyncIterator[TeamsDouble]:
    async with TeamsDouble() as teams:
        yield teams


@pytest.fixture
async def rig(teams: TeamsDouble, tmp_path: Path) -> AsyncIterator[Rig]:
    async with running(teams, tmp_path) as rig:
        yield rig


async def ask(rig: Rig, where: str, by: Person = AMINA, text: str = "when may I visit?", **more: Any) -> dict[str, Any]:
    activity = rig.teams.message(where, by, text, **more)
    assert (await rig.teams.deliver(activity)).status == 200
    await rig.settled()
    return activity


@pytest.mark.parametrize("where", [CHAT, GROUP, CHANNEL])
async def test_an_answer_stands_where_it_was_asked_for(rig: Rig, where: str) -> None:
    activity = await ask(rig, where)
    [posted] = rig.teams.messages()
    assert posted.conversation == activity["conversation"]["id"]
    assert rig.engine.asked[0].text == "when may I visit?"
    assert rig.teams.rejections == []


async def test_a_thread_of_a_channel_is_one_conversation_and_its_root_names_it(rig: Rig) -> None:
    first = await ask(rig, CHANNEL)
    await ask(rig, first["conversation"]["id"], BJORN)
    await ask(rig, CHANNEL)
    root = first["id"]
    assert [one.conversation for one in rig.engine.asked[:2]] == [Conversation("teams", TENANT, CHANNEL, root)] * 2
    assert rig.engine.asked[2].conversation.thread != root
    assert {posted.conversation for posted in rig.teams.messages()[:2]} == {f"{CHANNEL};messageid={root}"}


async def test_teams_is_told_at_once_and_the_answer_comes_later(rig: Rig) -> None:
    rig.engine.gate.clear()
    assert (await rig.teams.deliver(rig.teams.message(CHAT, AMINA, "when?"))).status == 200
    assert rig.teams.messages() == []
    rig.engine.gate.set()
    await rig.settled()
    assert len(rig.teams.messages()) == 1


async def test_teams_is_told_only_once_the_message_is_stored(rig: Rig) -> None:
    rig.door.gate.clear()
    given = asyncio.create_task(rig.teams.deliver(rig.teams.message(CHAT, AMINA, "when?")))
    await rig.door.reached.wait()
    assert not given.done()
    rig.door.gate.set()
    assert (await given).status == 200


@pytest.mark.parametrize("where", [CHAT, GROUP, CHANNEL])
async def test_what_teams_delivers_again_is_answered_once(rig: Rig, where: str) -> None:
    activity = rig.teams.message(where, AMINA, "when?")
    rig.engine.gate.clear()
    given = await asyncio.gather(*(rig.teams.deliver(activity) for _ in range(5)))
    rig.engine.gate.set()
    await rig.settled()
    given += [await rig.teams.deliver(activity)]
    await rig.settled()
    assert {one.status for one in given} == {200}
    assert len(rig.engine.asked) == len(rig.teams.messages()) == 1


async def test_what_comes_again_after_a_restart_is_answered_once(teams: TeamsDouble, tmp_path: Path) -> None:
    activity = teams.message(CHANNEL, AMINA, "when?")
    async with running(teams, tmp_path) as rig:
        await teams.deliver(activity)
        await rig.settled()
    async with running(teams, tmp_path, resume=True) as rig:
        await teams.deliver(activity)
        await rig.settled()
        assert rig.engine.asked == []
    assert len(teams.messages()) == 1


async def test_what_waited_at_a_restart_is_answered_then_in_its_thread(teams: TeamsDouble, tmp_path: Path) -> None:
    activity = teams.message(CHANNEL, AMINA, "when?")
    async with running(teams, tmp_path) as rig:
        rig.engine.gate.clear()
        await teams.deliver(activity)
        await rig.dispatcher.drain(0)
    assert teams.messages() == []
    async with running(teams, tmp_path, resume=True) as rig:
        await rig.settled()
    assert [one.conversation for one in teams.messages()] == [activity["conversation"]["id"]]


async def test_a_turn_is_shown_as_a_message_being_written_and_ends_it(rig: Rig) -> None:
    rig.engine.gate.clear()
    await rig.teams.deliver(rig.teams.message(CHAT, AMINA, "when?"))
    await rig.teams.until(lambda: rig.teams.connector.streams)
    [begun] = rig.teams.connector.typing
    rig.engine.gate.set()
    await rig.settled()
    [posted] = rig.teams.messages()
    assert begun.text == "Looking in the documents…"
    assert posted.id == begun.id
    assert rig.teams.connector.streams == {begun.id: True}
    assert rig.teams.rejections == []


@pytest.mark.parametrize("where", [GROUP, CHANNEL])
async def test_where_teams_streams_nothing_it_shows_typing(rig: Rig, where: str) -> None:
    rig.engine.gate.clear()
    await rig.teams.deliver(rig.teams.message(where, AMINA, "when?"))
    await rig.teams.until(lambda: rig.teams.connector.typing)
    rig.engine.gate.set()
    await rig.settled()
    assert "entities" not in rig.teams.connector.typing[0].activity
    assert rig.teams.rejections == []


@pytest.mark.parametrize(
    ("code", "words"), [("ContentStreamNotAllowed", "exceeded streaming time"), ("BadArgument", "no")]
)
async def test_a_stream_that_ran_out_of_time_or_never_began_costs_no_answer(rig: Rig, code: str, words: str) -> None:
    rig.engine.gate.clear()
    if code == "BadArgument":
        rig.teams.fail("send", Refuses(403, code))
    await rig.teams.deliver(rig.teams.message(CHAT, AMINA, "when?"))
    await rig.teams.until(lambda: rig.teams.connector.calls.count("send"))
    if code != "BadArgument":
        await rig.teams.until(lambda: rig.teams.connector.streams)
        rig.teams.fail("send", Refuses(403, code, words))
    rig.engine.gate.set()
    await rig.settled()
    [posted] = rig.teams.messages()
    assert all(one["type"] != "streaminfo" for one in posted.activity["entities"])


async def test_mentions_of_others_stay_as_names_and_ours_goes_once(rig: Rig) -> None:
    ours, hers = "<at>Citewell</at>", "<at>Dr Kaya</at>"
    entities = [
        {"type": "mention", "mentioned": {"id": "29:1kaya", "name": "Dr Kaya"}, "text": hers},
        {"type": "mention", "mentioned": {"id": BOT, "name": "Citewell"}, "text": ours},
    ]
    said = rig.teams.message(GROUP, AMINA, "")
    said |= {"text": f"{hers} {ours}, what does Citewell say of visits?", "entities": entities}
    await rig.teams.deliver(said)
    await rig.settled()
    assert rig.engine.asked[0].text == "@Dr Kaya what does Citewell say of visits?"


@pytest.mark.parametrize("where", [GROUP, CHANNEL])
async def test_what_does_not_mention_us_is_left_alone(rig: Rig, where: str) -> None:
    activity = rig.teams.message(where, AMINA, "when?") | {"text": "Citewell is nice", "entities": []}
    assert (await rig.teams.deliver(activity)).status == 200
    await rig.settled()
    assert rig.engine.asked == []


@pytest.mark.parametrize("sender", [{"id": BOT, "name": "Citewell"}, {"id": "28:another", "name": "Another bot"}])
async def test_bots_are_not_answered(rig: Rig, sender: dict[str, Any]) -> None:
    assert (await rig.teams.deliver(rig.teams.message(CHAT, AMINA, "hello") | {"from": sender})).status == 200
    await rig.settled()
    assert rig.engine.asked == []


@pytest.mark.parametrize(
    ("person", "guest"),
    [
        (AMINA, False),
        (GUEST, True),
        (Person("29:1anon", "Someone", "", role="anonymous"), True),
        (Person("29:1ext", "Ext", "e", tenant="99f988bf-0000-4000-8000-000000000009"), True),
        (Person("29:1none", "None", "n", role=None), True),
        (Person("29:1same", "Same", "s", tenant=None), False),
    ],
)
async def test_only_whom_teams_calls_one_of_ours_is_a_member(rig: Rig, person: Person, guest: bool) -> None:
    rig.teams.connector.people[person.id] = person
    await ask(rig, CHANNEL, person)
    assert rig.engine.asked[0].author.guest is guest


async def test_who_cannot_be_looked_up_is_a_guest_and_asked_about_again(rig: Rig) -> None:
    rig.teams.fail("member", Refuses(404, "MemberNotFoundInConversation"))
    await ask(rig, CHAT)
    await ask(rig, CHAT)
    await ask(rig, CHAT)
    assert [one.author.guest for one in rig.engine.asked] == [True, False, False]
    assert rig.teams.connector.calls.count("member") == 2


async def rows(rig: Rig) -> int:
    """Whatever is written down of anyone."""
    tables = ("addresses", "outbox", "inbox", "turns", "conversations")
    return await rig.file.read(
        lambda db: sum(db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables)
    )


async def test_nobody_waits_for_a_look_up_and_until_it_is_over_nothing_is_written(
    teams: TeamsDouble, tmp_path: Path
) -> None:
    teams.fail("member", Stuck())
    async with running(teams, tmp_path, moment=0.0) as rig:
        activity = teams.message(CHAT, AMINA, "when?")
        given = [await teams.deliver(activity) for _ in range(2)]
        assert [one.status for one in given] == [200, 200]
        assert rig.engine.asked == []
        assert await rows(rig) == 0
        await rig.settled()
        assert [one.author.guest for one in rig.engine.asked] == [True]
        assert await rows(rig) == 0
    assert len(teams.messages()) == 1


async def test_who_is_looked_up_after_teams_was_told_is_a_member_all_the_same(
    teams: TeamsDouble, tmp_path: Path
) -> None:
    async with running(teams, tmp_path, moment=0.0) as rig:
        await ask(rig, CHAT)
        assert [one.author.guest for one in rig.engine.asked] == [False]
        assert await rows(rig) > 0
        await ask(rig, CHAT)
        assert teams.connector.calls.count("member") == 1


async def test_what_is_taken_in_too_late_is_answered_with_that(teams: TeamsDouble, tmp_path: Path) -> None:
    async with running(teams, tmp_path, moment=0.0) as rig:
        rig.door.fault = Transient("shutting down")
        assert (await teams.deliver(teams.message(CHAT, AMINA, "when?"))).status == 200
        await rig.settled()
        assert rig.engine.asked == []
    assert [one.text.startswith("I was interrupted") for one in teams.messages()] == [True]


async def test_who_is_still_looked_up_when_it_stops_is_told_to_ask_again(teams: TeamsDouble, tmp_path: Path) -> None:
    teams.fail("member", Stuck())
    async with running(teams, tmp_path, moment=0.0, patience=0.2) as rig:
        assert (await teams.deliver(teams.message(CHAT, AMINA, "when?"))).status == 200
    assert rig.engine.asked == []
    assert [one.text.startswith("I was interrupted") for one in teams.messages()] == [True]


async def test_of_a_guest_no_row_is_written(rig: Rig) -> None:
    await ask(rig, CHANNEL, GUEST)
    assert await rows(rig) == 0
    assert len(rig.teams.messages()) == 1


async def test_language_country_and_time_zone_come_from_the_message(rig: Rig) -> None:
    await ask(rig, CHAT, Person(AMINA.id, "Amina", AMINA.directory, country="ie", locale="ga-IE"))
    author = rig.engine.asked[0].author
    assert (author.id, author.locale, author.country, author.timezone) == (
        AMINA.directory,
        "ga-IE",
        "IE",
        "Europe/London",
    )


@pytest.mark.parametrize("where", [GROUP, CHANNEL])
async def test_a_private_reply_goes_to_the_author_alone(rig: Rig, where: str) -> None:
    rig.engine.reply = CRISIS
    await ask(rig, where)
    [posted] = rig.teams.messages()
    assert posted.to == AMINA.id
    assert "116 123" in posted.text
    assert rig.teams.connector.opened == [AMINA.id]


async def test_after_a_restart_they_are_found_by_their_id_in_the_directory(teams: TeamsDouble, tmp_path: Path) -> None:
    async with running(teams, tmp_path) as rig:
        rig.engine.gate.clear()
        await teams.deliver(teams.message(CHANNEL, AMINA, "when?"))
        await rig.dispatcher.drain(0)
    async with running(teams, tmp_path, resume=True) as rig:
        rig.engine.reply = CRISIS
        await rig.settled()
    assert teams.connector.opened == [AMINA.directory]
    assert [posted.to for posted in teams.messages()] == [AMINA.id]


async def test_where_the_bot_may_not_write_to_them_it_answers_there_and_repeats_nothing(rig: Rig) -> None:
    rig.engine.reply = CRISIS
    rig.teams.fail("create", Refuses(403, "ForbiddenOperationException"))
    activity = await ask(rig, CHANNEL, text="SECRET words")
    [posted] = rig.teams.messages()
    assert posted.conversation == activity["conversation"]["id"]
    assert "SECRET" not in json.dumps(posted.activity)


async def test_someone_in_need_is_answered_while_nothing_can_be_stored(rig: Rig) -> None:
    rig.engine.reply = CRISIS
    await rig.file.close()
    given = await rig.teams.deliver(rig.teams.message(CHAT, AMINA, "help"))
    await rig.settled()
    assert given.status == 503
    assert len(rig.teams.messages()) == 1


@pytest.mark.parametrize("fault", [Transient("shutting down"), MemoryUnavailable("the disk is full")])
async def test_what_cannot_be_taken_in_is_asked_for_again(rig: Rig, fault: Exception) -> None:
    rig.door.fault = fault
    assert (await rig.teams.deliver(rig.teams.message(CHAT, AMINA, "when?"))).status == 503


async def test_an_edit_before_its_turn_is_asked_as_edited(rig: Rig) -> None:
    rig.engine.gate.clear()
    first = rig.teams.message(CHAT, AMINA, "one")
    second = rig.teams.message(CHAT, AMINA, "two")
    await rig.teams.deliver(first)
    await rig.teams.deliver(second)
    edited = second | {"type": "messageUpdate", "text": "three", "timestamp": "t1"}
    edited["channelData"] = {"tenant": {"id": TENANT}, "eventType": "editMessage"}
    assert (await rig.teams.deliver(edited)).status == 200
    rig.engine.gate.set()
    await rig.settled()
    assert [one.text for one in rig.engine.asked] == ["one", "three"]
    assert (await rig.teams.deliver(edited | {"text": "four"})).status == 200
    await rig.settled()
    assert len(rig.engine.asked) == 2


async def test_an_edit_into_words_of_someone_at_risk_is_answered(rig: Rig) -> None:
    said = await ask(rig, CHAT)
    edited = said | {"type": "messageUpdate", "text": "I want to kill myself", "timestamp": "t1"}
    edited["channelData"] = {"tenant": {"id": TENANT}, "eventType": "editMessage"}
    for _ in range(2):
        await rig.teams.deliver(edited)
        await rig.settled()
    assert [one.text for one in rig.engine.asked] == ["when may I visit?", "I want to kill myself"]


async def test_a_deleted_question_is_forgotten_with_its_answer(rig: Rig) -> None:
    said = await ask(rig, CHANNEL)
    other = await ask(rig, said["conversation"]["id"])
    gone = said | {"type": "messageDelete", "text": ""}
    gone["channelData"] = {"tenant": {"id": TENANT}, "eventType": "softDeleteMessage"}
    assert (await rig.teams.deliver(gone)).status == 200
    await rig.settled()
    turns = await rig.memories.durable.turns(rig.engine.asked[0].conversation)
    assert [turn.message.rpartition(":")[2] for turn in turns] == [other["id"].rpartition(":")[2]]
    assert len(rig.teams.messages()) == 1


def deleted(said: dict[str, Any]) -> dict[str, Any]:
    data = {"tenant": {"id": TENANT}, "eventType": "softDeleteMessage"}
    return said | {"type": "messageDelete", "text": "", "channelData": data}


async def test_with_a_question_goes_the_answer_to_asking_it_again(rig: Rig) -> None:
    said = await ask(rig, CHAT)
    await rig.teams.deliver(
        rig.teams.activity(CHAT, AMINA, type="message", value={"citewell": "retry", "key": said["id"]})
    )
    await rig.settled()
    assert len(rig.teams.messages()) == 2
    await rig.teams.deliver(deleted(said))
    await rig.settled()
    assert rig.teams.messages() == []


@pytest.mark.parametrize(
    ("fault", "left"), [(Refuses(404, "ActivityNotFoundInConversation"), 1), (RateLimited(1), 0), (Broken(502), 0)]
)
async def test_one_part_that_is_not_taken_away_leaves_no_other(rig: Rig, fault: Fault, left: int) -> None:
    rig.engine.reply = replace(FACT, text="word " * 3_000)
    said = await ask(rig, CHAT)
    assert len(rig.teams.messages()) > 2
    rig.teams.fail("delete", fault)
    await rig.teams.deliver(deleted(said))
    await rig.settled()
    assert len(rig.teams.messages()) == left


async def test_being_added_is_answered_with_a_few_words_once(rig: Rig) -> None:
    for _ in range(2):
        added = rig.teams.activity(CHAT, AMINA, type="installationUpdate", action="add")
        await rig.teams.deliver(added)
        await rig.settled()
        member = rig.teams.activity(CHAT, AMINA, type="conversationUpdate", membersAdded=[{"id": BOT}])
        await rig.teams.deliver(member)
        await rig.settled()
    assert [posted.text for posted in rig.teams.messages()] == [
        "Hello! Ask me a question and I will look in our documents."
    ]


def both_ways_of_being_added(rig: Rig) -> list[dict[str, Any]]:
    return [
        rig.teams.activity(CHAT, AMINA, type="installationUpdate", action="add"),
        rig.teams.activity(CHAT, GUEST, type="conversationUpdate", membersAdded=[{"id": BOT}]),
    ]


async def test_being_added_is_answered_once_though_teams_says_it_twice_at_once(rig: Rig) -> None:
    await asyncio.gather(*map(rig.teams.deliver, both_ways_of_being_added(rig)))
    await rig.settled()
    assert len(rig.teams.messages()) == 1


async def test_who_could_not_be_greeted_is_greeted_the_next_time(rig: Rig) -> None:
    rig.teams.fail("send", Broken(503))
    for added in both_ways_of_being_added(rig):
        await rig.teams.deliver(added)
        await rig.settled()
    assert len(rig.teams.messages()) == 1


@pytest.mark.parametrize(
    "more",
    [
        {"type": "installationUpdate", "action": "remove"},
        {"type": "conversationUpdate", "membersRemoved": [{"id": BOT}]},
        {"type": "conversationUpdate", "membersAdded": [{"id": "29:1somebody"}]},
        {"type": "messageReaction", "reactionsAdded": [{"type": "like"}]},
        {"type": "typing"},
        {"type": "event", "name": "SECRET"},
        {"type": "endOfConversation"},
    ],
)
async def test_what_asks_nothing_of_us_is_acknowledged_and_wipes_nothing(rig: Rig, more: dict[str, Any]) -> None:
    said = await ask(rig, CHAT)
    before = rig.teams.messages()
    assert (await rig.teams.deliver(rig.teams.activity(CHAT, AMINA, **more))).status == 200
    await rig.settled()
    assert rig.teams.messages() == before
    assert len(await rig.memories.durable.turns(rig.engine.asked[0].conversation)) == 1
    assert said


def invoke(rig: Rig, name: str, value: Any, by: Person = AMINA, where: str = CHAT, **more: Any) -> dict[str, Any]:
    return rig.teams.activity(where, by, type="invoke", name=name, value=value, **more)


def dialog(data: dict[str, Any]) -> dict[str, Any]:
    return {"data": {"type": "task/fetch", **data}, "context": {"theme": "default"}}


async def test_a_dialog_shows_the_sources_of_the_last_answer(rig: Rig) -> None:
    await ask(rig, CHAT)
    given = await rig.teams.deliver(invoke(rig, "task/fetch", dialog({"citewell": "sources"})))
    assert given.status == 200
    assert json.dumps(given.body).count("Sources of my last answer") == 1
    assert given.body["task"]["type"] == "continue"
    assert LINKED.quote in json.dumps(given.body)


async def test_a_dialog_shows_one_passage_to_whom_it_may_be_shown_now(rig: Rig) -> None:
    await ask(rig, CHAT)
    asked = dialog({"citewell": "passage", "id": UNLINKED.id, "n": 2})
    assert UNLINKED.quote in json.dumps((await rig.teams.deliver(invoke(rig, "task/fetch", asked))).body)
    rig.shelf.collections[UNLINKED.id] = "staff"
    assert UNLINKED.quote in json.dumps((await rig.teams.deliver(invoke(rig, "task/fetch", asked))).body)
    given = await rig.teams.deliver(invoke(rig, "task/fetch", asked, GUEST, CHANNEL))
    assert given.status == 200
    assert UNLINKED.quote not in json.dumps(given.body)
    assert "no longer available" in json.dumps(given.body)


async def test_a_submitted_and_an_executed_button_are_answered_too(rig: Rig) -> None:
    await ask(rig, CHAT)
    value = {"action": {"type": "Action.Execute", "verb": "sources", "data": {"citewell": "sources"}}}
    given = await rig.teams.deliver(invoke(rig, "adaptiveCard/action", value))
    assert given.body["statusCode"] == 200
    assert given.body["type"] == "application/vnd.microsoft.card.adaptive"
    submitted = rig.teams.activity(
        CHAT, AMINA, type="message", value={"citewell": "passage", "id": UNLINKED.id, "n": 2}
    )
    assert (await rig.teams.deliver(submitted)).status == 200
    await rig.settled()
    assert UNLINKED.quote in json.dumps(rig.teams.messages()[-1].activity)
    assert len(rig.engine.asked) == 1


@pytest.mark.parametrize(
    "value",
    [
        None,
        "SECRET",
        [],
        {},
        {"data": None},
        {"data": {"citewell": "passage"}},
        {"data": {"citewell": "passage", "id": "x" * 3_000, "n": 1}},
        {"data": {"citewell": "passage", "id": "x", "n": -1}},
        {"data": {"citewell": "delete everything"}},
        {"action": {"data": {"citewell": ["sources"]}}},
    ],
)
@pytest.mark.parametrize("name", ["task/fetch", "adaptiveCard/action", "composeExtension/query", "x", None])
async def test_an_invoke_that_is_none_of_ours_gets_501_and_does_nothing(rig: Rig, name: str | None, value: Any) -> None:
    given = await rig.teams.deliver(invoke(rig, name or "", value))
    assert given.status == 501
    assert rig.teams.connector.calls == []


async def thumb(rig: Rig, reaction: str, message: str, by: Person = AMINA, why: str = "it is out of date") -> None:
    feedback = json.dumps({"feedbackText": why})
    value = {"actionName": "feedback", "actionValue": {"reaction": reaction, "feedback": feedback}}
    given = await rig.teams.deliver(invoke(rig, "message/submitAction", value, by, replyToId=message))
    assert (given.status, given.body) == (200, {})
    await rig.settled()


async def ratings(rig: Rig) -> list[tuple[int, str]]:
    query = "SELECT good, comment FROM ratings"
    return await rig.file.read(lambda db: [tuple(row) for row in db.execute(query).fetchall()])


async def test_a_thumb_is_kept_with_its_reason_and_a_second_one_changes_it(rig: Rig) -> None:
    await ask(rig, CHAT)
    [posted] = rig.teams.messages()
    await thumb(rig, "like", posted.id)
    await thumb(rig, "dislike", posted.id)
    assert await ratings(rig) == [(0, "it is out of date")]


@pytest.mark.parametrize(("reaction", "message"), [("like", "unknown"), ("love", ""), ("like", "")])
async def test_a_thumb_on_nothing_of_ours_is_acknowledged_and_kept_nowhere(
    rig: Rig, reaction: str, message: str
) -> None:
    await ask(rig, CHAT)
    await thumb(rig, reaction, message)
    assert await ratings(rig) == []


async def test_a_reason_in_which_someone_is_at_risk_is_answered_and_not_kept(rig: Rig) -> None:
    await ask(rig, CHAT)
    [posted] = rig.teams.messages()
    await thumb(rig, "dislike", posted.id, why="I want to kill myself")
    assert {said for _, said in await ratings(rig)} <= {""}
    assert [one.text for one in rig.engine.asked] == ["when may I visit?", "I want to kill myself"]


async def test_a_guests_thumb_is_kept_nowhere(rig: Rig) -> None:
    await ask(rig, CHAT)
    [posted] = rig.teams.messages()
    await thumb(rig, "like", posted.id, GUEST)
    assert await ratings(rig) == []


async def test_asking_again_asks_what_the_person_asked_once_a_click(rig: Rig) -> None:
    rig.engine.reply = FACT
    said = await ask(rig, CHAT)
    click = rig.teams.activity(CHAT, AMINA, type="message", value={"citewell": "retry", "key": said["id"]})
    for _ in range(2):
        await rig.teams.deliver(click)
        await rig.settled()
    assert [one.text for one in rig.engine.asked] == ["when may I visit?"] * 2
    assert len(rig.teams.messages()) == 2
    of_another = rig.teams.activity(CHAT, BJORN, type="message", value={"citewell": "retry", "key": said["id"]})
    await rig.teams.deliver(of_another)
    await rig.settled()
    assert len(rig.engine.asked) == 2


@pytest.mark.parametrize(("typed", "heard"), [("/sources", "sources"), ("/HELP", "help"), ("/forget", "forget")])
async def test_commands_may_be_typed_with_a_slash(rig: Rig, typed: str, heard: str) -> None:
    await ask(rig, CHANNEL, text=typed)
    texts = [one.text for one in rig.engine.asked]
    assert texts == ([] if heard == "sources" else [heard])
    assert len(rig.teams.messages()) == 1


async def test_the_reply_to_sources_shows_the_passages(rig: Rig) -> None:
    first = await ask(rig, CHANNEL)
    await ask(rig, first["conversation"]["id"], text="/sources")
    said = json.dumps(rig.teams.messages()[-1].activity)
    assert LINKED.quote in said
    assert said.count("Sources of my last answer") == 1
