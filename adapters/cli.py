"""The `citewell` command: the product's hands. Results go to stdout, progress and faults to stderr.

Every command that reports has `--json`. It exits with 0, or 1 where it could not, or 2 for bad use.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
import uuid
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adapters.console import lines_of_stdin
from adapters.settings import Settings
from bot.errors import CitewellError
from memory.errors import MemoryUnavailable
from retrieval.document import PUBLIC
from retrieval.errors import RetrievalError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator

    from adapters.app import Application
    from retrieval.evidence import Evidence, Hit

LINES = "-"
"""Given for a question, it means one question a line of standard input."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="citewell")
@click.pass_context
def main(context: click.Context) -> None:
    """Answers a health organisation's questions from its own documents, with sources."""
    if context.invoked_subcommand != "assess":
        with faults():
            context.obj = Settings.load()
            _log(context.obj)


@main.command()
@click.argument("question")
@click.option("--conversation", metavar="K", help="Go on with the conversation of this name.")
@click.option("--guest", is_flag=True, help="Ask as an outside person: public collections, nothing written down.")
@click.option("--country", metavar="GB", help="Where the person is, for crisis lines.")
@json_option
@click.pass_obj
def ask(
    settings: Settings, question: str, *, conversation: str | None, guest: bool, country: str | None, as_json: bool
) -> None:
    """Answer QUESTION from the documents; `-` answers each line of standard input with a JSON object."""
    from adapters.app import utc_now
    from adapters.console import message, rendered

    async def answer(app: Application, text: str) -> None:
        incoming = message(
            text,
            id_=uuid.uuid4().hex,
            thread=conversation or uuid.uuid4().hex,
            at=utc_now(),
            guest=guest,
            country=country.upper() if country else None,
        )
        reply = await app.engine.respond(incoming)
        if as_json or question == LINES:
            _print_json(reply.as_json(), line=question == LINES)
        else:
            click.echo(rendered(reply, app.engine.wording))

    run(settings, partial(_each, question, answer))


@main.command()
@click.argument("query")
@click.option("--k", default=10, show_default=True, type=click.IntRange(1, 1000), help="So many passages.")
@click.option("--collection", "collections", multiple=True, help="Search this collection only; may be repeated.")
@click.option("--no-hyde", is_flag=True, help="Without a made-up passage to help the search.")
@click.option("--no-hybrid", is_flag=True, help="By words alone.")
@click.option("--no-rerank", is_flag=True, help="In the order of the search.")
@click.option("--no-grade", is_flag=True, help="Without judging the evidence.")
@json_option
@click.pass_obj
def search(
    settings: Settings, /, query: str, *, k: int, collections: tuple[str, ...], as_json: bool, **without: bool
) -> None:
    """Search the index for QUERY, without an answer; `-` takes each line of standard input."""
    from retrieval.evidence import Query
    from retrieval.search import PipelineSettings

    pipeline = PipelineSettings(**{name.removeprefix("no_"): not off for name, off in without.items()})

    async def find(app: Application, text: str) -> None:
        evidence = await app.searcher.search(
            Query(text, text), k=k, collections=frozenset(collections) or None, pipeline=pipeline
        )
        if as_json or query == LINES:
            _print_json(_evidence_json(evidence), line=query == LINES)
        else:
            _print_evidence(evidence)

    run(settings, partial(_each, query, find))


@main.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--collection", default=PUBLIC, show_default=True, help="Put them into this collection.")
@click.option("--prune", is_flag=True, help="Remove what has vanished from the given folders.")
@click.option("--no-vectors", is_flag=True, help="For words alone; vectors can be filled in later.")
@click.option("--re-embed", is_flag=True, help="Drop the vectors of another model and make new ones.")
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
    as_json: bool,
) -> None:
    """Take documents into the index: files and folders of md, txt, html, pdf, docx, pptx, xlsx and csv.

    Unchanged files are skipped. Words can be searched as soon as a file is in; vectors follow, and if that is
    interrupted the next ingest or `citewell serve` goes on from there. Exits with 1 if a file could not be taken in.
    """
    from adapters.documents import fill_in, print_report, report_json, take_in

    async def work(app: Application) -> None:
        report = await take_in(app, paths, collection=collection, prune=prune)
        if not as_json:
            print_report(report)
        status = await app.index.status() if no_vectors else await fill_in(app)
        if as_json:
            _print_json(report_json(report, status), line=False)
        elif status.embedded < status.passages:
            waiting = f"{status.passages - status.embedded} of {status.passages} passages"
            click.echo(
                f"{waiting} are found by words alone so far; ingest again or serve to fill in the rest.", err=True
            )
        if report.failed:
            raise SystemExit(1)

    run(settings, work, re_embed=re_embed)


