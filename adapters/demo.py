"""`citewell demo`: a chat with the sample documents, in a terminal or line by line."""

from __future__ import annotations

import asyncio
import sys
import uuid
from contextlib import AsyncExitStack
from functools import partial
from typing import TYPE_CHECKING

import click

from adapters import samples
from adapters.app import utc_now
from adapters.console import answered, lines_of_stdin, message
from adapters.documents import fill_in, take_in
from adapters.filling import keep_filled
from adapters.signals import stopped_by_signal
from adapters.terminal import line_from, plain, say
from retrieval.document import PUBLIC

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from adapters.app import Application
    from adapters.settings import Settings
    from bot.messages import IncomingMessage

INTRODUCTION = """\
This is Citewell with the leaflets of a made-up clinic. Nothing you type leaves this machine.
Try: When is the flu clinic open?   then: And for children?   An empty line ends it.
From its tables: When does Harbour Street open on Friday?   or: How many MMR doses are left?
After an answer, + says that it was good and - that it was not.
"""
THUMBS = {"+": True, "-": False}


def demo_settings(settings: Settings) -> Settings:
    """The settings with a home of its own below the real one, and nothing that needs a key, a server or calibration."""
    without = dict.fromkeys(("anthropic_api_key", "voyage_api_key", "weaviate_url", "reranker"))
    own = {"home": settings.home / "demo", "host": "127.0.0.1", "thresholds": {}, "check_entailment": False}
    own["lookups"] = samples.tables()
    return settings.model_copy(update={**own, **without})


async def on_a_page(app: Application) -> None:
    """Take the samples in, then show the playground until stopped."""
    from adapters.pages import Pages

    await _take_samples(app)
    async with AsyncExitStack() as stack:
        stop = stack.enter_context(stopped_by_signal()).event
        pages = await Pages.of(app)
        address = pages.address(await pages.listen(stack))
        say(f"Open {address} in a browser. Nothing you type there leaves this machine. Ctrl-C ends it.")
        filling = asyncio.create_task(keep_filled(app, stop))
        await stop.wait()
        filling.cancel()
        await asyncio.gather(filling, return_exceptions=True)


async def chat(app: Application) -> None:
    """Take the samples in, then answer line after line as one conversation, until the input ends."""
    await _take_samples(app)
    on_terminal = sys.stdin.isatty()
    if on_terminal:
        say(INTRODUCTION)
    thread, last = uuid.uuid4().hex, ""
    lines = _typed() if on_terminal else lines_of_stdin()
    async for line in lines:
        if not line.strip():
            continue
        if not on_terminal:
            say(f"> {plain(line)}\n")
        asked = message(line, id_=uuid.uuid4().hex, thread=thread, at=utc_now())
        if line.strip() in THUMBS:
            say(f"{await _rated(app, asked, last, good=THUMBS[line.strip()])}\n")
            continue
        reply = await answered(asked, app.respond, app.engine.wording, end="\n\n")
        last = reply.trace_id if reply.kind.looked_up else last


async def _take_samples(app: Application) -> None:
    report = await take_in(app, [samples.documents()], collection=PUBLIC, prune=True)
    if report.failed:
        click.echo("Some sample documents could not be read; citewell ingest says why.", err=True)
    (await fill_in(app)).end_if_stopped()


async def _rated(app: Application, asked: IncomingMessage, last: str, *, good: bool) -> str:
    """What is said to a thumb for the answer whose trace this is."""
    noted = await app.engine.memories.durable.rate(
        last, place=asked.conversation.place, author=asked.author.id, good=good
    )
    return app.engine.wording.feedback.thanks if noted else app.engine.wording.feedback.gone


async def _typed() -> AsyncIterator[str]:
    """Lines with a prompt before each, until an empty one or the end of the input."""
    try:
        while line := await line_from(partial(input, "> ")):
            yield line
    except EOFError:
        say("")  # Ctrl-D leaves the cursor behind the prompt
