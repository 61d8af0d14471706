"""`citewell ingest --context`: what the sentences will cost, whether to have them written, and what they did cost."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import click

from adapters.backends import NO_CONTEXT_WRITER, choose_context_writer
from adapters.progress import bar
from adapters.signals import stopped_by_signal
from adapters.terminal import line_from
from bot.claude_message import Usage
from bot.claude_models import dollars, prices_read
from bot.errors import Misconfigured
from retrieval.contexts import Written, waiting, write
from retrieval.errors import RetrievalError
from retrieval.ingest_report import Outcome

if TYPE_CHECKING:
    import signal
    from collections.abc import Sequence

    from adapters.app import Application
    from adapters.settings import Settings
    from bot.claude_context import ClaudeContextWriter
    from retrieval.document import Document
    from retrieval.index import Index
    from retrieval.ingest_report import IngestReport


@dataclass(slots=True)
class Placed:
    """What was to be written, what it was thought to take, and what became of it. Tokens are as the server counts."""

    estimated: Usage
    used: Usage
    passages: int = 0
    documents: int = 0
    written: Written = field(default_factory=Written)
    stopped_by: signal.Signals | None = None
    failure: RetrievalError | None = None

    def note(self, usage: Usage) -> None:
        """Count the tokens of one call."""
        self.used += usage

    def as_json(self) -> dict[str, Any]:
        """The outcome as JSON values; the names are stable."""
        return {
            "model": self.used.model,
            "passages": self.passages,
            "documents": self.documents,
            "written": self.written.stored,
            "without": self.written.without,
            "estimated": _tokens(self.estimated),
            "used": _tokens(self.used),
            "prices_read": prices_read().isoformat(),
        }


def check_that_it_may_ask(settings: Settings, *, yes: bool) -> None:
    """`Misconfigured` without a key, and `UsageError` (exit code 2) where nobody can agree to the cost."""
    if settings.anthropic_api_key is None:
        raise Misconfigured(NO_CONTEXT_WRITER)
    if not yes and not sys.stdin.isatty():
        raise click.UsageError("--context costs money and asks before it starts; where nobody can answer, add --yes.")


async def place(app: Application, report: IngestReport, *, yes: bool) -> Placed:
    """Have the missing sentences of the documents that were named written, if the operator agrees to the cost.

    SIGINT and SIGTERM end it in good order; what is written stays, and the next call goes on from there.
    """
    named = {file.document_id for file in report.files if file.outcome is not Outcome.REMOVED}
    documents = [one for one in await app.index.catalogue(report.collection) if one.id in named]
    nothing = Usage(app.settings.small_model, 0, 0, 0, 0)
    placed = Placed(nothing, nothing)
    writer = await asyncio.to_thread(choose_context_writer, app.claude, app.settings, placed.note)
    documents = await _count(app.index, writer, documents, placed)
    if not placed.passages:
        click.echo("Every passage of these documents has its sentence.", err=True)
        return placed
    click.echo(_before(placed), err=True)
    if not (yes or await _agrees()):
        click.echo("None is written.", err=True)
        return placed
    with bar("Placing passages") as advance, stopped_by_signal() as stopping:

        def progress(written: Written) -> None:
            placed.written = written
            advance(written.stored + written.without, placed.passages)

        try:
            await write(app.index, writer, documents, on_progress=progress, stop=stopping.event)
        except RetrievalError as error:  # what is written stays, and is reported first
            placed.failure = error
    placed.stopped_by = stopping.by
    click.echo(_after(placed), err=True)
    return placed


async def _count(
    index: Index, writer: ClaudeContextWriter, documents: Sequence[Document], placed: Placed
) -> list[Document]:
    """The documents in which a passage has no sentence; how many these are, and their tokens, are noted."""
    some = []
    for document in documents:
        stretches = [stretch async for stretch in waiting(index, [document])]
        for stretch in stretches:
            placed.passages += len(stretch.waiting)
            placed.estimated += writer.estimate(stretch)
        if stretches:
            some.append(document)
    placed.documents = len(some)
    return some


async def _agrees() -> bool:
    click.echo("Have them written? [y/N] ", nl=False, err=True)
    return (await line_from(sys.stdin.readline)).strip().casefold() in {"y", "yes"}


def _before(placed: Placed) -> str:
    return (
        f"{placed.passages:,} passages of {placed.documents:,} documents have no sentence yet. "
        f"{placed.used.model} will take about {_counted(placed.estimated)}."
    )


def _after(placed: Placed) -> str:
    without = f", {placed.written.without:,} stay without" if placed.written.without else ""
    left = placed.passages - placed.written.stored - placed.written.without
    again = f", {left:,} are left for the same command again" if left else ""
    return f"{placed.written.stored:,} sentences written{without}{again}. They took {_counted(placed.used)}."


def _counted(usage: Usage) -> str:
    return (
        f"{usage.input_tokens:,} input, {usage.output_tokens:,} output, {usage.cache_write_tokens:,} cache write and "
        f"{usage.cache_read_tokens:,} cache read tokens: {_price(dollars(usage))}"
    )


def _price(cost: float | None) -> str:
    if cost is None:
        return "what they cost is not known here"
    return f"{'under $0.01' if cost < 0.01 else f'${cost:,.2f}'} at the list prices of {prices_read()}"


def _tokens(usage: Usage) -> dict[str, Any]:
    counts = asdict(usage)
    del counts["model"]  # stands once, over both
    return counts | {"dollars": dollars(usage)}
