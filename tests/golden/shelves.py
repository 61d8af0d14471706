"""The documents of a transcript, taken into an index of its own."""

from __future__ import annotations

import asyncio
import json
import shutil
from typing import TYPE_CHECKING

from adapters import samples
from adapters.app import build
from adapters.backends import NO_EMBEDDER
from adapters.settings import Settings
from retrieval.document import PUBLIC
from retrieval.ingest import ingest
from retrieval.vectors import fill

if TYPE_CHECKING:
    from pathlib import Path

    from retrieval.index import Index
    from tests.golden.transcript import Documents, Text


async def settings(home: Path, *, search: str, **given: object) -> Settings:
    """Settings that owe nothing to the environment but what is given here."""
    named = {"ANTHROPIC_API_KEY": None, "ANTHROPIC_BASE_URL": None, "VOYAGE_API_KEY": None, **given}
    embedder = NO_EMBEDDER if search == "words" else None
    chosen = await asyncio.to_thread(Settings.load, home=home, country="GB", embedder=embedder, language="en", **named)
    return chosen.model_copy(update={"port": 0})  # any free one


class Shelves:
    """Makes homes with filled indexes. All ten leaflets together are read once a way of searching, then copied."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._leaflets = {path.name: path for path in samples.documents().iterdir()}
        self._made: dict[str, Path] = {}

    async def fill(self, home: Path, documents: Documents, *, search: str) -> None:
        """Put an index with these documents into `home`."""
        leaflets = [self._leaflets[name] for name in documents.leaflets]
        if len(leaflets) == len(self._leaflets):
            shutil.copy(await self._all(leaflets, search), home / "index.db")
            leaflets = []
        texts = [(_written(text, home / "texts" / text.collection), text.collection) for text in documents.texts]
        async with await build(await settings(home, search=search)) as app:
            await _take_in(leaflets, app.index)
            for path, collection in texts:
                await _take_in([path], app.index, collection)
            if app.embedder is not None:
                await fill(app.index, app.embedder)

    async def _all(self, leaflets: list[Path], search: str) -> Path:
        if search not in self._made:
            home = self._folder / search
            async with await build(await settings(home, search=search)) as app:
                await _take_in(leaflets, app.index)
                if app.embedder is not None:
                    await fill(app.index, app.embedder)
            self._made[search] = home / "index.db"
        return self._made[search]


async def _take_in(paths: list[Path], index: Index, collection: str = PUBLIC) -> None:
    report = await ingest(paths, index, collection=collection)
    assert not report.failed, report


def _written(text: Text, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{text.title}.md"
    front = {"title": text.title, **({"url": text.url} if text.url else {})}
    path.write_text("---\n" + "".join(f"{k}: {json.dumps(v)}\n" for k, v in front.items()) + f"---\n\n{text.text}")
    return path
