"""A terminal as a platform: messages from lines, replies as text."""

from __future__ import annotations

import asyncio
import sys
import textwrap
from typing import TYPE_CHECKING

from bot.messages import Author, IncomingMessage, Reply, Resource, Source, TurnKind
from memory.conversation import Conversation

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from datetime import datetime

    from bot.wording import Wording

PLATFORM = "console"
_QUOTE_LENGTH = 300


async def lines_of_stdin() -> AsyncIterator[str]:
    """Standard input line by line, off the event loop, empty lines too, without their ends."""
    while line := await asyncio.to_thread(sys.stdin.readline):
        yield line.rstrip("\r\n")


def message(
    text: str, *, id_: str, thread: str, at: datetime, guest: bool = False, country: str | None = None
) -> IncomingMessage:
    """A line typed here, in the conversation `thread`."""
    author = Author("local", guest=guest, country=country)
    return IncomingMessage(id_, Conversation(PLATFORM, "local", "terminal", thread), author, text, at)


def rendered(reply: Reply, wording: Wording, *, width: int = 88) -> str:
    """The reply as a terminal shows it: the text, then what stands outside it."""
    parts = [_filled(reply.text.replace("**", ""), width)]
    if reply.resources and reply.kind is not TurnKind.CRISIS:
        parts.append("\n".join([wording.crisis.mention, *(f"  {_line(one)}" for one in reply.resources)]))
    if reply.sources:
        parts.append("\n".join(_source(source, wording, width) for source in reply.sources))
    if reply.confidence is not None:
        parts.append(wording.confidence.of(reply.confidence))
    return "\n\n".join(parts)


def _filled(text: str, width: int) -> str:
    lines = (
        textwrap.fill(line, width, subsequent_indent="  " if line.startswith("- ") else "", break_on_hyphens=False)
        for line in text.splitlines()
    )
    return "\n".join(lines)


def _source(source: Source, wording: Wording, width: int) -> str:
    where = " · ".join(part for part in (source.title, source.locator, wording.sources.found(source.found_by)) if part)
    quote = textwrap.shorten(source.quote, _QUOTE_LENGTH, placeholder=" …")
    lines = [
        f"[{source.n}] {where}",
        textwrap.fill(f"“{quote}”", width, initial_indent="    ", subsequent_indent="    "),
    ]
    return "\n".join([*lines, *([f"    {source.url}"] if source.url else [])])


def _line(resource: Resource) -> str:
    return " · ".join(
        part for part in (resource.name, resource.phone, resource.text, resource.url, resource.hours) if part
    )
