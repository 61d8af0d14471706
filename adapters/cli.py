"""The `citewell` command: the product's hands. Results go to stdout, progress and faults to stderr.

Every command that reports has `--json`. It exits with 0, or 1 where it could not, 2 for bad use, 130 after Ctrl-C.
"""

from __future__ import annotations

import json
import logging
import re
import sys
import uuid
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from adapters.backup import backup, restore
from adapters.commands import checked_collection, json_option, print_json, run
from adapters.config_view import config
from adapters.console import lines_of_stdin
from adapters.doctor.command import doctor
from adapters.evaluation import calibrate, evaluate
from adapters.faults import Guarded
from adapters.feedback import feedback
from adapters.forget import forget
from adapters.gaps import gaps
from adapters.home_settings import warn_of_former_name
from adapters.ingestion import ingest
from adapters.lookups.command import lookups
from adapters.settings import Settings
from adapters.teams_package import teams_package
from adapters.terminal import be_lenient, one_line, say, well_formed
from adapters.trace_view import traces
from bot.messages import TurnKind
from retrieval.errors import RetrievalError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable

    from adapters.app import Application

LINES = "-"
"""Given for a question, it means one question a line of standard input."""


def _country(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    if value is not None and not re.fullmatch("[A-Za-z]{2}", value):
        raise click.BadParameter("a country is two letters, such as GB, IE or US.")
    return value.upper() if value else None


def _text(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    return value if value is None else well_formed(value)


def _collections(context: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(checked_collection(context, param, name) for name in value)


@click.group(cls=Guarded, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="citewell")
@click.pass_context
def main(context: click.Context) -> None:
    """Answers a health organisation's questions from its own documents, with sources."""
    be_lenient()
    if context.invoked_subcommand != "assess":
        context.obj = Settings.load()
        _log(context.obj)
        warn_of_former_name(context.obj.home)


@main.command()
@click.argument("question", callback=_text)
@click.option("--conversation", metavar="K", callback=_text, help="Go on with the conversation of this name.")
@click.option("--guest", is_flag=True, help="Ask as an outside person: public collections, nothing written down.")
@click.option("--country", metavar="GB", callback=_country, help="Where the person is, for crisis lines.")
@json_option
@click.pass_obj
def ask(
    settings: Settings, question: str, *, conversation: str | None, guest: bool, country: str | None, as_json: bool
) -> None:
    """Answer QUESTION from the documents; `-` answers each line of standard input with a JSON object."""
    from adapters.app import utc_now
    from adapters.console import answered, message

    failed = False

    async def answer(app: Application, text: str) -> None:
        nonlocal failed
        incoming = message(
            text,
            id_=uuid.uuid4().hex,
            thread=conversation or uuid.uuid4().hex,
            at=utc_now(),
            guest=guest,
            country=country,
        )
        if as_json or question == LINES:
            reply = await app.respond(incoming)
            print_json(reply.as_json(), line=question == LINES)
        else:
            reply = await answered(incoming, app.respond, app.engine.wording)
        failed = failed or reply.kind is TurnKind.ERROR

    run(settings, partial(_each, question, answer), needs_index=False)
    if failed:
        raise SystemExit(1)


@main.command()
@click.argument("query", callback=_text)
@click.option("--k", default=10, show_default=True, type=click.IntRange(1, 1000), help="So many passages.")
@click.option(
    "--collection",
    "collections",
    multiple=True,
    callback=_collections,
    help="Search this collection only; may be repeated.",
)
@click.option("--no-hyde", is_flag=True, help="Without a made-up passage to help the search.")
@click.option("--no-hybrid", is_flag=True, help="By words alone.")
@click.option("--no-rerank", is_flag=True, help="In the order of the search.")
@click.option("--no-grade", is_flag=True, help="Without judging the evidence.")
@click.option("--no-context", is_flag=True, help="Words in titles and texts alone, not in headings and contexts.")
@json_option
@click.pass_obj
def search(
    settings: Settings, /, query: str, *, k: int, collections: tuple[str, ...], as_json: bool, **without: bool
) -> None:
    """Search the index for QUERY, without an answer; `-` takes each line of standard input."""
    from adapters.console import listed
    from retrieval.evidence import Query

    pipeline = replace(settings.pipeline, **{name.removeprefix("no_"): False for name, off in without.items() if off})

    async def find(app: Application, text: str) -> None:
        evidence = await app.searcher.search(
            Query(text, text), k=k, collections=frozenset(collections) or None, pipeline=pipeline
        )
        if as_json or query == LINES:
            print_json(evidence.as_json(), line=query == LINES)
        else:
            say(listed(evidence))

    async def work(app: Application) -> None:
        await _say_what_is_missing(app, collections)
        await _each(query, find, app)

    run(settings, work)


@main.command()
@click.option("--web", is_flag=True, help="On a page in the browser, where each turn can be looked into.")
@click.pass_obj
def demo(settings: Settings, *, web: bool) -> None:
    """Chat with the sample documents of a made-up clinic: no keys, no servers, nothing leaves this machine.

    With standard input not a terminal, answers one question a line and ends.
    """
    from adapters.demo import chat, demo_settings, on_a_page

    run(demo_settings(settings), on_a_page if web else chat)


@main.command()
@click.option("--local", is_flag=True, help="Also answer Microsoft's playground for Teams, on this machine alone.")
@click.pass_obj
def serve(settings: Settings, *, local: bool) -> None:
    """Answer on every platform that is configured, until stopped."""
    from adapters.serve import serve as serve_app

    run(settings, partial(serve_app, say=partial(click.echo, err=True), local=local), needs_index=False)


@main.command()
@click.option("--without-meaning", is_flag=True, help="Rules and classifier alone, which are quicker.")
@json_option
def assess(*, without_meaning: bool, as_json: bool) -> None:
    """Say what the safety gate makes of each line of standard input: a verdict and the rule that gave it."""
    from bot.safety import Clear, Mention, SelfHarm, Violence, graver
    from bot.safety import assess as assess_text
    from bot.safety_meaning import MeaningLayer

    names = {Clear: "clear", Mention: "mention", SelfHarm: "self_harm", Violence: "violence"}
    meaning = None if without_meaning else MeaningLayer()
    for line in sys.stdin:
        text = line.rstrip("\r\n")
        verdict = assess_text(text)
        if meaning and isinstance(verdict, Clear | Mention):
            try:
                verdict = graver(verdict, meaning(text))
            except (RetrievalError, OSError, ValueError) as error:
                click.echo(f"Without a look at the meaning: {error}", err=True)
                meaning = None
        row = {"verdict": names[type(verdict)], "rule": verdict.rule}
        say(json.dumps(row) if as_json else f"{row['verdict']}\t{row['rule']}")


for command in (
    *(ingest, evaluate, calibrate, gaps, feedback, forget, teams_package),
    *(traces, doctor, config, backup, restore, lookups),
):
    main.add_command(command)


async def _each(given: str, work: Callable[[Application, str], Coroutine[Any, Any, None]], app: Application) -> None:
    if given != LINES:
        await work(app, given)
        return
    async for line in lines_of_stdin():
        await work(app, line)


async def _say_what_is_missing(app: Application, collections: Iterable[str]) -> None:
    """On stderr, why a search has nowhere to look."""
    status = await app.index.status()
    if not status.documents:
        click.echo("There are no documents yet: citewell ingest takes some in.", err=True)
    elif unknown := sorted(set(collections) - set(status.collections)):
        there = ", ".join(one_line(name) for name in sorted(status.collections))
        click.echo(f"There is no collection {', '.join(unknown)}. There are: {there}.", err=True)


def _log(settings: Settings) -> None:
    logging.basicConfig(level=settings.log_level, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    sdks = (
        "aiohttp",
        "anthropic",
        "grpc",
        "httpcore",
        "httpcore2",
        "httpx",
        "httpx2",
        "slack_bolt",
        "slack_sdk",
        "voyage",
    )
    for sdk in sdks:
        logging.getLogger(sdk).setLevel(logging.WARNING)  # below that they log bodies, with people's words
