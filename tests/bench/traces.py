"""What it costs a turn to be traced: by everything that keeps a trace at once, beside the whole turn in one run."""

from __future__ import annotations

import asyncio
import tempfile
import time
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult

from adapters import samples
from adapters.app import build
from adapters.console import message
from adapters.settings import Settings
from adapters.tracing.metrics import Metrics
from adapters.tracing.otel import OpenTelemetry
from retrieval.ingest import ingest
from tests.bench.report import Goal, Table, Times, goals

if TYPE_CHECKING:
    from bot.turn import Engine
    from bot.turn_record import TurnRecord
    from tests.bench.sets import Sets

QUESTIONS = ("When is the flu clinic open?", "How do I cancel an appointment?", "What is the capital of Peru?")
ROUNDS, WARM = 40, 3
_MOST = 1.0


class _Away(SpanExporter):
    """A collector that takes all and keeps nothing, so that no network is measured."""

    def export(self, spans: object) -> SpanExportResult:
        return SpanExportResult.SUCCESS


async def measured(_: Sets, rounds: int = ROUNDS) -> list[Table]:
    """The table and the goal. Turns go over the sample leaflets, by words and extracts."""
    async with AsyncExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        settings = await asyncio.to_thread(Settings.load, home=home, embedder="none")
        app = await stack.enter_async_context(await build(settings))
        await ingest([await asyncio.to_thread(samples.documents)], app.index)
        app.traces.add(await asyncio.to_thread(Metrics))
        app.traces.add(spans := OpenTelemetry(BatchSpanProcessor(_Away())))
        stack.callback(spans.close)
        kept, turns = await _times(app.engine, rounds)
    ratio = kept.p50 / turns.p50
    rows = [
        ("a whole turn", *turns.cells[:2], ""),
        ("keeping its trace: memory, file, metrics, spans", *kept.cells[:2], f"{100 * ratio:.1f} %"),
    ]
    table = Table("A turn and its trace", ("what", "p50, ms", "p95, ms", "of the turn"), rows)
    met = Goal(f"a trace costs under {_MOST:.0f} ms a turn (p50)", f"{kept.p50:.2f} ms", kept.p50 < _MOST)
    return [table, goals([met])]


async def _times(engine: Engine, rounds: int) -> tuple[Times, Times]:
    kept: list[float] = []
    turns: list[float] = []

    def keep(record: TurnRecord) -> None:
        began = time.perf_counter()
        engine.keep(record)
        kept.append(1000 * (time.perf_counter() - began))

    timed = replace(engine, keep=keep)
    for number in range(rounds + WARM):
        for at, question in enumerate(QUESTIONS):
            asked = message(question, id_=f"{number}-{at}", thread=f"{number}-{at}", at=engine.clock())
            began = time.perf_counter()
            await timed.respond(asked)
            turns.append(1000 * (time.perf_counter() - began))
    skipped = WARM * len(QUESTIONS)
    return Times(kept[skipped:], kept[skipped:]), Times(turns[skipped:], turns[skipped:])
