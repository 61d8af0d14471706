"""The served product as an operator runs it: a process, its signals, its exit codes, and Slack at the other end."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from aiohttp import ClientSession

from adapters import samples
from memory.file import MemoryFile
from memory.sqlite import SqliteMemory
from tests.doubles.claude import KEY, ClaudeDouble, Says
from tests.doubles.slack import BOT, Broken, SlackDouble, Stuck
from tests.e2e.serve_rig import COMMAND, Served, clean_environment, eventually, gate
from tests.memory.histories import THREAD, a_turn

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.doubles.slack import Message
    from tests.e2e.serve_rig import Gate

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = Path(os.environ.get("SHARED_DATA", ROOT.parent / "shared")) / "slack" / "schemas"
CHANNEL, AMINA = "C0WARD", "U0AMINA"
QUESTION = f"<@{BOT}> When is the flu clinic open?"
QUOTE = "The flu clinic is open on Tuesdays from 9 am to 12.30 pm and on Thursdays from 4 pm to 7.30 pm."
BUTTON = "[1] Flu vaccination clinic · When the flu clinic is open"
DRAFT = Says(
    {
        "kind": "fact",
        "missing": "",
        "sentences": [{"text": "It is open on Tuesdays and Thursdays.", "passage_id": "p1", "quote": QUOTE}],
    }
)


@dataclass(frozen=True, slots=True)
class Stage:
    """Slack, a home with an index, and every process started there; each is gone at the end."""

    slack: SlackDouble
    home: Path
    stack: AsyncExitStack

    async def serve(self, **environment: str) -> Served:
        """Start one in Socket Mode, unless told otherwise."""
        given = {
            "CITEWELL_HOME": str(self.home),
            "CITEWELL_EMBEDDER": "none",
            "CITEWELL_RERANKER": "none",
            "CITEWELL_SLACK_API_URL": self.slack.base_url,
            "SLACK_BOT_TOKEN": self.slack.bot_token,
            "SLACK_APP_TOKEN": self.slack.app_token,
        }
        served = await Served.start(self.home, given | environment)
        self.stack.push_async_callback(served.end)
        return served

    async def held(self) -> Gate:
        """A gate before Claude, which writes the same draft as often as it is asked."""
        claude = await self.stack.enter_async_context(ClaudeDouble([DRAFT] * 5))
        return await self.stack.enter_async_context(gate(claude.url))

    @property
    def answers(self) -> list[Message]:
        """What the bot has posted."""
        return self.slack.workspace.posted(CHANNEL)

    async def answered(self) -> None:
        """Wait until there is an answer."""
        await self.slack.until(lambda: self.answers)


@pytest.fixture(scope="session")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of the sample leaflets, for search by words."""
    home = tmp_path_factory.mktemp("served")
    environment = clean_environment() | {"CITEWELL_HOME": str(home), "CITEWELL_EMBEDDER": "none"}
    command = [COMMAND, "ingest", str(samples.documents())]
    subprocess.run(command, cwd=home, env=environment, check=True, capture_output=True)
    return home / "index.db"


@pytest.fixture
async def stage(index: Path, tmp_path: Path) -> AsyncIterator[Stage]:
    shutil.copy(index, tmp_path / "index.db")
    scopes = yaml.safe_load((ROOT / "manifest.yml").read_text(encoding="utf-8"))["oauth_config"]["scopes"]["bot"]
    slack = SlackDouble(schemas=SCHEMAS if SCHEMAS.is_dir() else None, scopes=scopes)
    async with slack, AsyncExitStack() as stack:
        yield Stage(slack, tmp_path, stack)


async def test_a_mention_is_answered_in_its_thread_with_its_source(stage: Stage) -> None:
    served = await stage.serve()
    await served.ready()
    asked, acks = await stage.slack.say(CHANNEL, AMINA, QUESTION)
    await stage.answered()
    (answer,) = stage.answers
    assert [ack.ok for ack in acks] == [True, True]
    assert answer.thread_ts == asked.ts
    assert QUOTE in answer.blocks[0]["text"]["text"]
    assert _buttons(answer)[0]["text"]["text"] == BUTTON
    assert _buttons(answer)[0]["url"] == "https://larkfield.example/flu-clinic"
    served.signal(signal.SIGTERM)
    assert await served.ended() == 0
    assert len(stage.answers) == 1
    assert stage.slack.rejections == []


