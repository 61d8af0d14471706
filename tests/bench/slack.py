"""Slack in full: what a burst of events costs, what kill -9 loses, and how long, large and slow the product itself is.

The double and the people are in this process, the product is `citewell serve` in another. `python -m tests.bench.slack`
runs the kills alone, over and over, until told to stop: that is `make soak`.
"""

from __future__ import annotations

import asyncio
import random
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from adapters import samples
from tests.bench.many import filled, mixed_questions
from tests.bench.report import Goal, Table, goals
from tests.bench.sets import PROGRESS, keyless
from tests.bench.slack_load import CHANNELS, burst, crowd, killed_again_and_again

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.bench.sets import Sets
    from tests.bench.slack_load import Crowd, Mode, Outcome
    from tests.doubles.slack import Message

EVENTS, SECONDS, KILLS = 1000, 10.0, 20
PASSAGES = 27_000
ASKED_ALONE, WARM, PAUSE, STARTS = 90, 5, 0.15, 5
A_LIFE = 3.0
"""Seconds a kill, so that between most of them it has time to start."""
HOSTED = {
    "ANTHROPIC_API_KEY": "sk-none",
    "ANTHROPIC_BASE_URL": "http://127.0.0.1:9",
    "VOYAGE_API_KEY": "pa-none",
    "VOYAGE_BASE_URL": "http://127.0.0.1:9",
}
QUESTIONS = ("When is the flu clinic open?", "When may I visit?", "How do I cancel an appointment?", "Is parking free?")


async def measured(
    sets: Sets,
    *,
    events: int = EVENTS,
    passages: int = PASSAGES,
    alone: int = ASKED_ALONE,
    kills: int = KILLS,
    starts: int = STARTS,
) -> list[Table]:
    """The tables and the goals."""
    await (await filled(sets, passages)).close()
    index, questions = sets.homes / f"passages-{passages}" / "index.db", mixed_questions(sets)
    seconds = SECONDS * events / EVENTS
    rows: list[tuple[str, ...]] = []
    found: list[Goal] = []
    with tempfile.TemporaryDirectory() as folder:
        for mode in ("socket", "http"):
            PROGRESS.print(f"{events} events in {seconds:.0f} s over {mode}")
            async with crowd(index, Path(folder) / mode, mode) as people:
                rows.append(await _burst(people, questions, events, seconds, found))
        PROGRESS.print(f"the same with {kills} kills")
        async with crowd(index, Path(folder) / "kills") as people:
            rows.append(await _killed(people, questions, events, max(seconds, A_LIFE * kills), kills, found))
        PROGRESS.print(f"{alone} questions, one at a time")
        async with crowd(index, Path(folder) / "alone") as people:
            times, reached = await _alone(people, questions, alone)
            found += reached
        own, words = await _samples(Path(folder) / "own"), await _samples(Path(folder) / "words", embedder="none")
        sizes = [await _size(own, Path(folder) / "local", "local embedder", 250, found)]
        sizes.append(await _size(words, Path(folder) / "hosted", "hosted embedder and Claude", 120, found, **HOSTED))
        async with crowd(index, Path(folder) / "start") as people:
            for _ in range(starts):
                await people.start()
                await people.kill()
            start = float(np.median(people.starts))
            found.append(Goal("ready within 2.5 s of the start", f"{start:.2f} s", met=start < 2.5))
    columns = ("run", "events sent", "questions", "answered once", "twice", "never", "ack p50 ms", "ack p99 ms")
    return [
        Table(f"{events} events in {seconds:.0f} s, a third of them duplicates or retries", columns, rows),
        times,
        Table("Memory, in MB", ("backends", "at the start", "after ten questions"), sizes),
        goals(found),
    ]


async def _burst(
    people: Crowd, questions: Sequence[str], events: int, seconds: float, found: list[Goal]
) -> tuple[str, ...]:
    await people.start()
    asked = await burst(people, questions, events=events, seconds=seconds, dice=random.Random(1))
    await people.settled(asked)
    await asyncio.sleep(1)  # for a second answer, if there is one
    outcome, p99 = people.outcome(asked), float(np.percentile(people.acknowledged, 99))
    found.append(_once(outcome, f"every question answered once ({people.mode})"))
    found.append(Goal(f"acknowledged within 300 ms, p99 ({people.mode})", f"{p99:.0f} ms", met=p99 < 300))
    return _row(people, outcome, people.mode)


