"""Documents that people send in Slack, through the whole product: taken in, reported, undone, and refused."""

from __future__ import annotations

import asyncio
import json
import logging
import signal
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import pytest
from aiohttp import web

from bot.wording import wording
from retrieval.ingest import ingest
from tests.doubles.slack import BOT, ApiError, Broken, Message, SlackDouble, Stuck
from tests.e2e.serve_rig import Served, eventually
from tests.e2e.whole_rig import Mode, double, whole
from tests.retrieval import files

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from retrieval.document import Document
    from tests.e2e.whole_rig import Whole

DOCS, WARD, DIRECT, AMINA, BEN, GUEST = "C0DOCS", "C0WARD", "D0AMINA", "U0AMINA", "U0BEN", "U0GUEST"
WORDS = wording().documents
FACT = "The heron rota begins at 6 pm on Sundays."
LEAFLET = files.pdf([(50, 700, FACT)])
HERON = "When does the heron rota begin?"
ALLOWED = {"documents_from": AMINA, "documents_in": DOCS, "channels": {"slack": {WARD: ["public", "wards"]}}}


@pytest.fixture(params=["socket", "http"])
def mode(request: pytest.FixtureRequest) -> Mode:
    return cast("Mode", request.param)


@pytest.fixture
async def slack() -> AsyncIterator[SlackDouble]:
    async with double() as slack:
        slack.workspace.add_user(BEN)
        slack.workspace.add_user(GUEST, is_restricted=True)
        slack.files.add("F1", "heron-rota.pdf", LEAFLET)
        yield slack
        assert slack.rejections == []


@pytest.fixture
async def here(slack: SlackDouble, mode: Mode, tmp_path: Path) -> AsyncIterator[Whole]:
    async with whole(slack, mode, tmp_path / "home", **ALLOWED) as made:
        yield made


async def send(
    made: Whole, *ids: str, channel: str = DIRECT, user: str = AMINA, text: str = "", **more: Any
) -> Message:
    """What the bot posts last in the channel once a person has sent these files there."""
    shared = made.slack.files.shared(*ids)
    return await made.asked(channel, user, text, subtype="file_share", files=shared, upload=True, **more)


async def documents(made: Whole, collection: str | None = None) -> list[Document]:
    return list(await made.app.index.catalogue(collection))


async def undone(made: Whole, report: Message, user: str = AMINA, **more: Any) -> str:
    """What is said to whoever clicks on undo: in place of the report, or to them alone."""
    before, shown = len(made.slack.workspace.ephemeral), report.text
    button = {"type": "button", "action_id": "undo", "value": undo_id(report)}
    assert (await made.slack.click(button, replace(report, **more), user)).ok
    await made.slack.until(lambda: len(made.slack.workspace.ephemeral) > before or report.text != shown)
    return report.text if report.text != shown else made.slack.workspace.ephemeral[-1].text


def undo_id(report: Message) -> str:
    buttons = [element for block in report.blocks if block["type"] == "actions" for element in block["elements"]]
    assert [button["action_id"] for button in buttons] == ["undo"]
    return cast("str", buttons[0]["value"])


async def test_a_pdf_in_a_direct_message_is_taken_in_and_answers(here: Whole) -> None:
    report = await send(here, "F1")
    assert len(here.slack.workspace.posted(DIRECT)) == 1
    assert len(here.slack.called("chat.update")) == 1
    assert WORDS.taken.format(name="heron-rota.pdf", title="Heron rota") in report.text
    assert WORDS.into_public.format(collection="public") in report.text
    [document] = await documents(here)
    assert (document.title, document.collection) == ("Heron rota", "public")
    assert document.url == "https://clinic.slack.com/files/U0AMINA/F1/heron-rota.pdf"
    assert "6 pm" in json.dumps((await here.asked(DIRECT, AMINA, HERON)).blocks)