@main.command()
@click.pass_obj
def demo(settings: Settings) -> None:
    """Chat with the sample documents of a made-up clinic: no keys, no servers, nothing leaves this machine.

    With standard input not a terminal, answers one question a line and ends.
    """
    from adapters.demo import chat, demo_settings

    run(demo_settings(settings), chat)


@main.command()
@click.pass_obj
def serve(settings: Settings) -> None:
    """Answer on every platform that is configured, until stopped."""
    from adapters.serve import serve as serve_app

    run(settings, partial(serve_app, say=partial(click.echo, err=True)))


@main.command()
@json_option
def assess(*, as_json: bool) -> None:
    """Say what the safety gate makes of each line of standard input: a verdict and the rule that gave it."""
    from bot.safety import Clear, Mention, SelfHarm, Violence
    from bot.safety import assess as assess_text

    names = {Clear: "clear", Mention: "mention", SelfHarm: "self_harm", Violence: "violence"}
    for line in sys.stdin:
        verdict = assess_text(line.rstrip("\r\n"))
        row = {"verdict": names[type(verdict)], "rule": verdict.rule}
        click.echo(json.dumps(row) if as_json else f"{row['verdict']}\t{row['rule']}")


def run(settings: Settings, work: Callable[[Application], Coroutine[Any, Any, None]], **build_with: Any) -> None:
    """Build the application, do the work, close it; what an operator has to mend ends with exit code 1."""

    async def whole() -> None:
        from adapters.app import build

        async with await build(settings, **build_with) as app:
            await work(app)

    with faults():
        asyncio.run(whole())


@contextmanager
def faults() -> Iterator[None]:
    """Print what an operator has to mend and exit with 1; nothing else of an error is shown."""
    try:
        yield
    except (CitewellError, RetrievalError, MemoryUnavailable) as error:
        click.echo(f"citewell: {error}", err=True)
        raise SystemExit(1) from None


async def _each(given: str, work: Callable[[Application, str], Coroutine[Any, Any, None]], app: Application) -> None:
    if given != LINES:
        await work(app, given)
        return
    async for line in lines_of_stdin():
        await work(app, line)


def _print_json(value: dict[str, Any], *, line: bool) -> None:
    click.echo(json.dumps(value, ensure_ascii=False, indent=None if line else 2))


def _evidence_json(evidence: Evidence) -> dict[str, Any]:
    return {
        "grade": evidence.grade.value,
        "best": evidence.best,
        "hits": [_hit_json(hit) for hit in evidence.hits],
        "stages": [
            {"stage": s.name, "backend": s.backend, "ms": round(s.milliseconds, 2), "degraded": s.degraded}
            for s in evidence.stages
        ],
    }


def _hit_json(hit: Hit) -> dict[str, Any]:
    return {
        "id": hit.passage.id,
        "document": hit.document.id,
        "title": hit.document.title,
        "url": hit.document.url,
        "path": hit.document.path,
        "collection": hit.document.collection,
        "locator": hit.locator,
        "page": hit.passage.page,
        "headings": list(hit.passage.headings),
        "text": hit.passage.text,
        "score": hit.score,
        "cosine": hit.cosine,
        "found_by": list(hit.found_by),
        "rank": hit.rank,
        "rank_before_rerank": hit.rank_before_rerank,
        "keyword_rank": hit.keyword_rank,
        "vector_rank": hit.vector_rank,
    }


def _print_evidence(evidence: Evidence) -> None:
    click.echo(f"{evidence.grade.value} ({evidence.best:.2f})")
    for hit in evidence.hits:
        found = " + ".join(
            f"{name} {rank}" for name, rank in (("words", hit.keyword_rank), ("meaning", hit.vector_rank)) if rank
        )
        where = " · ".join(part for part in (hit.document.title, hit.locator) if part)
        start = " ".join(hit.passage.text.split())
        click.echo(f"\n{hit.rank:>3}. {where}  [{found}]\n     {start[:160]}{'…' if len(start) > 160 else ''}")


def _log(settings: Settings) -> None:
    logging.basicConfig(level=settings.log_level, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    for sdk in ("anthropic", "httpx", "httpcore", "httpx2", "httpcore2", "grpc", "slack_bolt", "slack_sdk", "aiohttp"):
        logging.getLogger(sdk).setLevel(logging.WARNING)  # below that they log bodies, with people's words
