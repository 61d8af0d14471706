"""`citewell ingest --context` as a process of its own: what it asks, what it costs, and how it ends."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.doubles.claude import KEY, ClaudeDouble, Fails, Hangs, Says, Scripted
from tests.e2e.serve_rig import PATIENCE, clean_environment

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import Callable, Iterator, Mapping

ROOT = Path(__file__).parents[2]
MODEL = "claude-haiku-5-5"
DOCUMENTS = 12


def about(body: Mapping[str, Any]) -> Scripted:
    found = re.search(r"Ward (\d+)", body["messages"][0]["content"][-1]["text"])
    assert found
    return ward(int(found[1]))


def ward(number: int) -> Scripted:
    return Says({"sentence": f"Where ward {number} is found."})


def double(*replies: Scripted) -> ClaudeDouble:
    return ClaudeDouble(replies, models=[MODEL], otherwise=about)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "documents").mkdir()
    for number in range(DOCUMENTS):
        text = f"# Leaflet {number}\n\nWard {number} is on floor {number}. Take the lift."
        (tmp_path / "documents" / f"{number:02}.md").write_text(text)
    return tmp_path


async def citewell(
    folder: Path, claude: ClaudeDouble | None, *arguments: str, stdin: int = asyncio.subprocess.DEVNULL, **env: str
) -> Process:
    """The command, by words alone, from this source tree."""
    key = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": claude.url} if claude else {}
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", "from adapters.cli import main; main()", *arguments),
        cwd=folder,
        env={
            **clean_environment(),
            "PYTHONPATH": str(ROOT),
            "CITEWELL_HOME": str(folder / "home"),
            "CITEWELL_EMBEDDER": "none",
            **key,
            **env,
        },
        stdin=stdin,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


async def ended(process: Process) -> tuple[int | None, str, str]:
    out, err = await process.communicate()
    assert "Traceback" not in err.decode()
    assert KEY not in err.decode()
    return process.returncode, out.decode(), err.decode()


INGEST = ("ingest", "documents", "--context")


@contextmanager
def terminal() -> Iterator[tuple[int, int]]:
    """Our side and the program's."""
    ours, theirs = os.openpty()
    try:
        yield ours, theirs
    finally:
        os.close(ours)
        os.close(theirs)


async def test_at_a_terminal_it_asks_first(folder: Path) -> None:
    async with double() as claude, asyncio.timeout(4 * PATIENCE):
        with terminal() as (ours, theirs):
            os.write(ours, b"y\n")
            code, out, err = await ended(await citewell(folder, claude, *INGEST, "--json", stdin=theirs))
        assert (code, len(claude.requests)) == (0, DOCUMENTS)
        assert json.loads(out)["context"]["written"] == DOCUMENTS
        assert json.loads(out)["totals"]["taken"] == DOCUMENTS
        assert "[y/N]" in err


async def test_a_kill_loses_nothing_that_was_written(folder: Path) -> None:
    async with double(*[ward(n) for n in range(3)]) as claude:
        claude.replies += [Hangs()] * 8
        async with asyncio.timeout(4 * PATIENCE):
            killed = await citewell(folder, claude, *INGEST, "--yes")
            await claude.hanging.wait()
            await until(lambda: len(claude.requests) == 11)
            killed.kill()
            await killed.communicate()
            claude.replies.clear()
            claude.requests.clear()
            code, out, _ = await ended(await citewell(folder, claude, *INGEST, "--yes", "--json"))
        assert code == 0
        assert json.loads(out)["context"]["written"] == len(claude.requests) == DOCUMENTS - 3


async def until(reached: Callable[[], object]) -> None:
    while not reached():  # noqa: ASYNC110 - the double tells nobody of a request
        await asyncio.sleep(0.01)


async def test_ctrl_c_ends_in_good_order_and_keeps_what_came(folder: Path) -> None:
    async with double(*[ward(n) for n in range(3)]) as claude:
        claude.replies += [Hangs()] * 8
        async with asyncio.timeout(4 * PATIENCE):
            stopped = await citewell(folder, claude, *INGEST, "--yes", "--json")
            await until(lambda: len(claude.requests) == 11)
            stopped.send_signal(signal.SIGINT)
            code, out, err = await ended(stopped)
        assert code == 128 + signal.SIGINT
        assert json.loads(out)["context"]["written"] == 3
        assert "9 are left for the same command again" in err


async def test_a_key_that_is_refused_in_the_middle_is_named_and_what_is_written_is_reported(folder: Path) -> None:
    replies = [ward(n) for n in range(3)]
    async with double(*replies, *[Fails(401)] * 9) as claude, asyncio.timeout(4 * PATIENCE):
        code, out, err = await ended(await citewell(folder, claude, *INGEST, "--yes", "--json"))
        assert code == 1
        assert "ANTHROPIC_API_KEY" in err
        assert json.loads(out)["totals"]["taken"] == DOCUMENTS
        assert json.loads(out)["context"]["written"] < DOCUMENTS
