"""`citewell feedback`: what people thought of answers, and what they marked down as cases for `citewell evaluate`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adapters.commands import json_option, print_json, run_on_memory, since_option
from adapters.terminal import one_line, say

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from adapters.settings import Settings
    from memory.file import MemoryFile
    from memory.reports import MarkedDown


@click.command()
@since_option
@click.option(
    "--cases",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Add what was marked down to this file of questions, for `citewell evaluate`.",
)
@json_option
@click.pass_obj
def feedback(settings: Settings, *, since: datetime | None, file: Path | None, as_json: bool) -> None:
    """Show how many answers were found good and bad, and which questions had an answer that was marked down, and why.

    Nothing tells who asked or who marked it; what people wrote as their reason stands as they wrote it. With --cases,
    each becomes a line of a file that `citewell evaluate` reads, once: what stands in the file stays. Write beside it
    which documents answer it, or that none does.
    """

    async def work(memory: MemoryFile) -> None:
        from bot.cases import case as case_of
        from memory.reports import Reports

        reports = Reports(memory)
        ratings = await reports.ratings(since)
        marked = await reports.marked_down(since)
        cases = [case_of(one) for one in marked]
        written = None if file is None else await asyncio.to_thread(_add, file, cases)
        days = [one.at.date().isoformat() for one in marked]
        if as_json:
            shown = [
                {**case, "asked": day, **_reasons(one)} for one, case, day in zip(marked, cases, days, strict=True)
            ]
            print_json({"good": ratings.good, "bad": ratings.bad, "marked_down": shown, "added": written})
            return
        say(f"Good: {ratings.good}. Bad: {ratings.bad}.")
        for one, case, day in zip(marked, cases, days, strict=True):
            say(f"{day}  {one_line(case['text'])}  ({_basis(case['wrong'])})")
            for said in (*(fault.value.replace("_", " ") for fault in one.faults), *one.comments):
                say(f"            {one_line(said)}")
        if written is not None:
            say(f"Added to {file}: {written}. There already: {len(cases) - written}.")

    run_on_memory(settings, work)


def _add(file: Path, cases: Sequence[dict[str, Any]]) -> int:
    """Blocking. How many are new in the file."""
    from bot.cases import added

    there = file.read_text(encoding="utf-8") if file.exists() else ""
    text, count = added(there, cases)
    if count:
        file.write_text(text, encoding="utf-8")
    return count


def _reasons(marked: MarkedDown) -> dict[str, list[str]]:
    """Those that were given; nothing where nobody gave any."""
    given = {"reasons": [fault.value for fault in marked.faults], "comments": list(marked.comments)}
    return {name: said for name, said in given.items() if said}


def _basis(documents: Sequence[str]) -> str:
    return f"answered from {', '.join(map(one_line, documents))}" if documents else "declined"
