"""`citewell gaps`: what people asked and the documents lack."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from adapters.commands import json_option, print_json, run_on_memory, since_option
from adapters.terminal import one_line, say

if TYPE_CHECKING:
    from datetime import datetime

    from adapters.settings import Settings
    from bot.gaps import Gap
    from memory.file import MemoryFile


@click.command()
@since_option
@click.option("--limit", default=20, show_default=True, type=click.IntRange(min=1), help="So many at most.")
@json_option
@click.pass_obj
def gaps(settings: Settings, *, since: datetime | None, limit: int, as_json: bool) -> None:
    """Show what people asked and the documents do not have, near questions together, the most frequent first.

    Nothing tells who asked or where: no names, ids or conversations, and e-mail addresses, mentions and long numbers in
    a question are hidden. Guests' questions are not among them, as they are not written down.
    """

    async def work(file: MemoryFile) -> None:
        from bot.gaps import gaps as found_in
        from memory.reports import Reports

        declined = await Reports(file).declined(since)
        found = found_in(declined)
        if as_json:
            print_json({"questions": len(declined), "of": len(found), "gaps": [_json(gap) for gap in found[:limit]]})
        else:
            say(_listed(found, limit))

    run_on_memory(settings, work)


def _json(gap: Gap) -> dict[str, object]:
    """Days, not moments: a moment may tell who it was."""
    return {
        "question": gap.question,
        "times": gap.times,
        "first": gap.first.date().isoformat(),
        "last": gap.last.date().isoformat(),
    }


def _listed(found: list[Gap], limit: int) -> str:
    if not found:
        return "Nothing was asked that the documents lack."
    lines = [f"{gap.times:>4} x  {gap.last.date().isoformat()}  {one_line(gap.question)}" for gap in found[:limit]]
    more = [f"and {len(found) - limit} more (--limit)"] if len(found) > limit else []
    return "\n".join(["times  last asked  question", *lines, *more])
