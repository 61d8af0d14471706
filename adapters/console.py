"""A terminal as a platform: messages from lines, replies as text."""

from __future__ import annotations

import re
import sys
import textwrap
from typing import TYPE_CHECKING

from adapters.terminal import line_from, one_line, plain
from bot.messages import Author, IncomingMessage, Reply, Resource, Source, TurnKind
from memory.conversation import Conversation

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from datetime import datetime

    from bot.wording import Wording
    from retrieval.evidence import Evidence, Hit, Stage

PLATFORM = "console"
_QUOTE_LENGTH = 300
_REPEATED_LENGTH = 160
"""So much is enough of a quote that can be read in the answer above it, and of a passage in a list."""
_MARKER = re.compile(r"\[\d+\]")
_WORD = re.compile(r"[^\W_]+")


async def lines_of_stdin() -> AsyncIterator[str]:
    """Standard input line by line, off the event loop, empty lines too, without their ends."""
    while line := await line_from(sys.stdin.readline):
        yield line.rstrip("\r\n")


def message(
    text: str, *, id_: str, thread: str, at: datetime, guest: bool = False, country: str | None = None
) -> IncomingMessage:
    """A line typed here, in the conversation `thread`."""
    author = Author("local", guest=guest, country=country)
    return IncomingMessage(id_, Conversation(PLATFORM, "local", "terminal", thread), author, text, at)


def rendered(reply: Reply, wording: Wording, *, width: int = 88) -> str:
    """The reply as a terminal of so many columns shows it: the text, then what stands outside it.

    Quotes are cut, and more so where the answer has their words already; a reply that is all sources has them whole.
    """
    parts = [_filled(plain(reply.text).replace("**", ""), width)]
    if reply.resources and reply.kind is not TurnKind.CRISIS:
        parts.append("\n".join([wording.crisis.mention, *(f"  {_line(one)}" for one in reply.resources)]))
    if reply.sources:
        parts.append("\n".join(_source(source, reply, wording, width) for source in reply.sources))
    if reply.confidence is not None:
        parts.append(wording.confidence.of(reply.confidence))
    return "\n\n".join(parts)


def listed(evidence: Evidence) -> str:
    """What a search found and which backends found it, with a title and a beginning for each passage."""
    judged = not evidence.hits or any(stage.name == "grade" for stage in evidence.stages)
    verdict = f"{evidence.grade.value} ({evidence.best:.2f})" if judged else "not graded"
    head = " · ".join([verdict, *map(_ran, evidence.stages)])
    return "\n\n".join([head, *(_hit(hit) for hit in evidence.hits)])


def _filled(text: str, width: int) -> str:
    lines = (
        textwrap.fill(line, width, subsequent_indent="  " if line.startswith("- ") else "", break_on_hyphens=False)
        for line in text.splitlines()
    )
    return "\n".join(lines)


def _source(source: Source, reply: Reply, wording: Wording, width: int) -> str:
    found = wording.sources.found(source.found_by)
    named = one_line(source.title), one_line(source.locator), found, wording.mark(source)
    where = " · ".join(part for part in named if part)
    lines = [
        textwrap.fill(f"[{source.n}] {where}", width, subsequent_indent="    "),
        textwrap.fill(f"“{_quote(source, reply)}”", width, initial_indent="    ", subsequent_indent="    "),
    ]
    return "\n".join([*lines, *([f"    {one_line(source.url)}"] if source.url else [])])


def _quote(source: Source, reply: Reply) -> str:
    quote = one_line(source.quote)
    if reply.kind is TurnKind.COURTESY:
        return quote
    repeated = _words(quote) in _words(reply.text)
    return textwrap.shorten(quote, _REPEATED_LENGTH if repeated else _QUOTE_LENGTH, placeholder=" …")


def _words(text: str) -> str:
    """The words alone with a blank around each, so that one run of words can be looked for in another."""
    words = _WORD.findall(_MARKER.sub(" ", text.casefold()))
    return f" {' '.join(words)} "


def _line(resource: Resource) -> str:
    return " · ".join(
        part for part in (resource.name, resource.phone, resource.text, resource.url, resource.hours) if part
    )


def _ran(stage: Stage) -> str:
    return f"{stage.name} {stage.backend}" + (f" ({stage.degraded})" if stage.degraded else "")


def _hit(hit: Hit) -> str:
    found = " + ".join(
        f"{name} {rank}" for name, rank in (("words", hit.keyword_rank), ("meaning", hit.vector_rank)) if rank
    )
    moved = f", before reranking {hit.rank_before_rerank}" if hit.rank_before_rerank != hit.rank else ""
    where = " · ".join(part for part in (one_line(hit.document.title), one_line(hit.locator)) if part)
    start = one_line(hit.passage.text)
    cut = f"{start[:_REPEATED_LENGTH]}…" if len(start) > _REPEATED_LENGTH else start
    return f"{hit.rank:>3}. {where}  [{found}{moved}]\n     {cut}"
