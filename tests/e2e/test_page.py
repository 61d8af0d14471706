"""The playground and the dashboard, as a person uses them in a browser, and as somebody who means harm would."""

from __future__ import annotations

import json
import re
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from aiohttp import ClientSession

from memory.conversation import Conversation
from tests.e2e.page_rig import TOKEN, Stage, browser, shown

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from playwright.async_api import Page

ROOT = Path(__file__).resolve().parents[2]
AXE = ROOT / ".playground" / "node_modules" / "axe-core" / "axe.min.js"
QUESTION = "When is the flu clinic open?"
FROM_THE_PAGE = {"X-Citewell": "page"}
ELSEWHERE = {"X-Forwarded-For": "203.0.113.7"}
ASKED = {"question": QUESTION, "conversation": "0123456789ab"}


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    async with shown(tmp_path) as stage:
        yield stage


@pytest.fixture
async def session() -> AsyncIterator[ClientSession]:
    async with ClientSession() as session:
        yield session


@pytest.fixture
async def page(stage: Stage) -> AsyncIterator[Page]:
    """Open in a browser. Any script's fault, blocked load or dialog fails the test."""
    faults: list[str] = []
    async with AsyncExitStack() as stack:
        context = await stack.enter_async_context(browser())
        page = await context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
        page.on("request", lambda one: faults.append(one.url) if not one.url.startswith(_origin(stage)) else None)
        page.on("dialog", lambda dialog: faults.append(dialog.message))
        await page.goto(stage.address)
        yield page
    assert faults == []


async def test_a_question_is_answered_with_its_sources_and_what_happened(page: Page) -> None:
    await _ask(page, QUESTION)
    assert "Tuesdays" in await page.inner_text(".answer")
    assert "Flu vaccination clinic" in await page.inner_text(".sources li")
    assert await page.get_attribute(".sources a", "rel") == "noopener noreferrer"
    stages = [text.split("\n")[0] for text in await page.locator("#timeline summary").all_inner_texts()]
    assert [name for name in stages if name in {"safety", "retrieval", "answer", "verify", "memory"}] == [
        *("safety", "retrieval", "answer", "verify", "memory")
    ]
    await page.locator("#timeline summary", has_text="verify").click()
    assert "kept: " in await page.inner_text("#timeline details[open]")


async def test_a_follow_up_goes_on_and_another_conversation_begins_anew(page: Page) -> None:
    await _ask(page, QUESTION)
    await _ask(page, "And for children?")
    assert "Saturdays" in await page.locator(".answer").nth(1).inner_text()
    await page.click("#new")
    assert await page.locator(".answer").count() == 0


async def test_the_same_question_without_a_stage_stands_beside_it_and_is_not_remembered(
    page: Page, stage: Stage
) -> None:
    await _ask(page, QUESTION)
    await page.select_option("#without", "rerank")
    await page.click("#again button")
    await page.wait_for_selector("#beside .answer >> nth=1")
    assert await page.locator("#beside h3").all_inner_texts() == ["As asked", "Without rerank"]
    where = Conversation("playground", "local", "page", str(await page.input_value("#conversations")))
    assert len(await stage.app.engine.memories.durable.turns(where)) == 1


async def test_a_guest_is_remembered_nowhere(page: Page, stage: Stage) -> None:
    await page.check("#guest")
    await _ask(page, QUESTION)
    where = Conversation("playground", "local", "page", str(await page.input_value("#conversations")))
    assert await stage.app.engine.memories.durable.turns(where) == []
    await page.locator("#timeline summary", has_text="retrieval").click()
    assert "Searched for" not in await page.inner_text("#timeline")


async def test_forgetting_empties_the_conversation(page: Page, stage: Stage) -> None:
    await _ask(page, QUESTION)
    await page.click("#forget")
    await page.wait_for_selector("#turns:empty", state="attached")
    where = Conversation("playground", "local", "page", str(await page.input_value("#conversations")))
    assert await stage.app.engine.memories.durable.turns(where) == []


async def test_everything_can_be_done_with_the_keyboard(page: Page) -> None:
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await page.keyboard.type(QUESTION)
    await page.keyboard.press("Enter")
    await page.wait_for_selector(".sources li")
    assert await page.evaluate("document.activeElement.id") == "question"
    await page.locator(".marker").first.focus()
    await page.keyboard.press("Enter")
    assert await page.evaluate("document.activeElement.dataset.source") == "1"


async def test_a_hostile_document_runs_and_loads_nothing(page: Page) -> None:
    await _ask(page, "When is the helipad open?")
    assert "6 am" in await page.inner_text(".answer")
    await page.locator("#timeline summary", has_text="retrieval").first.click()
    assert await page.locator("main img, main script, main iframe, main svg").count() == 0
    assert await page.locator("a[href^='javascript']").count() == 0