async def test_progress_and_report_are_one_message_in_the_thread_of_a_chosen_channel(here: Whole) -> None:
    here.slack.files.add("F2", "empty.txt", b"")
    report = await send(here, "F1", "F2", channel=DOCS, text="into the wards collection")
    [posted] = here.slack.workspace.posted(DOCS)
    assert posted is report
    told = [call.arguments["text"] for call in here.slack.called("chat.postMessage")]
    told += [call.arguments["text"] for call in here.slack.called("chat.update")]
    assert told[0] == WORDS.taking.format(name="heron-rota.pdf", n=1, count=2)
    assert told[1] == WORDS.taking.format(name="empty.txt", n=2, count=2)
    assert report.thread_ts is not None
    assert WORDS.failed.format(name="empty.txt", why=WORDS.why["empty"]) in report.text
    assert [one.collection for one in await documents(here)] == ["wards"]


@pytest.mark.parametrize("text", ["wards", "into wards", "Into the wards collection, please.", "collection: wards"])
async def test_the_collection_may_be_named_in_the_message(here: Whole, text: str) -> None:
    await send(here, "F1", text=text)
    assert [one.collection for one in await documents(here)] == ["wards"]


async def test_a_collection_that_is_not_known_takes_in_nothing(here: Whole) -> None:
    report = await send(here, "F1", text="into wrads please")
    assert report.text == WORDS.which.format(collections="public, wards")
    assert here.slack.files.asked == []


@pytest.mark.parametrize(("user", "channel"), [(BEN, DIRECT), (GUEST, DIRECT), (BEN, DOCS), (GUEST, DOCS)])
async def test_whoever_is_not_allowed_is_told_so_and_nothing_is_fetched(here: Whole, user: str, channel: str) -> None:
    assert (await send(here, "F1", user=user, channel=channel)).text == WORDS.not_yours
    assert here.slack.called("files.info") == []
    assert here.slack.files.asked == []
    assert await documents(here) == []


async def test_a_guest_on_the_list_is_not_allowed_either(slack: SlackDouble, mode: Mode, tmp_path: Path) -> None:
    async with whole(slack, mode, tmp_path / "home", documents_from=[GUEST, AMINA], documents_in=DOCS) as made:
        assert (await send(made, "F1", user=GUEST)).text == WORDS.not_yours
        slack.workspace.channels.describe(DOCS, is_ext_shared=True)
        assert (await send(made, "F1", channel=DOCS)).text == WORDS.not_yours
        assert slack.files.asked == []


async def test_with_nobody_allowed_nothing_is_taken_in(slack: SlackDouble, mode: Mode, tmp_path: Path) -> None:
    async with whole(slack, mode, tmp_path / "home") as made:
        assert (await send(made, "F1")).text == WORDS.not_yours
        assert slack.files.asked == []


async def test_in_a_channel_that_is_not_meant_for_it_files_are_left_alone(here: Whole) -> None:
    await here.slack.say(WARD, AMINA, "the rota", subtype="file_share", files=here.slack.files.shared("F1"))
    await here.settled()
    assert here.slack.workspace.posted(WARD) == []
    asked = await here.slack.write(WARD, AMINA, f"<@{BOT}>")
    shared = here.slack.files.shared("F1")
    [_, event] = here.slack.events_of(asked)
    await here.slack.deliver(event | {"event": event["event"] | {"subtype": "file_share", "files": shared}})
    await here.settled()
    assert here.slack.workspace.posted(WARD)[-1].text == WORDS.not_here
    assert here.slack.files.asked == []


async def test_words_beside_a_file_of_someone_else_are_answered_first(here: Whole) -> None:
    await send(here, "F1")
    answer = await send(here, "F1", user=BEN, channel="D0BEN", text=HERON)
    assert "6 pm" in json.dumps(answer.blocks)
    assert WORDS.not_yours in answer.text


@pytest.mark.parametrize("user", [AMINA, BEN, GUEST])
async def test_a_person_in_need_who_sends_a_file_gets_people(here: Whole, user: str) -> None:
    answer = await send(here, "F1", user=user, text="I want to end my life")
    assert "116 123" in json.dumps(answer.blocks) or "emergency" in json.dumps(answer.blocks)
    assert WORDS.not_yours not in json.dumps(answer.blocks)
    assert here.slack.files.asked == []


