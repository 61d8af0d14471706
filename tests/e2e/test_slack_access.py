"""Who sees what in Slack, through the whole product: channels, direct messages, shared channels, guests, buttons."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import pytest

from bot.access import Shelving
from bot.wording import wording
from retrieval.ingest import ingest
from tests.doubles.slack import BOT, ApiError, Broken, Stuck, payloads
from tests.e2e.serve_rig import eventually
from tests.e2e.whole_rig import Mode, double, whole

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.doubles.slack import Message, SlackDouble
    from tests.e2e.whole_rig import Whole

WARD, OTHER, DIRECT, AMINA, GUEST = "C0WARD", "C0OTHER", "D0AMINA", "U0AMINA", "U0GUEST"
HERON = "When does the heron rota begin?"
ASKED = f"<@{BOT}> {HERON}"
FACT = "The heron rota begins at 6 pm on Sundays."
WORDS = wording()
CHANNELS = {"slack": {WARD: ["public", "wards"]}}
UNLINKED = f"# Heron rota\n\n{FACT}\n"


@pytest.fixture(params=["socket", "http"])
def mode(request: pytest.FixtureRequest) -> Mode:
    return cast("Mode", request.param)


@pytest.fixture
async def slack() -> AsyncIterator[SlackDouble]:
    async with double() as slack:
        slack.workspace.add_user(GUEST, is_restricted=True)
        slack.workspace.channels.describe(WARD, members=[AMINA, BOT])
        slack.workspace.channels.describe(OTHER, members=[AMINA, BOT])
        yield slack
        assert slack.rejections == []


@pytest.fixture
async def here(slack: SlackDouble, mode: Mode, tmp_path: Path) -> AsyncIterator[Whole]:
    async with whole(slack, mode, tmp_path / "home", channels=CHANNELS) as made:
        await shelved(made, tmp_path)
        yield made


async def shelved(made: Whole, folder: Path, text: str = UNLINKED, collection: str = "wards") -> None:
    """A document of the wards' own."""
    file = folder / "heron.md"
    await asyncio.to_thread(file.write_text, text)
    assert not (await ingest([file], made.app.index, collection=collection)).failed


def shows(message: Message) -> bool:
    return "6 pm" in json.dumps([message.text, message.blocks])


async def test_a_channel_shows_what_stands_under_it_and_another_what_is_public(here: Whole) -> None:
    assert shows(await here.asked(WARD, AMINA, ASKED))
    assert not shows(await here.asked(OTHER, AMINA, ASKED))
    [line] = [line for line in here.said if line.startswith("Collections: ")]
    assert "slack C0WARD: public, wards; other channels: public; direct messages: public; " in line


async def test_a_guest_in_the_channel_narrows_it_for_everybody(here: Whole) -> None:
    here.slack.workspace.channels.describe(WARD, members=[AMINA, BOT, GUEST])
    assert not shows(await here.asked(WARD, AMINA, ASKED))


async def test_someone_whom_slack_does_not_list_narrows_it_too(here: Whole) -> None:
    here.slack.workspace.channels.describe(WARD, members=[AMINA, BOT, "U0UNKNOWN"])
    assert not shows(await here.asked(WARD, AMINA, ASKED))


@pytest.mark.parametrize(
    "marks",
    [
        {"is_ext_shared": True},
        {"is_shared": True},
        {"is_pending_ext_shared": True},
        {"pending_shared": ["T0PARTNER"]},
        {"is_org_shared": True},
    ],
)
async def test_a_shared_channel_gets_public_collections_and_nothing_of_it_is_kept(
    here: Whole, marks: dict[str, Any], tmp_path: Path
) -> None:
    here.slack.workspace.channels.describe(WARD, **marks)
    assert not shows(await here.asked(WARD, AMINA, ASKED))
    assert kept(tmp_path) == 0


async def test_an_event_that_says_that_its_channel_is_shared_is_believed(here: Whole, tmp_path: Path) -> None:
    asked = await here.slack.write(WARD, AMINA, ASKED)
    for body in here.slack.events_of(asked):
        await here.slack.deliver(body | {"is_ext_shared_channel": True})
    await here.settled()
    assert not shows(here.slack.workspace.posted(WARD)[-1])
    assert kept(tmp_path) == 0


@pytest.mark.parametrize("method", ["conversations.info", "conversations.members", "users.list"])
@pytest.mark.parametrize("fault", [Broken(), ApiError("missing_scope"), Stuck()], ids=["broken", "scope", "stuck"])
async def test_where_slack_does_not_say_who_reads_there_it_is_public(
    here: Whole, method: str, fault: Broken | ApiError | Stuck
) -> None:
    here.slack.fail(method, *[fault] * 3)
    assert not shows(await here.asked(WARD, AMINA, ASKED))


async def test_a_guest_gets_public_collections_anywhere(here: Whole, tmp_path: Path) -> None:
    assert not shows(await here.asked(WARD, GUEST, ASKED))
    assert not shows(await here.asked("D0GUEST", GUEST, HERON))
    assert kept(tmp_path) == 0


async def test_a_direct_message_is_public_unless_the_operator_opens_it(here: Whole) -> None:
    assert not shows(await here.asked(DIRECT, AMINA, HERON))


async def test_a_direct_message_gets_what_the_persons_channels_show_if_that_is_set(
    slack: SlackDouble, mode: Mode, tmp_path: Path
) -> None:
    async with whole(slack, mode, tmp_path / "home", channels=CHANNELS, direct_messages="channels") as made:
        await shelved(made, tmp_path)
        slack.workspace.add_user("U0BEN")
        assert shows(await made.asked(DIRECT, AMINA, HERON))
        assert not shows(await made.asked("D0BEN", "U0BEN", HERON))
        assert not shows(await made.asked("D0GUEST", GUEST, HERON))