async def test_a_hostile_question_runs_nothing(page: Page) -> None:
    await _ask(page, "<img src=x onerror=alert(1)> flu clinic **<script>alert(2)</script>**?", answered=".answer")
    assert await page.locator("main img, main script").count() == 0


async def test_the_dashboard_shows_what_was_asked_how_it_ended_and_what_is_lacking(page: Page) -> None:
    await _ask(page, QUESTION)
    await _ask(page, "What is the capital of Peru?", answered="#turns > li:nth-child(2)")
    await page.click("nav a:has-text('Dashboard')")
    await page.wait_for_selector("caption")
    told = await page.inner_text("#numbers")
    assert "ungrounded" in told
    assert "nothing found" in told
    assert "What is the capital of Peru?" in told


@pytest.mark.parametrize("options", [{"viewport": {"width": 360, "height": 740}}, {"color_scheme": "dark"}])
async def test_on_a_phone_and_in_the_dark_nothing_sticks_out(stage: Stage, options: dict[str, Any]) -> None:
    async with browser(**options) as context:
        page = await context.new_page()
        await page.goto(stage.address)
        await _ask(page, QUESTION)
        assert await page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", ["", "dashboard"])
async def test_axe_finds_nothing_serious(stage: Stage, path: str, scheme: Any) -> None:
    if not AXE.exists():
        pytest.skip("needs axe-core: make playground fetches it from npm")
    async with browser(color_scheme=scheme) as context:
        page = await context.new_page()
        await page.goto(stage.address + path)
        if not path:
            await _ask(page, QUESTION)
        else:
            await page.wait_for_selector("caption")
        await page.evaluate(AXE.read_text(encoding="utf-8"))
        found = await page.evaluate("axe.run()")
    assert [one["id"] for one in found["violations"] if one["impact"] in {"serious", "critical"}] == []


async def test_no_answer_may_run_or_load_what_is_not_ours(stage: Stage, session: ClientSession) -> None:
    for path in ("", "dashboard", "app.js", "api/state", "login", "nowhere"):
        async with session.get(stage.address + path) as got:
            policy = got.headers["Content-Security-Policy"]
            assert "default-src 'none'" in policy
            assert "unsafe" not in policy
            assert got.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("headers", [{}, FROM_THE_PAGE | {"Sec-Fetch-Site": "cross-site"}])
async def test_another_page_cannot_ask_on_anybodys_behalf(
    stage: Stage, session: ClientSession, headers: dict[str, str]
) -> None:
    async with session.post(f"{stage.address}api/ask", json=ASKED, headers=headers) as got:
        assert got.status == 403


async def test_from_elsewhere_there_is_a_door_and_nothing_behind_it(stage: Stage, session: ClientSession) -> None:
    async with session.get(stage.address, headers=ELSEWHERE, allow_redirects=False) as got:
        assert (got.status, got.headers["Location"]) == (303, "/playground/login")
    for path in ("api/state", "api/dashboard"):
        async with session.get(stage.address + path, headers=ELSEWHERE | FROM_THE_PAGE) as got:
            assert got.status == 403


async def test_the_token_opens_the_door_and_no_other_does(stage: Stage, session: ClientSession) -> None:
    async def log_in(token: str) -> str | None:
        form = {"token": token}
        async with session.post(f"{stage.address}login", data=form, headers=ELSEWHERE, allow_redirects=False) as got:
            return got.headers.get("Set-Cookie")

    assert await log_in("not the token") is None
    cookie = await log_in(TOKEN)
    assert cookie is not None
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    session_of = re.match("[^;]+", cookie)
    assert session_of is not None
    headers = ELSEWHERE | FROM_THE_PAGE | {"Cookie": session_of[0]}
    async with session.get(f"{stage.address}api/state", headers=headers) as got:
        assert got.status == 200


@pytest.mark.parametrize(
    "body",
    [
        "no JSON",
        json.dumps([]),
        json.dumps(ASKED | {"off": ["everything"]}),
        json.dumps(ASKED | {"question": "  "}),
        json.dumps(ASKED | {"conversation": "../../etc"}),
        json.dumps(ASKED | {"more": 1}),
    ],
)
async def test_what_cannot_be_asked_is_refused_in_plain_words(stage: Stage, session: ClientSession, body: str) -> None:
    headers = FROM_THE_PAGE | {"Content-Type": "application/json"}
    async with session.post(f"{stage.address}api/ask", data=body, headers=headers) as got:
        assert got.status == 400
        assert set(await got.json()) == {"error"}


async def _ask(page: Page, text: str, *, answered: str = "") -> None:
    """Ask as a person would, and wait for the answer."""
    before = await page.locator("#turns > li").count()
    await page.fill("#question", text)
    await page.click("#ask button")
    await page.wait_for_selector(answered or f"#turns > li:nth-child({before + 1})")


def _origin(stage: Stage) -> str:
    return stage.address.removesuffix("/playground/")
