"""`citewell ingest`: documents into the index, then a sentence and a vector for each of their passages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from adapters.commands import checked_collection, json_option, print_json, run
from retrieval.document import PUBLIC
from retrieval.errors import RetrievalError

if TYPE_CHECKING:
    from adapters.app import Application
    from adapters.settings import Settings


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--collection",
    default=PUBLIC,
    show_default=True,
    callback=checked_collection,
    help="Put them into this collection.",
)
@click.option("--prune", is_flag=True, help="Remove what has vanished from the given folders.")
@click.option("--no-vectors", is_flag=True, help="For words alone; vectors can be filled in later.")
@click.option("--re-embed", is_flag=True, help="Drop the vectors of another model and make new ones.")
@click.option("--context", is_flag=True, help="Have Claude place each passage in its document; shows the cost, asks.")
@click.option("--yes", is_flag=True, help="Agree to that cost beforehand.")
@json_option
@click.pass_obj
def ingest(
    settings: Settings,
    paths: tuple[Path, ...],
    *,
    collection: str,
    prune: bool,
    no_vectors: bool,
    re_embed: bool,
    context: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Take documents into the index: files and folders of md, txt, html, pdf, docx, pptx, xlsx and csv.

    Unchanged files are skipped. Words can be searched as soon as a file is in; vectors follow, and if that is
    interrupted the next ingest or `citewell serve` goes on from there. Exits with 1 if a file could not be taken in.

    With --context, Claude writes a sentence for each passage of these files, taken in now or earlier, that has none
    yet. It helps searches to find the passage and is shown to nobody. Costs money; needs ANTHROPIC_API_KEY.
    """
    from adapters.documents import Filled, fill_in, print_report, report_json, say_what_waits, take_in
    from adapters.placing import check_that_it_may_ask, place

    if context:
        check_that_it_may_ask(settings, yes=yes)

    async def work(app: Application) -> None:
        report = await take_in(app, paths, collection=collection, prune=prune)
        if not as_json:
            print_report(report)
        placed = await place(app, report, yes=yes) if context and not report.stopped else None
        failure = placed.failure if placed else None
        filled = Filled(await app.index.status(), placed.stopped_by if placed else None)
        if not (no_vectors or report.stopped or filled.stopped_by):
            try:
                filled = await fill_in(app)
            except RetrievalError as error:  # what is taken in stays, and is reported first
                filled, failure = Filled(await app.index.status()), failure or error
        if as_json:
            print_json(report_json(report, filled.status, placed))
        say_what_waits(filled)
        filled.end_if_stopped()
        if failure is not None:
            raise failure
        if report.failed:
            raise SystemExit(1)

    run(settings, work, re_embed=re_embed)
