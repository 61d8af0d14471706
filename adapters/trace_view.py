"""Traces in a terminal: a line a turn, one turn as a timeline, and each new turn as it ends."""

from __future__ import annotations

import time
from collections import deque
from itertools import chain
from typing import TYPE_CHECKING

import click

from adapters.commands import json_option, print_json
from adapters.terminal import one_line, say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from adapters.settings import Settings
    from adapters.tracing.lines import Tail
    from bot.turn_record import StageRecord, TurnRecord

_WIDTH = 40
_POLL_SECONDS = 0.5
_SHOWN_BESIDE = {
    "backend",
    "grade",
    "verdict",
    "rule",
    "hits",
    "returned",
    "kept",
    "dropped",
    "degraded",
    "error",
    "model",
}


@click.command()
@click.argument("trace_id", required=False)
@click.option("--limit", default=20, show_default=True, type=click.IntRange(min=1), help="So many at most.")
@click.option("--kind", metavar="KIND", help="Only turns that ended so: fact, ungrounded, crisis, refusal, error ...")
@click.option("--follow", is_flag=True, help="Go on, with each turn that ends from now on, until Ctrl-C.")
@json_option
@click.pass_obj
def traces(
    settings: Settings, *, trace_id: str | None, limit: int, kind: str | None, follow: bool, as_json: bool
) -> None:
    """Show what happened: the last turns, or the one of TRACE_ID as a timeline.

    Nobody's words are written down, and nothing of guests' turns.
    """
    from adapters.tracing.lines import Tail, read_traces

    path = settings.traces_path
    if trace_id is not None:
        found = next((record for record in read_traces(path) if record.trace_id == trace_id), None)
        if found is None:
            raise click.ClickException(f"No turn {one_line(trace_id)} is in {path}: it may be a guest's, or too old.")
        print_json(found.as_json()) if as_json else say(timeline(found))
        return
    if not path.exists() and not follow:
        click.echo(f"No turn is on record in {path} (CITEWELL_HOME, CITEWELL_TRACE_FILE).", err=True)
    with Tail(path) as tail:
        matching = (record for record in read_traces(path) if kind in {None, record.kind.value})
        for record in chain(deque(matching, maxlen=limit), _follow(tail, kind) if follow else ()):
            print_json(record.as_json(), line=True) if as_json else say(line(record))


def line(record: TurnRecord) -> str:
    """One turn in a line."""
    ended = f"{record.kind.value} ({record.declined})" if record.declined else record.kind.value
    who = f"{record.platform}, guest" if record.guest else record.platform
    when = record.at.astimezone().strftime("%Y-%m-%d %H:%M:%S")
    return f"{when}  {record.trace_id:<12}  {record.milliseconds:>8.1f} ms  {ended}  [{who}]"


def timeline(record: TurnRecord) -> str:
    """One turn, each stage with its place in time, its milliseconds and what it noted."""
    whole = max([record.milliseconds, *(one.began + one.milliseconds for one in record.stages), 0.001])
    width = max([len(one.name) for one in record.stages], default=0)
    lines = [line(record)]
    for stage in record.stages:
        start = min(_WIDTH - 1, int(stage.began / whole * _WIDTH))
        length = max(1, round(stage.milliseconds / whole * _WIDTH))
        drawn = (" " * start + "█" * min(length, _WIDTH - start)).ljust(_WIDTH)
        lines.append(f"  {stage.name:<{width}}  {drawn}  {stage.milliseconds:>8.1f} ms  {_notes(stage)}".rstrip())
    spent = ", ".join(f"{name} {value}" for name, value in record.spent.items())
    return "\n".join([*lines, *([f"  spent: {spent}"] if spent else [])])


def _notes(stage: StageRecord) -> str:
    noted = ((name, value) for name, value in stage.attributes.items() if name in _SHOWN_BESIDE and value != "")
    return " ".join(f"{name}={value}" for name, value in noted)


def _follow(tail: Tail, kind: str | None) -> Iterator[TurnRecord]:
    """Each turn that is added to the file, until Ctrl-C."""
    while True:
        yield from (record for record in tail.new() if kind in {None, record.kind.value})
        time.sleep(_POLL_SECONDS)