@pytest.mark.parametrize("fault", [Broken(), ApiError("missing_scope"), Stuck()], ids=["broken", "scope", "stuck"])
async def test_where_slack_does_not_name_the_channels_a_direct_message_is_public(
    slack: SlackDouble, mode: Mode, tmp_path: Path, fault: Broken | ApiError | Stuck
) -> None:
    slack.fail("users.conversations", fault)
    async with whole(slack, mode, tmp_path / "home", channels=CHANNELS, direct_messages="channels") as made:
        await shelved(made, tmp_path)
        assert not shows(await made.asked(DIRECT, AMINA, HERON))


async def test_without_a_table_members_see_all_where_nobody_else_reads(
    slack: SlackDouble, mode: Mode, tmp_path: Path
) -> None:
    async with whole(slack, mode, tmp_path / "home") as made:
        await shelved(made, tmp_path)
        assert shows(await made.asked(OTHER, AMINA, ASKED))
        slack.workspace.channels.describe("C0OPEN", members=[AMINA, BOT, GUEST])
        assert not shows(await made.asked("C0OPEN", AMINA, ASKED))


async def test_a_button_shows_its_passage_where_it_stands_and_to_members_alone(here: Whole) -> None:
    answer = await here.asked(WARD, AMINA, ASKED)
    assert FACT in await clicked(here, answer, AMINA)
    assert await clicked(here, answer, GUEST) == WORDS.sources.gone
    assert await clicked(here, answer, AMINA, team="T0PARTNER") == WORDS.sources.gone


@pytest.mark.parametrize("elsewhere", [OTHER, DIRECT, "C0NEW"])
async def test_a_button_that_is_clicked_in_another_place_shows_what_that_place_allows(
    here: Whole, elsewhere: str
) -> None:
    answer = await here.asked(WARD, AMINA, ASKED)
    assert await clicked(here, replace(answer, channel=elsewhere, thread_ts=None), AMINA) == WORDS.sources.gone


async def test_a_button_heeds_what_has_changed_since(here: Whole, tmp_path: Path) -> None:
    answer = await here.asked(WARD, AMINA, ASKED)
    here.app.access.shelving = Shelving(channels={"slack": {WARD: frozenset({"public"})}})
    assert await clicked(here, answer, AMINA) == WORDS.sources.gone
    here.app.access.shelving = here.app.settings.shelving
    assert FACT in await clicked(here, answer, AMINA)
    identity = (await here.app.index.catalogue("wards"))[0]
    passages = await here.app.index.passages_of(identity.id)
    await here.app.index.replace(replace(identity, collection="pharmacy"), passages)
    assert await clicked(here, answer, AMINA) == WORDS.sources.gone


async def test_slash_sources_and_follow_ups_go_by_the_place_too(here: Whole) -> None:
    asked, _ = await here.slack.say(WARD, AMINA, ASKED)
    await here.settled()
    ack = await here.slack.command("/sources", WARD, AMINA)
    assert FACT in json.dumps(ack.payload)
    here.app.access.shelving = Shelving(channels={"slack": {WARD: frozenset({"public"})}})
    ack = await here.slack.command("/sources", WARD, AMINA)
    assert FACT not in json.dumps(ack.payload)
    for text in ("explain it more simply", "sources", "what else?", "and when does the heron rota begin?"):
        assert not shows(await here.asked(WARD, AMINA, text, thread=asked.ts))


async def test_in_a_shared_channel_slash_sources_knows_nothing_of_before(here: Whole) -> None:
    await here.asked(WARD, AMINA, ASKED)
    body = payloads.command("/sources", WARD, AMINA)
    here.slack.workspace.channels.describe("C0SHARED", is_ext_shared=True, members=[AMINA, BOT])
    ack = await here.slack.deliver(body | {"channel_id": "C0SHARED"}, "slash_commands")
    assert ack.payload["text"] == WORDS.sources.none


async def test_a_name_of_no_collection_is_told_with_what_to_do(slack: SlackDouble, mode: Mode, tmp_path: Path) -> None:
    async with whole(slack, mode, tmp_path / "home") as made:
        await shelved(made, tmp_path)
    table = {"slack": {WARD: ["public", "wrads"]}}
    async with whole(slack, mode, tmp_path / "home", channels=table) as made:
        await eventually(lambda: any(line.startswith("Please check: ") for line in made.said))
        assert (
            "channels.slack.C0WARD names the collection wrads, which has no documents; did you mean wards?"
            in (made.said[-1])
        )


async def clicked(made: Whole, answer: Message, user: str, **more: Any) -> str:
    """What the window shows that opens for whoever clicks on the first source button; alone, that it has gone."""
    views = made.slack.workspace.views
    before = len(views.shown)
    button = next(element for block in answer.blocks if block["type"] == "actions" for element in block["elements"])
    assert (await made.slack.click(button, answer, user, **more)).ok
    await made.slack.until(lambda: len(views.shown) > before)
    shown = json.dumps(views.shown[-1]["blocks"], ensure_ascii=False)
    return WORDS.sources.gone if WORDS.sources.gone in shown and FACT not in shown else shown


def kept(folder: Path) -> int:
    """Rows of what people wrote."""
    with sqlite3.connect(folder / "home" / "memory.db") as connection:
        total = sum(connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in ("turns", "inbox"))
    connection.close()
    return int(total)
