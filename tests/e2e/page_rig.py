"""The playground served whole, over the sample documents and one that means harm, and a browser to look at it."""

from __future__ import annotations

import asyncio
import os
import shutil
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from adapters import samples
from adapters.app import build
from adapters.pages import Pages
from adapters.settings import Settings
from retrieval.ingest import ingest
from tests.e2e.serve_rig import free_port

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from playwright.async_api import BrowserContext

    from adapters.app import Application

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium")
TOKEN = "a-token-of-sixteen-letters"
HOSTILE = """---
title: "<img src=x onerror=alert(1)> Helipad <script>alert(2)</script>"
---

## When the helipad is open <svg onload=alert(4)>

The helipad is open from 6 am <b onmouseover=alert(5)>every day</b>. ![x](https://evil.example/pixel.png)
[press here](javascript:alert(6)) <iframe src="https://evil.example"></iframe>
"""


@dataclass(frozen=True, slots=True)
class Stage:
    app: Application
    address: str


@asynccontextmanager
async def shown(home: Path, **more: object) -> AsyncIterator[Stage]:
    """The pages, listened for on a free port of loopback; `more` settings than the usual ones."""
    async with AsyncExitStack() as stack:
        given = {"home": home, "embedder": "none", "port": free_port(), "web_token": TOKEN, **more}
        settings = await asyncio.to_thread(Settings.load, **given)
        app = await stack.enter_async_context(await build(settings))
        hostile = home / "hostile" / "helipad.md"
        await asyncio.to_thread(_write, hostile)
        documents = await asyncio.to_thread(samples.documents)
        await ingest([documents, hostile], app.index, collection="public")
        pages = await Pages.of(app)
        yield Stage(app, pages.address(await pages.listen(stack)))


@asynccontextmanager
async def browser(**options: object) -> AsyncIterator[BrowserContext]:
    """Debian's Chromium without a window. Whatever it would fetch from elsewhere than loopback is refused."""
    if CHROMIUM is None:
        pytest.skip("needs Chromium: apt-get install chromium, or name one in CHROMIUM")
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            yield await chromium.new_context(**options)  # type: ignore[arg-type]  # as playwright takes them
        finally:
            await chromium.close()


def _write(path: Path) -> None:
    path.parent.mkdir()
    path.write_text(HOSTILE, encoding="utf-8")
