"""A terminal as a platform: messages from lines, replies as text."""

from __future__ import annotations

import re
import sys
import textwrap
from functools import partial
from typing import TYPE_CHECKING

from adapters.terminal import line_from, log_held_back, on_terminal, one_line, plain, say, width
from bot.messages import Author, IncomingMessage, Reply, Resource, Source, TurnKind
from memory.conversation import Conversation

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from datetime import datetime

    from bot.messages import Respond
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
    return IncomingMessage(id_, conversation(thread), author, text, at)


def conversation(thread: str) -> Conversation:
    """The one of this name."""
    return Conversation(PLATFORM, "local", "terminal", thread)


async def answered(asked: IncomingMessage, respond: Respond, wording: Wording, *, end: str = "\n") -> Reply:
    """Print the reply to a message: to a terminal sentence by sentence as they pass their check, else at once."""
    unfolding = Unfolding(wording, partial(say, end=""), width=width())
    if not on_terminal():
        reply = await respond(asked)
        say(unfolding.rest(reply), end=end)
        return reply
    with log_held_back():
        reply = await respond(asked, unfolding.show)
        say(unfolding.rest(reply), end=end)
    return reply


class Unfolding:
    """An answer on a terminal of so many columns while it comes to stand; `write` takes text without a line's end.

    The screen then reads as `rendered` says, but for line breaks, each sentence once. Where the reply does not go on
    from what was shown, a line under that says so, and the reply stands whole below.
    """

    def __init__(self, wording: Wording, write: Callable[[str], None], *, width: int) -> None:
        self._wording = wording
        self._write = write
        self._width = width
        self._written = ""

    def show(self, text: str) -> None:
        """Write what is new of the beginning of an answer."""
        shown = _running(text, self._width)
        if shown.startswith(self._written):
            self._write(shown[len(self._written) :])
            self._written = shown

    def rest(self, reply: Reply) -> str:
        """What is still to be written."""
        whole = rendered(reply, self._wording, width=self._width)
        if shown := re.match(r"\s+".join(map(re.escape, re.split(r"\s+", self._written))), whole):
            return whole[shown.end() :]
        words = self._wording.answer
        return "\n\n".join(["", words.anew if reply.kind is TurnKind.FACT else words.withdrawn, whole])


def rendered(reply: Reply, wording: Wording, *, width: int = 88) -> str:
    """The reply as a terminal of so many columns shows it: the text, then what stands outside it.

    Quotes are cut, and more so where the answer has their words already; a reply that is all sources has them whole.
    """
    parts = [_running(reply.text, width)]
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


def _running(text: str, width: int) -> str:
    """An answer's text in lines. Of a beginning of it that ends with a word, this is a beginning too."""
    lines = (
        textwrap.fill(line, width, subsequent_indent="  " if line.startswith("- ") else "", break_on_hyphens=False)
        for line in plain(text).replace("**", "").splitlines()
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
