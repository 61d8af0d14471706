"""`citewell lookups`: what is declared, and one question to it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import click

from adapters.commands import json_option, print_json
from adapters.terminal import one_line, say, well_formed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.settings import Settings
    from bot.lookup import Lookup


@click.command()
@click.argument("question", required=False)
@click.option("--person", metavar="ID", default="local", help="Ask as the member of this platform's id.")
@json_option
@click.pass_obj
def lookups(settings: Settings, question: str | None, *, person: str, as_json: bool) -> None:
    """List the tables, services and functions that answers come from, and what is wrong with them; with QUESTION, ask
    them that.

    No document is searched, no model asked, and nothing remembered. Every collection is open here.
    """
    asyncio.run(_shown(settings, question, person, as_json=as_json))


async def _shown(settings: Settings, question: str | None, person: str, *, as_json: bool) -> None:
    from adapters.app import utc_now
    from adapters.lookups.opened import Opened
    from adapters.settings import environment

    secrets = await asyncio.to_thread(environment)
    home = settings.home.expanduser()
    opened = await Opened.of(settings.lookups, home, today=lambda: utc_now().date(), variables=secrets)
    try:
        if question is not None:
            await _asked(opened.all, well_formed(question), person, settings, as_json=as_json)
            return
        kinds = {name: said.kind for name, said in settings.lookups.items()}
        rows = [await asyncio.to_thread(_row, one, kinds[one.card.name]) for one in opened.all]
        if as_json:
            print_json({"lookups": rows})
        elif not rows:
            click.echo("There are no look-ups: docs/lookups.md says how to declare one.", err=True)
        for row in () if as_json else rows:
            keys = ", ".join([*row["keys"], *(["the person's own rows"] if row["personal"] else [])])
            by = f"by {keys}; " if keys else ""
            state = row["fault"] or f"{row['values']} values of keys"
            say(f"{row['name']} ({row['kind']}): {one_line(row['answers'])}")
            say(f"  {by}for {', '.join(row['collections'])}; {state}")
        if any(row["fault"] for row in rows):
            raise SystemExit(1)
    finally:
        opened.close()


async def _asked(lookups: Sequence[Lookup], question: str, person: str, settings: Settings, *, as_json: bool) -> None:
    from datetime import UTC, datetime

    from adapters.console import conversation
    from bot.lookup import Registry
    from bot.lookup_outcome import Asked, Given
    from bot.lookups import Lookups
    from bot.messages import Author
    from bot.trace import Span
    from bot.wording import wording

    asked = Asked(question, question, Author(person), conversation("lookups"))
    span = Span("lookup")
    looking = Lookups(Registry(lookups), wording(settings.language))
    outcome = await looking.ask(asked, collections=None, today=datetime.now(UTC).date(), span=span)
    kind = type(outcome).__name__ if outcome else "none"
    if as_json:
        sources = outcome.sources if isinstance(outcome, Given) else ()
        found = [{"id": one.id, "title": one.title, "locator": one.locator, "quote": one.quote} for one in sources]
        print_json({"outcome": kind, "text": outcome.text if outcome else "", "sources": found} | span.attributes)
        return
    say(outcome.text if outcome else "That is no question for a look-up: documents would be searched.")
    for source in outcome.sources if isinstance(outcome, Given) else ():
        where = " · ".join(filter(None, [one_line(source.title), one_line(source.locator)]))
        say(f"[{source.n}] {where}\n    {one_line(source.quote)}")


def _row(lookup: Lookup, kind: str) -> dict[str, Any]:
    from bot.lookup import LookupFailed

    fault, values = "", 0
    try:
        values = sum(len(index.values) for index in lookup.vocabulary().keys.values())
    except LookupFailed as error:
        fault = str(error)
    card = lookup.card
    return {
        "name": card.name,
        "kind": kind,
        "answers": card.answers,
        "title": card.title,
        "keys": list(card.keys),
        "columns": list(card.columns),
        "collections": sorted(card.collections),
        "personal": card.personal,
        "values": values,
        "fault": fault,
    }