BROKEN: dict[str, tuple[str, bytes, dict[str, Any]]] = {
    "scanned": ("scan.pdf", files.pdf(None), {}),
    "broken": ("cut.pdf", LEAFLET[:200], {}),
    "encrypted": ("locked.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"), {}),
    "wrong_type": ("page.pdf", b"<!doctype html><html><body>gone</body></html>", {}),
    "unsupported": ("film.mp4", b"\x00" * 50, {}),
    "no_text": ("headings.md", b"# Only\n", {}),
    "too_large": ("large.txt", b"words " * 100, {"size": 90_000_000}),
    "elsewhere": ("drive.pdf", b"", {"is_external": True, "url_private": "https://drive.example/x"}),
    "gone": ("deleted.pdf", b"", {"mode": "tombstone"}),
}


@pytest.mark.parametrize("code", BROKEN)
async def test_each_file_that_cannot_be_taken_in_is_told_why(here: Whole, code: str, tmp_path: Path) -> None:
    name, data, told = BROKEN[code]
    here.slack.files.add("F2", name, data, **told)
    report = await send(here, "F2")
    assert report.text == f"• {WORDS.failed.format(name=name, why=WORDS.why[code])}"
    assert all(block["type"] != "actions" for block in report.blocks)
    assert await documents(here) == []
    assert kept(tmp_path) == []


async def test_a_download_that_is_larger_than_was_said_is_broken_off(here: Whole, tmp_path: Path) -> None:
    here.slack.files.add("F2", "large.txt", b"words " * 4_000_000, size=10)
    assert WORDS.why["too_large"] in (await send(here, "F2")).text
    assert kept(tmp_path) == []


async def test_the_token_goes_to_no_other_host(here: Whole) -> None:
    asked: list[str | None] = []

    async def thief(request: web.Request) -> web.Response:
        asked.append(request.headers.get("Authorization"))
        return web.Response(body=LEAFLET)

    app = web.Application()
    app.router.add_get("/{path:.*}", thief)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    other = f"http://127.0.0.1:{runner.addresses[0][1]}/heron-rota.pdf"
    here.slack.files.add("F2", "heron-rota.pdf", LEAFLET).redirect = other
    here.slack.files.add("F3", "heron-rota.pdf", LEAFLET, url_private=other, url_private_download=other)
    report = await send(here, "F2", "F3")
    assert WORDS.why["no_access"] in report.text
    assert WORDS.why["elsewhere"] in report.text
    assert asked == []
    await runner.cleanup()


async def test_a_sign_in_page_is_not_taken_for_the_document(slack: SlackDouble, mode: Mode, tmp_path: Path) -> None:
    async with whole(slack, mode, tmp_path / "home", **ALLOWED) as made:
        file = slack.files.add("F2", "heron-rota.pdf", LEAFLET)
        file.redirect = f"{slack.files.origin}/signin"
        assert WORDS.why["no_access"] in (await send(made, "F2")).text
        assert await documents(made) == []


async def test_what_takes_longer_than_a_turn_may_is_told_and_the_rest_stands(
    slack: SlackDouble, mode: Mode, tmp_path: Path
) -> None:
    slow = slack.files.add("F2", "slow.pdf", LEAFLET)
    slow.opened.clear()
    async with whole(slack, mode, tmp_path / "home", turn_deadline=4, **ALLOWED) as made:
        report = await send(made, "F1", "F2")
        assert WORDS.taken.format(name="heron-rota.pdf", title="Heron rota") in report.text
        assert WORDS.failed.format(name="slow.pdf", why=WORDS.why["time"]) in report.text
        await undone(made, report)
        assert await documents(made) == []
    slow.opened.set()


async def test_where_the_message_that_told_how_far_it_is_has_gone_the_report_comes_anew(here: Whole) -> None:
    here.slack.fail("chat.update", ApiError("message_not_found"))
    report = await send(here, "F1")
    assert WORDS.taken.format(name="heron-rota.pdf", title="Heron rota") in report.text
    assert await undone(here, report) == WORDS.undo_removed.format(title="Heron rota")


@pytest.mark.parametrize("fault", [Broken(), Broken(after_the_fact=True)])
async def test_a_report_that_slack_may_have_taken_stands_once(here: Whole, fault: Broken) -> None:
    here.slack.fail("chat.update", fault)
    report = await send(here, "F1")
    assert here.slack.workspace.posted(DIRECT) == [report]
    assert WORDS.taken.format(name="heron-rota.pdf", title="Heron rota") in report.text


