"""What goes wrong around the served product: each message is answered once all the same.

Each test runs `citewell serve` as a process, with Slack's double at the other end of real sockets, and breaks something
that lies between them or under them. docs/reliability.md has the list.
"""

from __future__ import annotations

import asyncio
import json
import random
import resource
import shutil
import signal
import sqlite3
from contextlib import AsyncExitStack, closing
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
import yaml

from adapters.courier import Courier
from adapters.dispatch import Dispatcher
from memory.file import MemoryFile
from memory.inbox import RamInbox, SqliteInbox
from tests.adapters.platform import Platform, a_message, a_reply, failed, until
from tests.bench.slack_load import burst, crowd, killed_again_and_again
from tests.doubles.claude import KEY
from tests.doubles.slack import ApiError, Broken, Dropped, RateLimited, SlackDouble
from tests.e2e.serve_rig import before, eventually, free_port
from tests.e2e.test_serve import AMINA, CHANNEL, QUESTION, QUOTE, ROOT, SCHEMAS, Stage, index

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from bot.messages import IncomingMessage, Reply
    from tests.bench.slack_load import Mode
    from tests.doubles.slack import Fault
    from tests.e2e.serve_rig import Served

__all__ = ["index"]

SHORT = {"CITEWELL_TURN_DEADLINE": "6"}
"""Waits for a locked file are their share of a turn: half a second."""


@pytest.fixture
async def stage(index: Path, tmp_path: Path) -> AsyncIterator[Stage]:
    shutil.copy(index, tmp_path / "index.db")
    scopes = yaml.safe_load((ROOT / "manifest.yml").read_text(encoding="utf-8"))["oauth_config"]["scopes"]["bot"]
    async with (
        SlackDouble(schemas=SCHEMAS if SCHEMAS.is_dir() else None, scopes=scopes) as slack,
        AsyncExitStack() as stack,
    ):
        yield Stage(slack, tmp_path, stack)


async def answered_once(stage: Stage, served: Served) -> None:
    """One answer with its words, and no second one by the time that it has ended in good order."""
    await stage.slack.until(lambda: stage.answers)
    served.signal(signal.SIGTERM)
    assert await served.ended() == 0
    (answer,) = stage.answers
    assert QUOTE in answer.text or QUOTE in json.dumps(answer.blocks)


@pytest.mark.parametrize(
    "faults",
    [
        [RateLimited(1), RateLimited(1)],
        [Broken()],
        [Broken(after_the_fact=True)],
        [Dropped()],
        [ApiError("internal_error"), ApiError("ratelimited")],
        [ApiError("msg_too_long"), Broken(), RateLimited(1)],
    ],
    ids=["429", "500", "500 after the fact", "dropped", "internal error", "a ladder with faults"],
)
async def test_slack_refuses_fails_or_breaks_off(stage: Stage, faults: list[Fault]) -> None:
    stage.slack.fail("chat.postMessage", *faults)
    served = await stage.serve()
    await served.ready()
    await stage.slack.say(CHANNEL, AMINA, QUESTION)
    await answered_once(stage, served)


async def test_a_slow_slack_is_waited_for(stage: Stage) -> None:
    async with before(stage.slack.base_url.removesuffix("/api/"), lambda: asyncio.sleep(0.4)) as url:
        served = await stage.serve(CITEWELL_SLACK_API_URL=f"{url}/api/")
        await served.ready()
        _, acks = await stage.slack.say(CHANNEL, AMINA, QUESTION)
        assert all(ack.ok for ack in acks)
        await answered_once(stage, served)


async def test_the_socket_drops_in_the_middle_of_a_turn(stage: Stage) -> None:
    held = await stage.held()
    served = await stage.serve(ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL=held.url)
    await served.ready()
    asked, _ = await stage.slack.say(CHANNEL, AMINA, QUESTION)
    await eventually(held.reached.is_set)
    await stage.slack.disconnect()
    for event in stage.slack.events_of(asked):
        assert (await stage.slack.deliver(event, retry=1)).ok
    held.opened.set()
    await stage.slack.until(lambda: stage.answers)
    served.signal(signal.SIGTERM)
    assert await served.ended() == 0
    assert [answer.thread_ts for answer in stage.answers] == [asked.ts]


async def test_the_model_is_down(stage: Stage) -> None:
    nothing = f"http://127.0.0.1:{free_port()}"
    served = await stage.serve(ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL=nothing)
    await served.ready()
    await stage.slack.say(CHANNEL, AMINA, QUESTION)
    await answered_once(stage, served)


async def test_the_index_is_damaged_while_it_runs(stage: Stage) -> None:
    served = await stage.serve()
    await served.ready()
    # Not index.db-shm: that is memory shared with the process, and cutting it short kills whoever reads it (SIGBUS).
    for name in ("index.db", "index.db-wal"):
        (stage.home / name).write_bytes(b"no database at all")
    asked, acks = await stage.slack.say(CHANNEL, AMINA, QUESTION)
    assert all(ack.ok for ack in acks)
    await stage.answered()
    served.signal(signal.SIGTERM)
    assert await served.ended() == 0
    assert [answer.thread_ts for answer in stage.answers] == [asked.ts]