async def test_it_says_which_backends_are_in_use(stage: Stage) -> None:
    served = await stage.serve(CITEWELL_RERANKER="", ANTHROPIC_API_KEY=KEY)
    await served.says("Index: sqlite. Embedder: none. Reranker: claude-haiku-5-5. Answers: claude-sonnet-5-5.")


async def test_over_http_a_signed_mention_is_answered_and_an_unsigned_one_refused(stage: Stage) -> None:
    served = await stage.serve(SLACK_APP_TOKEN="", SLACK_SIGNING_SECRET=stage.slack.signing_secret)
    stage.slack.request_url = f"http://127.0.0.1:{served.port}/slack/events"
    await served.ready()
    asked = await stage.slack.write(CHANNEL, AMINA, QUESTION)
    mention, twin = stage.slack.events_of(asked)
    assert (await stage.slack.post(mention, headers={"X-Slack-Signature": "v0=00"})).status == 401
    assert (await stage.slack.deliver(mention)).ok
    assert (await stage.slack.deliver(twin)).ok
    await stage.answered()
    served.signal(signal.SIGTERM)
    assert await served.ended() == 0
    (answer,) = stage.answers
    assert answer.thread_ts == asked.ts
    assert _buttons(answer)[0]["text"]["text"] == BUTTON


@pytest.mark.parametrize("over_http", [False, True])
async def test_it_says_that_it_is_alive(stage: Stage, *, over_http: bool) -> None:
    http = {"SLACK_APP_TOKEN": "", "SLACK_SIGNING_SECRET": stage.slack.signing_secret}
    served = await stage.serve(**(http if over_http else {}))
    await served.ready()
    async with ClientSession() as session, session.get(f"http://127.0.0.1:{served.port}/healthz") as got:
        assert (got.status, await got.json()) == (200, {"status": "alive"})


async def test_what_is_too_old_is_deleted_at_the_start(stage: Stage) -> None:
    path, now = stage.home / "memory.db", datetime.now(UTC)
    before = SqliteMemory(MemoryFile(path))
    for word, days in (("zebrafinch", 31), ("goldfinch", 29)):
        await before.record(replace(a_turn(word, text=word), at=now - timedelta(days=days)))
    await before.close()
    await (await stage.serve(CITEWELL_KEEP_DAYS="30")).ready()
    after = SqliteMemory(MemoryFile(path))
    assert [turn.text for turn in await after.turns(THREAD)] == ["goldfinch"]
    await after.close()
    assert b"zebrafinch" not in b"".join(file.read_bytes() for file in stage.home.glob("memory.db*"))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_told_to_stop_it_finishes_the_turn_that_runs(stage: Stage, number: signal.Signals) -> None:
    held = await stage.held()
    served = await stage.serve(ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL=held.url)
    await served.ready()
    await stage.slack.say(CHANNEL, AMINA, QUESTION)
    await eventually(held.reached.is_set)
    served.signal(number)
    await served.says("Stopping")
    assert stage.answers == []
    held.opened.set()
    assert await served.ended() == 0
    (answer,) = stage.answers
    assert answer.blocks[0]["text"]["text"] == "It is open on Tuesdays and Thursdays. [1]"


async def test_what_waits_when_it_stops_is_answered_when_it_runs_again(stage: Stage) -> None:
    held = await stage.held()
    settings = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": held.url, "CITEWELL_CONCURRENCY": "1"}
    served = await stage.serve(**settings)
    await served.ready()
    first, _ = await stage.slack.say(CHANNEL, AMINA, QUESTION)
    await eventually(held.reached.is_set)
    second, acks = await stage.slack.say(CHANNEL, AMINA, QUESTION)
    assert all(ack.ok for ack in acks)
    served.signal(signal.SIGTERM)
    await served.says("Stopping")
    held.opened.set()
    assert await served.ended() == 0
    assert [answer.thread_ts for answer in stage.answers] == [first.ts]
    again = await stage.serve(**settings)
    await again.ready()
    await stage.slack.until(lambda: len(stage.answers) == 2)
    again.signal(signal.SIGTERM)
    assert await again.ended() == 0
    assert [answer.thread_ts for answer in stage.answers] == [first.ts, second.ts]