@pytest.mark.parametrize(
    ("fault", "code"), [(Broken(), "network"), (ApiError("missing_scope"), "no_access"), (ApiError("x"), "gone")]
)
async def test_what_slack_does_not_say_of_a_file_is_told(here: Whole, fault: Broken | ApiError, code: str) -> None:
    here.slack.fail("files.info", fault)
    assert WORDS.why[code] in (await send(here, "F1")).text


async def test_undo_takes_out_what_was_added_and_nothing_else(here: Whole, tmp_path: Path) -> None:
    here.slack.files.add("F2", "other.md", b"# Other\n\nThe plover rota begins at 5 pm.")
    await send(here, "F2")
    report = await send(here, "F1")
    assert await undone(here, report) == WORDS.undo_removed.format(title="Heron rota")
    assert [one.title for one in await documents(here)] == ["Other"]
    assert kept(tmp_path) == ["other.md"]
    assert all(block["type"] != "actions" for block in report.blocks)


async def test_undo_brings_the_earlier_version_back(here: Whole) -> None:
    await send(here, "F1")
    [before] = await documents(here)
    here.slack.files.add("F2", "heron-rota.pdf", files.pdf([(50, 700, "The heron rota begins at 9 pm on Mondays.")]))
    report = await send(here, "F2")
    assert WORDS.updated.format(name="heron-rota.pdf", title="Heron rota") in report.text
    [after] = await documents(here)
    assert (after.id, after.content_hash != before.content_hash) == (before.id, True)
    assert await undone(here, report) == WORDS.undo_restored.format(title="Heron rota")
    assert await documents(here) == [before]
    assert "6 pm" in json.dumps((await here.asked(DIRECT, AMINA, HERON)).blocks)


async def test_undo_leaves_alone_what_has_been_replaced_since(here: Whole) -> None:
    first = await send(here, "F1")
    here.slack.files.add("F2", "heron-rota.pdf", files.pdf([(50, 700, "The heron rota begins at 9 pm on Mondays.")]))
    second = await send(here, "F2")
    assert await undone(here, first) == WORDS.undo_replaced.format(title="Heron rota")
    assert await undone(here, second) == WORDS.undo_restored.format(title="Heron rota")
    assert await undone(here, first) == WORDS.undo_removed.format(title="Heron rota")
    assert await documents(here) == []


async def test_undo_works_once_and_only_for_those_who_are_allowed_where_it_stands(here: Whole) -> None:
    report = await send(here, "F1")
    button = report.blocks
    assert await undone(here, report, BEN) == WORDS.undo_not_yours
    assert await undone(here, report, GUEST) == WORDS.undo_not_yours
    assert await undone(here, report, channel=WARD) == WORDS.undo_gone
    assert len(await documents(here)) == 1
    await undone(here, report)
    report.blocks = button
    assert await undone(here, report) == WORDS.undo_done


async def test_a_made_up_undo_does_nothing(here: Whole) -> None:
    report = await send(here, "F1")
    for value in ("../../settings", "0" * 32, "x"):
        button = {"type": "button", "action_id": "undo", "value": value}
        before = len(here.slack.workspace.ephemeral)
        await here.slack.click(button, report, AMINA)
        await here.slack.until(partial(_more_than, here.slack.workspace.ephemeral, before))
        assert here.slack.workspace.ephemeral[-1].text == WORDS.undo_gone
    assert len(await documents(here)) == 1


async def test_what_is_there_already_is_told_and_not_taken_twice(here: Whole, tmp_path: Path) -> None:
    await send(here, "F1")
    assert WORDS.unchanged.format(name="heron-rota.pdf") in (await send(here, "F1")).text
    here.slack.files.add("F2", "copy.pdf", LEAFLET)
    assert WORDS.duplicate.format(name="copy.pdf", title="Heron rota") in (await send(here, "F2")).text
    folder = tmp_path / "leaflets"
    await asyncio.to_thread(folder.mkdir)
    await asyncio.to_thread((folder / "plover.md").write_bytes, b"# Plover\n\nThe plover rota begins at 5 pm.")
    await ingest([folder], here.app.index)
    here.slack.files.add("F3", "plover-again.md", b"# Plover\n\nThe plover rota begins at 5 pm.")
    report = await send(here, "F3")
    assert WORDS.duplicate.format(name="plover-again.md", title="Plover") in report.text
    assert all(block["type"] != "actions" for block in report.blocks)
    assert len(await documents(here)) == 2


