"""`citewell ingest` and what it shows: files going in, then vectors filling in behind them."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from adapters.signals import stopped_by_signal
from retrieval.ingest import ingest
from retrieval.ingest_report import Outcome
from retrieval.vectors import fill

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from adapters.app import Application
    from retrieval.index import IndexStatus
    from retrieval.ingest_report import IngestReport


async def take_in(app: Application, paths: Sequence[Path], *, collection: str, prune: bool) -> IngestReport:
    """Take documents in, with a progress bar on a terminal's stderr. They can be searched by words at once."""
    with _bar("Reading documents") as advance:
        return await ingest(
            paths,
            app.index,
            collection=collection,
            prune=prune,
            on_progress=lambda progress: advance(progress.done, progress.total),
        )


async def fill_in(app: Application) -> IndexStatus:
    """Give every passage its vector, as long as nobody interrupts, and say what the index holds then.

    SIGINT and SIGTERM end it after the batch in hand; what is done stays done, and the next call goes on from there.
    """
    if app.embedder is not None:
        with _bar("Learning their meaning") as advance, stopped_by_signal() as stop:
            await fill(app.index, app.embedder, on_progress=advance, stop=stop)
    return await app.index.status()


def print_report(report: IngestReport) -> None:
    """A line for each file that asks for attention, then the totals."""
    for file in report.files:
        if file.outcome is Outcome.FAILED:
            click.secho(f"failed     {file.path}: {file.message}", fg="red")
        elif file.outcome is Outcome.DUPLICATE:
            click.echo(f"duplicate  {file.path}: {file.message}")
        for warning in file.warnings:
            click.secho(f"note       {file.path}: {warning}", fg="yellow")
    counted = ", ".join(f"{count} {outcome}" for outcome, count in report.totals.items() if count)
    click.echo(f"{report.collection}: {counted or 'no documents there'}")


def report_json(report: IngestReport, status: IndexStatus) -> dict[str, Any]:
    """The report with what the index holds after it."""
    vectors = {"embedded": status.embedded, "passages": status.passages, "model": status.model}
    return report.as_json() | {"vectors": vectors}


@contextmanager
def _bar(title: str) -> Iterator[Callable[[int, int], None]]:
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(title, total=None)

        def advance(done: int, total: int) -> None:
            progress.update(task, completed=done, total=total)

        yield advance
