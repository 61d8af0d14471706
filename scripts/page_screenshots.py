"""Take the pictures of the playground for docs/images: `python scripts/page_screenshots.py`. It needs Chromium."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from PIL import Image

from tests.e2e.page_rig import browser, shown

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
QUESTIONS = ("When is the flu clinic open?", "And for children?")


async def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        async with shown(Path(home)) as stage, browser(viewport={"width": 1280, "height": 1080}) as context:
            page = await context.new_page()
            await page.goto(stage.address)
            for number, question in enumerate((*QUESTIONS, "What is the capital of Peru?"), 1):
                await page.fill("#question", question)
                await page.click("#ask button")
                await page.wait_for_selector(f"#turns > li:nth-child({number})")
                if number == len(QUESTIONS):
                    await page.locator("#timeline summary", has_text="verify").click()
                    await page.screenshot(path=IMAGES / "playground.png", full_page=True)
            await page.goto(f"{stage.address}dashboard")
            await page.wait_for_selector("caption")
            await page.screenshot(path=IMAGES / "dashboard.png", full_page=True)
    for name in ("playground.png", "dashboard.png"):
        Image.open(IMAGES / name).convert("P", palette=Image.Palette.ADAPTIVE, colors=64).save(
            IMAGES / name, optimize=True
        )


if __name__ == "__main__":
    asyncio.run(main())