async def test_what_comes_while_it_stops_is_left_to_slack_to_bring_again(stage: Stage) -> None:
    held = await stage.held()
    settings = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": held.url}
    served = await stage.serve(**settings)
    await served.ready()
    first, _ = await stage.slack.say(CHANNEL, AMINA, QUESTION)
    await eventually(held.reached.is_set)
    served.signal(signal.SIGTERM)
    await served.says("Stopping")
    late = await stage.slack.write(CHANNEL, AMINA, QUESTION)
    (event, _) = stage.slack.events_of(late)
    envelope = await stage.slack.send(event)
    await served.says("shutting down")
    held.opened.set()
    assert await served.ended() == 0
    assert not stage.slack.is_acknowledged(envelope)
    assert "flu clinic" not in "\n".join(served.lines)
    again = await stage.serve(**settings)
    await again.ready()
    assert (await stage.slack.deliver(event, retry=1)).ok
    await stage.slack.until(lambda: len(stage.answers) == 2)
    again.signal(signal.SIGTERM)
    assert await again.ended() == 0
    assert [answer.thread_ts for answer in stage.answers] == [first.ts, late.ts]


async def test_killed_in_the_middle_of_a_turn_it_answers_once_when_it_runs_again(stage: Stage) -> None:
    held = await stage.held()
    settings = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": held.url}
    served = await stage.serve(**settings)
    await served.ready()
    asked, _ = await stage.slack.say(CHANNEL, AMINA, QUESTION)
    await eventually(held.reached.is_set)
    served.signal(signal.SIGKILL)
    await served.ended()
    assert stage.answers == []
    held.opened.set()
    again = await stage.serve(**settings)
    await again.ready()
    await again.says("Messages that were waiting: 1.")
    for event in stage.slack.events_of(asked):
        assert (await stage.slack.deliver(event, retry=1)).ok
    await stage.answered()
    again.signal(signal.SIGTERM)
    assert await again.ended() == 0
    assert [answer.thread_ts for answer in stage.answers] == [asked.ts]


async def test_killed_after_its_answer_stood_it_gives_no_second_one(stage: Stage) -> None:
    """It dies while it makes sure, after an error, whether its answer arrived; the answer did."""
    stage.slack.fail("chat.postMessage", Broken(after_the_fact=True))
    stage.slack.fail("conversations.replies", Stuck())
    served = await stage.serve()
    await served.ready()
    await stage.slack.say(CHANNEL, AMINA, QUESTION)
    await eventually(lambda: stage.slack.called("conversations.replies"))
    served.signal(signal.SIGKILL)
    await served.ended()
    again = await stage.serve()
    await again.ready()
    await eventually(lambda: len(stage.slack.called("conversations.replies")) == 2)
    again.signal(signal.SIGTERM)
    assert await again.ended() == 0
    assert len(stage.answers) == 1
    assert len(stage.slack.called("chat.postMessage")) == 1


@pytest.mark.parametrize("name", ["SLACK_BOT_TOKEN", "SLACK_APP_TOKEN"])
async def test_a_wrong_token_is_named_in_a_plain_line(stage: Stage, name: str) -> None:
    served = await stage.serve(**{name: "xoxb-wrong"})
    assert await served.ended() == 1
    (line,) = served.lines
    assert name in line
    assert "xoxb-wrong" not in line


async def test_a_port_in_use_is_named_in_a_plain_line(stage: Stage) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        served = await stage.serve(CITEWELL_PORT=port)
        assert await served.ended() == 1
    (line,) = served.lines
    assert port in line
    assert "CITEWELL_PORT" in line


def _buttons(message: Message) -> list[dict[str, Any]]:
    return [element for block in message.blocks if block["type"] == "actions" for element in block["elements"]]
