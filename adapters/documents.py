"""Taking documents in, and what that shows: files going in, then vectors filling in behind them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from adapters.ingest_history import BY_COMMAND, Ingested
from adapters.progress import bar
from adapters.signals import stopped_by_signal
from adapters.terminal import one_line, say
from retrieval.ingest import ingest
from retrieval.ingest_report import Outcome
from retrieval.vectors import fill

if TYPE_CHECKING:
    import signal
    from collections.abc import Sequence
    from pathlib import Path

    from adapters.app import Application
    from adapters.placing import Placed
    from retrieval.index import IndexStatus
    from retrieval.ingest_report import IngestReport


@dataclass(frozen=True, slots=True)
class Filled:
    """What the index holds after its vectors were filled in, and the signal that ended that early, if one did."""

    status: IndexStatus
    stopped_by: signal.Signals | None = None

    def end_if_stopped(self) -> None:
        """After a signal, end the program with the exit code that tells of it."""
        if self.stopped_by is not None:
            raise SystemExit(128 + self.stopped_by)


async def take_in(app: Application, paths: Sequence[Path], *, collection: str, prune: bool) -> IngestReport:
    """Take documents in, with a progress bar on a terminal's stderr. They can be searched by words at once."""
    with bar("Reading documents") as advance:
        report = await ingest(
            paths,
            app.index,
            collection=collection,
            prune=prune,
            on_progress=lambda progress: advance(progress.done, progress.total),
        )
    counted = {outcome: count for outcome, count in report.totals.items() if count}
    noted = Ingested(app.engine.clock(), collection, BY_COMMAND, counted)
    await asyncio.to_thread(app.history.note, noted)
    return report


async def fill_in(app: Application) -> Filled:
    """Give every passage its vector, as long as nobody interrupts.

    SIGINT and SIGTERM end it after the batch in hand; what is done stays done, and the next call goes on from there.
    """
    if app.embedder is None:
        return Filled(await app.index.status())
    with bar("Learning their meaning") as advance, stopped_by_signal() as stopping:
        await fill(app.index, app.embedder, on_progress=advance, stop=stopping.event)
    return Filled(await app.index.status(), stopping.by)


def say_what_waits(filled: Filled) -> None:
    """On stderr, how much cannot be found by meaning yet and what to do about it; nothing where all can."""
    status = filled.status
    if status.embedded < status.passages:
        waiting = f"{status.passages - status.embedded} of {status.passages} passages"
        click.echo(f"{waiting} are found by words alone so far; ingest again or serve to fill in the rest.", err=True)


def print_report(report: IngestReport) -> None:
    """A line for each file that asks for attention, then the totals."""
    for file in report.files:
        path = one_line(file.path)
        if file.outcome is Outcome.FAILED:
            say(click.style(f"failed     {path}: {one_line(file.message or '')}", fg="red"))
        elif file.outcome is Outcome.DUPLICATE:
            say(f"duplicate  {path}: {one_line(file.message or '')}")
        for warning in file.warnings:
            say(click.style(f"note       {path}: {one_line(warning)}", fg="yellow"))
    counted = ", ".join(f"{count} {outcome}" for outcome, count in report.totals.items() if count)
    dated = ", ".join(f"{count} {why.replace('_', ' ')}" for why, count in report.dated.items() if count)
    say(f"{report.collection}: {counted or 'no documents there'}{f' ({dated})' if dated else ''}")


def report_json(report: IngestReport, status: IndexStatus, placed: Placed | None) -> dict[str, Any]:
    """The report with what the index holds after it, and what its sentences cost if any were asked for."""
    vectors = {"embedded": status.embedded, "passages": status.passages, "model": status.model}
    return report.as_json() | {"context": placed.as_json() if placed else None, "vectors": vectors}
