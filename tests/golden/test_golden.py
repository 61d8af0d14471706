"""Every golden transcript, on every platform."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest

from tests.golden.console import Console
from tests.golden.holding import hold
from tests.golden.shelves import Shelves
from tests.golden.slack import slack
from tests.golden.teams import teams
from tests.golden.transcript import files, read

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from tests.golden.platforms import Platform
    from tests.golden.transcript import Transcript


@asynccontextmanager
async def console() -> AsyncIterator[Console]:
    yield Console()


PLATFORMS: dict[str, Callable[[], AbstractAsyncContextManager[Platform]]] = {
    "console": console,
    "slack": slack,
    "teams": teams,
}


@pytest.fixture(scope="session")
def shelves(tmp_path_factory: pytest.TempPathFactory) -> Shelves:
    return Shelves(tmp_path_factory.mktemp("shelves"))


@pytest.fixture(params=files(), ids=lambda file: file.stem)
def transcript(request: pytest.FixtureRequest) -> Transcript:
    return read(request.param)


@pytest.mark.parametrize("platform", PLATFORMS)
async def test_the_conversation_goes_as_written(
    transcript: Transcript, platform: str, shelves: Shelves, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # no `.env` of the developer's own is read
    home = tmp_path / "home"
    home.mkdir()
    await shelves.fill(home, transcript.documents, search=transcript.search)
    async with PLATFORMS[platform]() as place:
        await hold(transcript, place, home)
