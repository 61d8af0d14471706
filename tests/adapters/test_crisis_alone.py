"""Someone in need is shown people with everything else away: index, memory, disk, model, and whoever says who wrote."""

from __future__ import annotations

import asyncio
import json
import resource
import subprocess
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest

from adapters.app import build
from adapters.serve import serve
from adapters.settings import Settings
from tests.doubles import claude as claudes
from tests.doubles.slack import BOT, ApiError, Message, SlackDouble, Stuck
from tests.e2e.serve_rig import free_port

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from adapters.app import Application
    from tests.doubles.slack.faults import Fault

CRISIS, AGAIN = "I want to kill myself", "I already took them"
CHANNEL, DIRECT, AMINA = "C0WARD", "D0AMINA", "U0AMINA"
RUN = "from adapters.cli import main; main()"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """With no `.env` and no key of the developer's own."""
    monkeypatch.chdir(tmp_path)
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "VOYAGE_API_KEY", "WEAVIATE_URL"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def no_file_may_grow() -> None:
    """As on a full disk; pipes still take what is written."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def asked(home: Path, *texts: str) -> list[dict[str, object]]:
    """What a program without room on its disk answers, a line at a time, in one conversation."""
    done = subprocess.run(
        [sys.executable, "-c", RUN, "ask", "-", "--json", "--conversation", "k", "--country", "GB"],
        input="\n".join(texts),
        env={"CITEWELL_HOME": str(home), "CITEWELL_EMBEDDER": "none", "PATH": ""},
        preexec_fn=no_file_may_grow,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert CRISIS not in done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_with_no_room_on_the_disk(home: Path) -> None:
    (reply,) = asked(home, CRISIS)
    assert reply["kind"] == "crisis"
    assert "116 123" in str(reply["text"])


@pytest.mark.parametrize("broken", ["index.db", "memory.db"])
def test_with_a_folder_where_a_file_should_be(home: Path, broken: str) -> None:
    (home / broken).mkdir()
    (reply,) = asked(home, CRISIS)
    assert reply["kind"] == "crisis"
    assert "116 123" in str(reply["text"])


@asynccontextmanager
async def serving(slack: SlackDouble, home: Path, **given: str) -> AsyncIterator[Application]:
    """The product as it is served, with neither an index nor a memory that can be opened."""
    (home / "index.db").mkdir()
    (home / "memory.db").mkdir()
    port = free_port()
    slack.request_url = f"http://127.0.0.1:{port}/slack/events"
    tokens = {"SLACK_BOT_TOKEN": slack.bot_token, "SLACK_SIGNING_SECRET": slack.signing_secret}
    address = {"slack_api_url": slack.base_url, "PORT": str(port)}
    settings = await asyncio.to_thread(
        lambda: Settings.load(home=home, embedder="none", country="GB", **tokens, **address, **given)
    )
    ready, stop = asyncio.Event(), asyncio.Event()
    async with await build(settings, needs_index=False) as app:
        served = asyncio.create_task(serve(app, say=lambda _: ready.set(), stop=stop))
        waiting = asyncio.create_task(ready.wait())
        await asyncio.wait({served, waiting}, return_when=asyncio.FIRST_COMPLETED, timeout=20)
        try:
            yield app
        finally:
            waiting.cancel()
            stop.set()
            await served


async def replies(slack: SlackDouble, app: Application, channel: str, *texts: str) -> list[Message]:
    """What Amina is shown, having written these one after another in one thread, in a direct message or a channel."""
    root: str | None = None
    for text in texts:
        asked = await slack.write(channel, AMINA, text, thread=root)
        root = root or (asked.ts if channel == CHANNEL else None)
        for event in slack.events_of(asked):
            await slack.deliver(event)  # what cannot be stored is not acknowledged, and comes again
            await slack.deliver(event, retry=1)
        async with asyncio.timeout(20):
            while app.dispatcher.busy:  # noqa: ASYNC110 - the dispatcher tells its state, not its changes
                await asyncio.sleep(0.01)
    return [*slack.workspace.ephemeral, *slack.workspace.posted(channel)]


@pytest.mark.parametrize("channel", [CHANNEL, DIRECT])
@pytest.mark.parametrize("fault", [None, ApiError("internal_error"), Stuck()], ids=["", "users.info fails", "hangs"])
async def test_with_neither_index_nor_memory_nor_anyone_who_says_who_wrote(
    home: Path, channel: str, fault: Fault | None, caplog: pytest.LogCaptureFixture
) -> None:
    async with SlackDouble() as slack, serving(slack, home) as app:
        slack.fail("users.info", *[fault] * 8)
        first, then = await replies(slack, app, channel, f"<@{BOT}> {CRISIS}", AGAIN)
    words = app.engine.wording.crisis
    assert first.text.startswith(words.about_self)
    assert then.text.startswith(words.about_follow)
    assert all("116 123" in shown.text for shown in (first, then))
    assert not any(said in caplog.text for said in (CRISIS, "took them"))


async def test_with_a_model_that_hangs_in_all_it_does(home: Path) -> None:
    async with claudes.ClaudeDouble([claudes.Hangs()] * 20) as claude, SlackDouble() as slack:
        key = {"ANTHROPIC_API_KEY": claudes.KEY, "ANTHROPIC_BASE_URL": claude.url}
        async with serving(slack, home, check_safety="1", **key) as app:
            (shown,) = await replies(slack, app, CHANNEL, f"<@{BOT}> {CRISIS}")
        assert claude.requests == []
    assert "116 123" in shown.text