async def test_the_disk_is_full_and_has_room_again(stage: Stage) -> None:
    """It is answered, and not acknowledged, so that Slack brings it again; then it is known, and not answered twice."""
    served = await stage.serve(**SHORT)
    await served.ready()
    _limit(served, 0)
    asked = await stage.slack.write(CHANNEL, AMINA, QUESTION)
    event, twin = stage.slack.events_of(asked)
    envelope = await stage.slack.send(event)
    await stage.answered()
    assert not stage.slack.is_acknowledged(envelope)
    _limit(served, resource.RLIM_INFINITY)
    for body in (event, twin):
        assert (await stage.slack.deliver(body, retry=1)).ok
    await answered_once(stage, served)


async def test_the_memory_file_is_locked_for_longer_than_it_is_waited_for(stage: Stage) -> None:
    served = await stage.serve(**SHORT)
    await served.ready()
    with closing(sqlite3.connect(stage.home / "memory.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        asked = await stage.slack.write(CHANNEL, AMINA, QUESTION)
        event, twin = stage.slack.events_of(asked)
        envelope = await stage.slack.send(event)
        await stage.answered()
        assert not stage.slack.is_acknowledged(envelope)
        other.execute("ROLLBACK")
    for body in (event, twin):
        assert (await stage.slack.deliver(body, retry=1)).ok
    await answered_once(stage, served)


async def test_the_memory_file_is_locked_for_a_moment(stage: Stage) -> None:
    served = await stage.serve()
    await served.ready()
    with closing(sqlite3.connect(stage.home / "memory.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        asked = await stage.slack.write(CHANNEL, AMINA, QUESTION)
        event, _ = stage.slack.events_of(asked)
        envelope = await stage.slack.send(event)
        await asyncio.sleep(0.2)
        other.execute("ROLLBACK")
    assert (await stage.slack.acknowledged(envelope)).ok
    await answered_once(stage, served)


async def test_the_clock_was_wrong_when_a_request_came(stage: Stage) -> None:
    """By our clock the request is ten minutes old: refused; it comes again once the clock is right."""
    served = await stage.serve(SLACK_APP_TOKEN="", SLACK_SIGNING_SECRET=stage.slack.signing_secret)
    stage.slack.request_url = f"http://127.0.0.1:{served.port}/slack/events"
    await served.ready()
    event, _ = stage.slack.events_of(await stage.slack.write(CHANNEL, AMINA, QUESTION))
    body = json.dumps(event).encode()
    now = int(datetime.now(UTC).timestamp())
    for wrong in (now - 600, now + 600):
        assert (await stage.slack.post_raw(body, headers=stage.slack.signature(body, timestamp=wrong))).status == 401
    assert (await stage.slack.deliver(event, retry=1)).ok
    await answered_once(stage, served)


@pytest.mark.parametrize(
    "jump",
    [timedelta(**{unit: sign * many}) for unit, many in (("hours", 2), ("days", 6), ("days", 400)) for sign in (-1, 1)],
)
async def test_the_clock_jumps_between_a_message_and_its_answer_and_over_a_restart(
    tmp_path: Path, jump: timedelta
) -> None:
    """None is lost, doubled or reordered, though the keys of answered messages are kept for seven days."""
    now = datetime(2026, 3, 1, 12, tzinfo=UTC)
    file, platform, gate = MemoryFile(tmp_path / "memory.db"), Platform(), asyncio.Event()

    async def respond(message: IncomingMessage) -> Reply:
        await gate.wait()
        return a_reply(message)

    def a_life() -> Dispatcher:
        life = Dispatcher(
            respond,
            durable=SqliteInbox(file),
            ephemeral=RamInbox(),
            on_failure=failed,
            clock=lambda: now,
            courier=Courier(),
        )
        life.register("slack", platform)
        return life

    first = a_life()
    for name in ("1", "2"):
        assert await first.accept(a_message(name))
    await first.drain(0)
    now += jump
    second = a_life()
    assert await second.resume() == 2
    assert await second.accept(a_message("3"))
    gate.set()
    await until(lambda: not second.busy)
    now -= jump
    await second.resume()
    for name in ("1", "2", "3"):
        assert not await second.accept(a_message(name))
    await until(lambda: not second.busy)
    assert platform.order == ["1", "2", "3"]
    await file.close()


@pytest.mark.parametrize("mode", ["socket", "http"])
async def test_killed_again_and_again_under_load_it_answers_each_question_once(
    index: Path, tmp_path: Path, mode: Mode
) -> None:
    """Three kills at moments that the same dice give each time; `make soak` has many more."""
    dice = random.Random(7)
    words = {"CITEWELL_EMBEDDER": "none", "CITEWELL_RERANKER": "none"}
    async with crowd(index, tmp_path / "home", mode, **words) as people:
        await people.start()
        killing = asyncio.create_task(killed_again_and_again(people, 3, 3.0, dice))
        asked = await burst(people, ["When is the flu clinic open?"], events=60, seconds=4.0, dice=dice)
        await killing
        await people.settled(asked)
        assert people.served is not None
        people.served.signal(signal.SIGTERM)
        assert await people.served.ended() == 0
        outcome = people.outcome(asked)
    assert (outcome.once, outcome.twice, outcome.unanswered) == (40, 0, 0)


def _limit(served: Served, size: int) -> None:
    """Let no file of the process grow beyond so many bytes: to a program, a disk without room looks the same."""
    _, hard = resource.prlimit(served.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(served.process.pid, resource.RLIMIT_FSIZE, (size, hard))
