"""A person's path through Microsoft's Agents Playground, in a browser without a window.

With SCREENSHOTS set to 1, which `make screenshots` does, the pictures in `docs/images` are taken anew.
"""

from __future__ import annotations

import os
import shutil
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import pytest_asyncio

from bot.wording import wording
from tests.e2e.playground_rig import missing, playground_or_skip
from tests.e2e.playground_stage import Stage, staged

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from playwright.async_api import Page

ROOT = Path(__file__).resolve().parents[2]
IMAGES = Path(os.environ.get("IMAGES", ROOT / "docs" / "images"))
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
PATIENCE = 60_000
WORDS = wording()
QUESTION = "What should I bring to the flu clinic?"
ANSWER = "your clinic card or a photo ID"


pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    """One for all these tests, as its two processes take seconds to start: each test has a chat of its own."""
    playground_or_skip()
    if CHROMIUM is None:
        missing("needs Chromium (on Debian: apt-get install chromium; CHROMIUM names another)")
    async with staged(tmp_path_factory.mktemp("browser")) as stage:
        yield stage


@asynccontextmanager
async def opened(stage: Stage) -> AsyncIterator[Page]:
    """The playground's page. What it would fetch from elsewhere, which is fonts, is not fetched."""
    from playwright.async_api import Route, async_playwright

    async def only_here(route: Route) -> None:
        here = route.request.url.startswith((stage.teams.url, "data:"))
        await (route.continue_() if here else route.abort())

    async with async_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        try:
            page = await browser.new_page(viewport={"width": 1500, "height": 760})
            page.set_default_timeout(PATIENCE)
            await page.route("**/*", only_here)
            await page.goto(stage.teams.url)
            await page.get_by_role("button", name="Send Message").wait_for()
            yield page
        finally:
            await browser.close()


async def test_a_person_asks_sees_answer_label_and_source_says_what_they_think_and_reads_the_passages(
    stage: Stage,
) -> None:
    async with opened(stage) as page:
        await page.get_by_role("textbox").first.fill(QUESTION)
        await page.get_by_role("button", name="Send Message").click()
        await _answered(page)
        await picture(page, "teams-personal")
        await page.get_by_role("button", name="Like", exact=True).first.click()
        await page.get_by_role("dialog").get_by_role("textbox").fill("Just what I needed")
        await page.get_by_role("dialog").get_by_role("button", name="Submit").click()
        await page.get_by_role("dialog").get_by_role("button", name="Close").last.click()
        await page.get_by_role("textbox").first.fill("sources")
        await page.get_by_role("button", name="Send Message").click()
        await page.get_by_text(WORDS.sources.found_keyword).first.wait_for()
        await picture(page, "teams-sources")


async def test_a_channel_is_answered_in_the_thread_of_the_question(stage: Stage) -> None:
    async with opened(stage) as page:
        await page.get_by_role("treeitem", name="Larkfield Clinic - Ward questions").click()
        await page.get_by_role("button", name="Post").wait_for()
        await _mention(page, QUESTION)
        await page.get_by_role("button", name="Post").click()
        await _answered(page)
        await picture(page, "teams-channel")


async def test_a_group_is_answered_where_it_mentions_the_bot(stage: Stage) -> None:
    async with opened(stage) as page:
        await page.get_by_role("treeitem", name="Flu clinic staff").click()
        await _mention(page, QUESTION)
        await page.get_by_role("button", name="Send Message").click()
        await _answered(page)
        await picture(page, "teams-group")


async def _mention(page: Page, text: str) -> None:
    """Pick the bot from those who can be mentioned, and go on writing. It stands in the list nearest to the box."""
    box, named = page.get_by_role("textbox").first, page.get_by_text("Citewell", exact=True)
    await box.click()
    before = await named.count()
    await box.press_sequentially("@Cite")
    await named.nth(before).wait_for()
    places = [(await one.bounding_box() or {"y": -9_999.0})["y"] for one in await named.all()]
    top = (await box.bounding_box() or {"y": 0.0})["y"]
    await named.nth(min(range(len(places)), key=lambda at: abs(places[at] - top))).click()
    await box.press_sequentially(f" {text}")


async def _answered(page: Page) -> None:
    """The answer is there, is said to be generated, and a button opens its document."""
    await page.get_by_text(ANSWER).first.wait_for()
    await page.get_by_text("AI generated").first.wait_for()
    await page.get_by_text("[1]").first.wait_for()
    source = page.get_by_role("link", name="[1] ").first
    assert str(await source.get_attribute("title")).startswith("https://larkfield.example/")


async def picture(page: Page, name: str) -> None:
    """Keep what is seen of the conversation, where pictures are asked for."""
    if os.environ.get("SCREENSHOTS") == "1":
        await page.screenshot(path=IMAGES / f"{name}.png", clip={"x": 330, "y": 48, "width": 840, "height": 700})
