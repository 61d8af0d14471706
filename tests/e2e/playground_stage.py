"""`citewell serve --local` over the sample leaflets, with Microsoft's playground before it."""

from __future__ import annotations

import asyncio
import subprocess
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adapters import samples
from tests.e2e.playground_rig import Playground, playground
from tests.e2e.serve_rig import COMMAND, Served, clean_environment

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

SETTINGS = {"CITEWELL_EMBEDDER": "none", "CITEWELL_RERANKER": "none", "CITEWELL_COUNTRY": "GB"}


@dataclass(frozen=True, slots=True)
class Stage:
    """Both processes, and the home of the one that is ours."""

    teams: Playground
    served: Served
    home: Path


@asynccontextmanager
async def staged(home: Path, **environment: str) -> AsyncIterator[Stage]:
    """The product as an operator tries it, with no account anywhere."""
    given = {"CITEWELL_HOME": str(home), **SETTINGS, **environment}
    await asyncio.to_thread(_take_in, home, given)
    served = await Served.start(home, given, "--local")
    try:
        await served.ready()
        async with playground(f"http://127.0.0.1:{served.port}/api/messages", home) as teams:
            yield Stage(teams, served, home)
    finally:
        await served.end()


def _take_in(home: Path, given: dict[str, str]) -> None:
    command = [COMMAND, "ingest", str(samples.documents())]
    subprocess.run(command, cwd=home, env=clean_environment() | given, check=True, capture_output=True)
