"""`citewell forget`: delete a conversation, a person, what is old, or everything that was said."""

from __future__ import annotations

import sys
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from adapters.commands import json_option, print_json, run_on_memory, utc_day
from adapters.terminal import say

if TYPE_CHECKING:
    from adapters.forgetting import Forgotten
    from adapters.settings import Settings
    from memory.conversation import Conversation
    from memory.file import MemoryFile

_END_OF_TIME = datetime.max.replace(tzinfo=UTC)


@click.command()
@click.option("--conversation", metavar="K", help="This conversation: a name given to `ask`, or a whole id.")
@click.option("--person", metavar="ID", help="What this person asked, by their id on the platform.")
@click.option("--platform", metavar="NAME", help="With --person: on this platform only (slack, console).")
@click.option("--tenant", metavar="ID", help="With --person: in this Slack workspace or Teams tenant only.")
@click.option(
    "--before",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="YYYY-MM-DD",
    callback=utc_day,
    help="What is older than this day (UTC).",
)
@click.option("--all", "everything", is_flag=True, help="Everything that was ever said.")
@click.option("--yes", is_flag=True, help="Do not ask first.")
@json_option
@click.pass_obj
def forget(
    settings: Settings,
    *,
    conversation: str | None,
    person: str | None,
    platform: str | None,
    tenant: str | None,
    before: datetime | None,
    everything: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Delete what was said: turns with their answers, sources, ratings and summaries, and messages that wait.

    Name a conversation, a person, both (that person there), a day, or --all. What is deleted is overwritten in the
    file. The index of documents is left alone, and so are messages on the platforms themselves.
    """
    _check(conversation, person, platform, tenant, before, everything=everything)
    if not yes:
        _ask_first()

    async def work(file: MemoryFile) -> None:
        from adapters.forgetting import Forgetter
        from memory.inbox import SqliteInbox
        from memory.sqlite import SqliteMemory

        forgetter = Forgetter((SqliteMemory(file),), SqliteInbox(file))
        if conversation is not None or person is not None:
            where = None if conversation is None else _conversation(conversation)
            gone = await forgetter.matching(conversation=where, author=person, platform=platform, tenant=tenant)
        else:
            gone = await forgetter.before(before or _END_OF_TIME)
        _report(gone, as_json=as_json)
        if not await file.scrub():
            click.echo(
                f"Another program was reading: copies may stay in {file.path}-wal until it writes; run this again.",
                err=True,
            )

    run_on_memory(settings, work)


def _check(
    conversation: str | None,
    person: str | None,
    platform: str | None,
    tenant: str | None,
    before: datetime | None,
    *,
    everything: bool,
) -> None:
    """Bad use unless it is clear what to delete: one kind of thing, as wide or narrow as it was meant."""
    named = [conversation is not None or person is not None, before is not None, everything]
    if sum(named) != 1:
        raise click.UsageError("say what to delete: --conversation, --person (or both), --before, or --all.")
    if (platform is not None or tenant is not None) and person is None:
        raise click.UsageError("--platform and --tenant go with --person.")
    if "" in {conversation, person, platform, tenant}:
        raise click.UsageError("an empty name matches nothing: give one, or leave the option out.")


def _ask_first() -> None:
    if not sys.stdin.isatty():
        raise click.UsageError("it asks before it deletes; where nobody can answer, add --yes.")
    click.confirm("What is deleted cannot be brought back. Go on?", abort=True, err=True)


def _conversation(given: str) -> Conversation:
    """The one whose whole id this is, else the one that `ask --conversation` calls so."""
    from adapters.console import conversation
    from memory.conversation import Conversation

    try:
        return Conversation.parse(given)
    except ValueError:
        return conversation(given)


def _report(gone: Forgotten, *, as_json: bool) -> None:
    if as_json:
        print_json(asdict(gone))
    else:
        say(f"Deleted: {gone.turns} turns, and {gone.waiting} messages that waited for an answer.")
