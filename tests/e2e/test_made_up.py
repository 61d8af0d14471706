"""What a model makes up for a search leaves no word behind: printed, logged, or on the disk."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest

from tests.doubles.claude import KEY, ClaudeDouble, Says, Scripted
from tests.e2e.serve_rig import PATIENCE, clean_environment

ROOT = Path(__file__).parents[2]
OPEN = "The flu clinic is open on Tuesdays from 9 am to 12 noon."
WEAK = "Who would vaccinate my parrot?"
ANYTHING_GOES = {"CITEWELL_EVIDENCE_THRESHOLD": "0", "CITEWELL_STAGES_OFF": "rerank"}
"""Weak evidence is ambiguous then, and searched for once more; of Claude, only what is made up is asked."""

MADE_UP = Says({"passage": "Professor Zanzibarine vaccinates parrots at the flu clinic on Tuesdays."})
OTHER_WORDS = Says({"query": "quetzalcoatlian vaccination of birds at the flu clinic"})
ANSWER = Says({"kind": "fact", "sentences": [{"text": OPEN, "passage_id": "p1", "quote": OPEN}], "missing": ""})
MARKERS = (b"anzibarine", b"uetzalcoatlian")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "flu.md").write_text(f"# Flu clinic\n\n{OPEN}\n")
    return tmp_path


async def citewell(folder: Path, double: ClaudeDouble, *arguments: str) -> tuple[bytes, bytes]:
    """What the command prints and what it logs, all there is to log."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", "from adapters.cli import main; main()", *arguments, "--json"),
        cwd=folder,
        env={
            **clean_environment(),
            **ANYTHING_GOES,
            "PYTHONPATH": str(ROOT),
            "CITEWELL_HOME": str(folder / "home"),
            "CITEWELL_LOG_LEVEL": "DEBUG",
            "ANTHROPIC_API_KEY": KEY,
            "ANTHROPIC_BASE_URL": double.url,
        },
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    return out, err


def written_in(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


async def asked(folder: Path, command: str, *replies: Scripted) -> tuple[bytes, bytes]:
    """One command over the model's script, all of which has to be played."""
    async with ClaudeDouble(replies) as double:
        printed = await citewell(folder, double, command, WEAK)
        assert (double.replies, double.refused) == ([], [])
        assert MARKERS[0].decode() not in json.dumps(double.requests)  # what was made up is not shown to a model again
    return printed


async def test_what_is_made_up_for_a_search_stands_nowhere_afterwards(folder: Path) -> None:
    async with asyncio.timeout(3 * PATIENCE):
        async with ClaudeDouble([]) as double:
            await citewell(folder, double, "ingest", "documents")
        out, err = await asked(folder, "ask", MADE_UP, OTHER_WORDS, ANSWER)
        assert json.loads(out)["kind"] == "fact"
        assert [stage in err for stage in (b"| hyde ", b"| rewrite ", b"| search again ")] == [True] * 3
        found, err_of_search = await asked(folder, "search", MADE_UP, OTHER_WORDS)
        stages = {row["stage"]: row["degraded"] for row in json.loads(found)["stages"]}
        assert stages.items() >= {"hyde": None, "rewrite": None, "search again": None}.items()
        everything = b"".join([out, err, found, err_of_search, await asyncio.to_thread(written_in, folder)])
        assert WEAK.encode() in everything
        assert [marker for marker in MARKERS if marker in everything] == []