async def _killed(
    people: Crowd, questions: Sequence[str], events: int, seconds: float, kills: int, found: list[Goal]
) -> tuple[str, ...]:
    """The kills are spread over as long as it takes to start so often."""
    dice = random.Random(2)
    await people.start()
    killing = asyncio.create_task(killed_again_and_again(people, kills, seconds, dice))
    asked = await burst(people, questions, events=events, seconds=seconds, dice=random.Random(3))
    await killing
    await people.settled(asked)
    await asyncio.sleep(1)
    outcome = people.outcome(asked)
    found.append(_once(outcome, f"every question answered once, with {kills} kills"))
    return _row(people, outcome, f"{people.mode}, {kills} kills over {seconds:.0f} s")


def _once(outcome: Outcome, wanted: str) -> Goal:
    said = f"{outcome.once} once, {outcome.twice} twice, {outcome.unanswered} never"
    return Goal(wanted, said, met=not outcome.twice and not outcome.unanswered)


def _row(people: Crowd, outcome: Outcome, run: str) -> tuple[str, ...]:
    questions = outcome.once + outcome.twice + outcome.unanswered
    counts = (people.sent, questions, outcome.once, outcome.twice, outcome.unanswered)
    acks = (float(np.percentile(people.acknowledged, at)) for at in (50, 99))
    return (run, *map(str, counts), *(f"{one:.0f}" for one in acks))


async def _alone(people: Crowd, questions: Sequence[str], count: int) -> tuple[Table, list[Goal]]:
    """From sending an event to seeing its answer, both over Slack's side of the wire.

    First in channels that nobody has asked in since the start, of which Slack is asked who is there, and then again.
    """
    await people.start()
    for number in range(WARM):
        await _timed(people, questions[number % len(questions)], CHANNELS - 1 - number)
    rows: list[tuple[str, ...]] = []
    p50 = p95 = 0.0
    for run in ("the first in a channel", "later ones"):
        times = []
        for number in range(count):
            asked = questions[(WARM + len(rows) * count + number) % len(questions)]
            times.append(await _timed(people, asked, number))
            await asyncio.sleep(PAUSE)
        p50, p95 = (float(np.percentile(times, at)) for at in (50, 95))
        rows.append((run, str(count), f"{p50:.0f}", f"{p95:.0f}"))
    return Table("From event to post, ms", ("questions", "asked", "p50", "p95"), rows), [
        Goal("from event to post, p50 under 60 ms (later ones)", f"{p50:.0f} ms", met=p50 < 60),
        Goal("from event to post, p95 under 150 ms (later ones)", f"{p95:.0f} ms", met=p95 < 150),
    ]


async def _timed(people: Crowd, question: str, channel: int) -> float:
    message = await people.ask(question, channel)
    began = time.perf_counter()
    await people.bring(people.slack.events_of(message)[0])
    await people.slack.until(partial(_is_answered, people, message))
    return 1000 * (time.perf_counter() - began)


def _is_answered(people: Crowd, message: Message) -> bool:
    return people.outcome([message]).once == 1


async def _size(
    index: Path, folder: Path, backends: str, wanted: int, found: list[Goal], **environment: str
) -> tuple[str, ...]:
    async with crowd(index, folder, "socket", **environment) as people:
        await people.start()
        before = people.memory()
        asked = [await people.ask(QUESTIONS[number % len(QUESTIONS)], number) for number in range(10)]
        for message in asked:
            await people.bring(people.slack.events_of(message)[0])
        await people.settled(asked)
        await asyncio.sleep(1)
        after = people.memory()
    found.append(Goal(f"idle under {wanted} MB, {backends}", f"{after:.0f} MB", met=after < wanted))
    return backends, f"{before:.0f}", f"{after:.0f}"


async def _samples(home: Path, *, embedder: str | None = None) -> Path:
    """An index of the sample leaflets."""
    from adapters.app import build
    from adapters.documents import fill_in, take_in

    async with await build(keyless(home).model_copy(update={"embedder": embedder})) as app:
        await take_in(app, [samples.documents()], collection="public", prune=False)
        await fill_in(app)
    return home / "index.db"


async def _soak() -> None:
    """Kills without end, each round with other dice; says of each what came of it, and stops at the first fault."""
    found: list[Goal] = []
    with tempfile.TemporaryDirectory() as folder:
        index = await _samples(Path(folder) / "samples")
        modes: tuple[Mode, ...] = ("socket", "http")
        for number in range(int(sys.argv[1]) if len(sys.argv) > 1 else 5):
            async with crowd(index, Path(folder) / str(number), modes[number % 2], CITEWELL_EMBEDDER="none") as people:
                row = await _killed(people, QUESTIONS, EVENTS // 2, A_LIFE * KILLS, KILLS, found)
            print(f"round {number + 1}: {found[-1].measured}", flush=True)  # noqa: T201 - the report is its output
            if not found[-1].met:
                sys.exit(f"round {number + 1} failed: {row}")


if __name__ == "__main__":
    asyncio.run(_soak())
