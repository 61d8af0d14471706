"""`citewell ingest` over Voyage as a process of its own, killed in the middle."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.doubles.voyage import KEY, SERVES, Fails, Hangs, VoyageDouble
from tests.e2e.serve_rig import PATIENCE, clean_environment

if TYPE_CHECKING:
    from asyncio.subprocess import Process

ROOT = Path(__file__).parents[2]
DOCUMENTS = 80
MODELS = ["voyage-4", "voyage-context-4"]


async def ingesting(folder: Path, double: VoyageDouble, model: str) -> Process:
    """The command on its way through the documents, from this source tree."""
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", "from adapters.cli import main; main()", "ingest", "documents", "--json"),
        cwd=folder,
        env={
            **clean_environment(),
            "PYTHONPATH": str(ROOT),
            "CITEWELL_HOME": str(folder / "home"),
            "VOYAGE_API_KEY": KEY,
            "VOYAGE_BASE_URL": double.url,
            "CITEWELL_VOYAGE_MODEL": model,
            "CITEWELL_LOG_LEVEL": "DEBUG",
        },
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "documents").mkdir()
    for number in range(DOCUMENTS):
        (tmp_path / "documents" / f"{number:02}.md").write_text(
            f"# Leaflet {number}\n\nWard {number} is on floor {number}."
        )
    return tmp_path


@pytest.mark.parametrize("model", MODELS)
async def test_a_kill_loses_nothing_that_was_embedded(folder: Path, model: str) -> None:
    async with VoyageDouble([SERVES, SERVES, Hangs()]) as double, asyncio.timeout(2 * PATIENCE):
        killed = await ingesting(folder, double, model)
        await double.hanging.wait()
        killed.kill()
        await killed.communicate()
        before = list(double.embedded)
        assert 0 < len(before) < DOCUMENTS

        again = await ingesting(folder, double, model)
        out, err = await again.communicate()
        assert again.returncode == 0, err.decode()
        assert "is on floor" not in err.decode()
        assert json.loads(out)["vectors"] == {"embedded": DOCUMENTS, "passages": DOCUMENTS, "model": model}
        assert json.loads(out)["totals"]["unchanged"] == DOCUMENTS
        assert len(double.embedded) == len(set(double.embedded)) == DOCUMENTS


async def test_a_refused_key_is_named_and_what_is_in_already_is_reported(folder: Path) -> None:
    async with VoyageDouble([SERVES, Fails(401)]) as double, asyncio.timeout(PATIENCE):
        refused = await ingesting(folder, double, MODELS[0])
        out, err = await refused.communicate()
        assert refused.returncode == 1
        assert "VOYAGE_API_KEY" in err.decode()
        assert "Traceback" not in err.decode()
        assert KEY not in err.decode()
        report = json.loads(out)
        assert report["totals"]["taken"] == DOCUMENTS
        assert 0 < report["vectors"]["embedded"] < report["vectors"]["passages"]