async def test_a_later_ingest_with_prune_of_any_folder_above_leaves_it_alone(here: Whole, tmp_path: Path) -> None:
    await send(here, "F1")
    await asyncio.to_thread((tmp_path / "a.md").write_text, "# A\n\nWords enough to be read.")
    report = await ingest([tmp_path], here.app.index, prune=True)
    assert report.totals["removed"] == 0
    assert {one.title for one in await documents(here)} == {"A", "Heron rota"}


async def test_it_is_taken_in_again_where_the_index_was_lost(slack: SlackDouble, mode: Mode, tmp_path: Path) -> None:
    async with whole(slack, mode, tmp_path / "home", **ALLOWED) as made:
        await send(made, "F1", text="into wards")
    for file in (tmp_path / "home").glob("index.db*"):
        await asyncio.to_thread(file.unlink)
    async with whole(slack, mode, tmp_path / "home", **ALLOWED) as made:
        await made.app.intake.fresh.wait()
        assert [(one.title, one.collection) for one in await documents(made)] == [("Heron rota", "wards")]


@pytest.mark.parametrize("moment", ["while it downloads", "before its report stands"])
async def test_killed_in_the_middle_it_takes_the_file_in_once_and_reports_once(
    slack: SlackDouble, tmp_path: Path, moment: str
) -> None:
    settings = {
        "CITEWELL_HOME": str(tmp_path),
        "CITEWELL_EMBEDDER": "none",
        "CITEWELL_SLACK_API_URL": slack.base_url,
        "CITEWELL_DOCUMENTS_FROM": AMINA,
        "SLACK_BOT_TOKEN": slack.bot_token,
        "SLACK_APP_TOKEN": slack.app_token,
    }
    file = slack.files.add("F2", "heron-rota.pdf", LEAFLET)
    if moment == "while it downloads":
        file.opened.clear()
    else:
        slack.fail("chat.update", Stuck())
    served = await Served.start(tmp_path, settings)
    await served.ready()
    await slack.say(DIRECT, AMINA, "", subtype="file_share", files=slack.files.shared("F2"))
    downloads = moment == "while it downloads"
    await eventually(lambda: len(slack.files.asked if downloads else slack.called("chat.update")))
    served.signal(signal.SIGKILL)
    await served.ended()
    file.opened.set()
    again = await Served.start(tmp_path, settings)
    await again.ready()
    [report] = slack.workspace.posted(DIRECT)
    await eventually(lambda: "heron-rota.pdf is in" in report.text)
    again.signal(signal.SIGTERM)
    assert await again.ended() == 0
    assert [report] == slack.workspace.posted(DIRECT)
    assert WORDS.taken.format(name="heron-rota.pdf", title="Heron rota") in report.text
    assert kept(tmp_path.parent, tmp_path.name) == ["heron-rota.pdf"]
    assert undo_id(report)


async def test_logs_hold_no_name_no_token_and_no_address(here: Whole, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    here.slack.files.add("F2", "secret-name.pdf", LEAFLET[:200])
    await send(here, "F1", "F2")
    for secret in ("heron-rota", "secret-name", here.slack.bot_token, "files-pri"):
        assert secret not in "\n".join(
            line for line in caplog.messages if "/files-pri" not in line or "GET" not in line
        )


def _more_than(messages: list[Message], before: int) -> bool:
    return len(messages) > before


def kept(folder: Path, home: str = "home") -> list[str]:
    """The names of all files that are kept, sidecars apart; nothing else is left lying about."""
    root = folder / home / ".documents"
    assert list(root.glob("incoming/*")) == []
    return sorted(one.name for one in root.glob("kept/*/*/*/*") if not one.name.endswith(".meta.yml"))
