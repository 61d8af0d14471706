"""A document from the page: taken in, answered from, taken out again; and what is refused, and in which words."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from aiohttp import ClientSession

from bot.wording import wording
from tests.e2e.page_rig import Stage, browser, shown
from tests.e2e.serve_rig import eventually
from tests.retrieval import files

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

WORDS = wording().documents
FACT = "The heron rota begins at 6 pm on Sundays."
LEAFLET = files.pdf([(50, 700, FACT)])
FROM_THE_PAGE = {"X-Citewell": "page"}


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    async with shown(tmp_path, documents_limit=1) as stage:
        yield stage


@pytest.fixture
async def session() -> AsyncIterator[ClientSession]:
    async with ClientSession(headers=FROM_THE_PAGE) as session:
        yield session


async def sent(stage: Stage, session: ClientSession, body: bytes, **query: str) -> dict[str, str]:
    """What is said to a document."""
    async with session.post(f"{stage.address}api/documents", params=query, data=body) as got:
        return dict(await got.json())


async def titles(stage: Stage, collection: str = "public") -> list[str]:
    return [one.title for one in await stage.app.index.catalogue(collection)]


async def test_a_person_adds_a_document_asks_about_it_and_takes_it_out_again(stage: Stage) -> None:
    async with browser() as context:
        page = await context.new_page()
        await page.goto(stage.address)
        await page.wait_for_selector("#into option", state="attached")
        before = await page.inner_text("#holdings")
        await page.set_input_files(
            "#file", {"name": "heron-rota.pdf", "mimeType": "application/pdf", "buffer": LEAFLET}
        )
        await page.click("#upload button:has-text('Take it in')")
        await page.wait_for_selector("#undo")
        assert "heron-rota.pdf is in" in await page.inner_text("#taken")
        await page.fill("#question", "When does the heron rota begin?")
        await page.click("#ask button")
        await page.wait_for_selector(".sources li")
        assert "6 pm" in await page.inner_text(".answer")
        await page.click("#undo")
        await page.wait_for_selector("#undo", state="hidden")
        assert "is out again" in await page.inner_text("#taken")
        await page.get_by_text(before, exact=True).wait_for()


async def test_what_was_taken_in_and_out_stands_on_the_dashboard(stage: Stage, session: ClientSession) -> None:
    said = await sent(stage, session, LEAFLET, name="heron-rota.pdf")
    async with session.post(f"{stage.address}api/documents/undo", json={"undo": said["undo"]}):
        pass
    async with session.get(f"{stage.address}api/dashboard") as got:
        ingests = (await got.json())["ingests"]
    assert [(one["through"], one["collection"], one["files"]) for one in ingests] == [
        ("playground", "public", {"removed": 1}),
        ("playground", "public", {"taken": 1}),
    ]
    assert "heron" not in str(ingests)


async def test_a_file_that_is_too_large_is_not_even_sent(stage: Stage) -> None:
    sent: list[str] = []
    async with browser() as context:
        page = await context.new_page()
        page.on("request", lambda request: sent.append(request.url))
        await page.goto(stage.address)
        await page.wait_for_selector("#into option", state="attached")
        await page.set_input_files("#file", {"name": "long.txt", "mimeType": "text/plain", "buffer": b"x" * 1_000_001})
        await page.click("#upload button:has-text('Take it in')")
        assert "larger than 1 MB" in await page.inner_text("#taken")
    assert not any("documents" in url for url in sent)


async def test_vectors_are_asked_for_and_the_file_is_kept_in_the_home(stage: Stage, session: ClientSession) -> None:
    stage.app.intake.fresh.clear()
    assert "is in" in (await sent(stage, session, LEAFLET, name="heron-rota.pdf"))["said"]
    assert stage.app.intake.fresh.is_set()
    kept = stage.app.settings.home / ".documents" / "kept"
    assert [file.read_bytes() for file in kept.rglob("heron-rota.pdf")] == [LEAFLET]


@pytest.mark.parametrize(
    ("name", "body", "code"),
    [
        ("program.exe", b"MZ", "unsupported"),
        ("long.txt", b"x" * 1_000_001, "too_large"),
        ("nothing.txt", b"", "empty"),
        ("leaflet.pdf", b"no pdf", "wrong_type"),
    ],
)
async def test_what_is_not_taken_in_is_said_in_plain_words(
    stage: Stage, session: ClientSession, name: str, body: bytes, code: str
) -> None:
    before = await titles(stage)
    said = await sent(stage, session, body, name=name)
    assert WORDS.why[code] in said["said"]
    assert said["undo"] == ""
    assert await titles(stage) == before
    assert _left(stage) == []


async def test_a_length_that_is_not_told_is_counted_while_it_comes(stage: Stage, session: ClientSession) -> None:
    async def endless() -> AsyncIterator[bytes]:
        while True:
            yield b"x" * 50_000
            await asyncio.sleep(0.001)

    async with session.post(f"{stage.address}api/documents?name=long.txt", data=endless()) as got:
        assert WORDS.why["too_large"] in (await got.json())["said"]
    assert _left(stage) == []


async def test_an_upload_that_breaks_off_leaves_nothing_behind(stage: Stage, session: ClientSession) -> None:
    before = await titles(stage)
    port = int(stage.address.split(":")[2].split("/")[0])
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    head = (
        f"POST /playground/api/documents?name=half.txt HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
        "X-Citewell: page\r\nContent-Length: 1000\r\n\r\n"
    )
    writer.write(head.encode() + b"The heron rota")
    await writer.drain()
    writer.close()
    await writer.wait_closed()
    assert "is in" in (await sent(stage, session, LEAFLET, name="whole.pdf"))["said"]
    assert len(await titles(stage)) == len(before) + 1
    await eventually(lambda: not _left(stage))


@pytest.mark.parametrize("name", ["../../evil.txt", "/etc/passwd.txt", "..\\..\\evil.txt", "a\x00b.txt"])
async def test_no_name_leads_out_of_the_folder(stage: Stage, session: ClientSession, name: str) -> None:
    said = await sent(stage, session, FACT.encode(), name=name)
    assert said["undo"]
    home = stage.app.settings.home
    written = [path for path in home.rglob("*.txt") if FACT in path.read_text(errors="replace")]
    assert [path.is_relative_to(home / ".documents" / "kept") for path in written] == [True]
    assert list(home.parent.glob("*.txt")) == []


async def test_a_collection_that_nobody_knows_is_not_made(stage: Stage, session: ClientSession) -> None:
    said = await sent(stage, session, LEAFLET, name="heron.pdf", collection="secret")
    assert "I do not know that collection" in said["said"]
    assert await titles(stage, "secret") == []


async def test_no_other_page_can_add_a_document_and_nobody_from_elsewhere(stage: Stage) -> None:
    async with ClientSession() as session:
        for headers in ({}, FROM_THE_PAGE | {"X-Forwarded-For": "203.0.113.7"}):
            async with session.post(f"{stage.address}api/documents?name=a.txt", data=b"x", headers=headers) as got:
                assert got.status == 403


@pytest.mark.parametrize("undo", ["", "0" * 32, "../../../etc"])
async def test_what_was_not_sent_cannot_be_undone(stage: Stage, session: ClientSession, undo: str) -> None:
    before = await titles(stage)
    async with session.post(f"{stage.address}api/documents/undo", json={"undo": undo}) as got:
        answer = await got.json()
    assert got.status == 400 or answer["said"] == WORDS.undo_gone
    assert await titles(stage) == before


def _left(stage: Stage) -> list[Path]:
    """Downloads that lie about."""
    return list((stage.app.settings.home / ".documents" / "incoming").glob("*"))
