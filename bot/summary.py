"""Older turns in few words: written by a model after a reply, beside whatever comes next, and kept by the memory."""

from __future__ import annotations

import asyncio
import logging
import re
from typing import TYPE_CHECKING, Protocol

from bot.errors import CitewellError
from bot.trace import Trace
from memory.errors import MemoryUnavailable
from memory.replay import Exchange, overdue, room_for_summary
from memory.summary import Summary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory.conversation import Conversation
    from memory.store import Memory

_log = logging.getLogger(__name__)

_SENTENCE_END = re.compile(r"[.!?](?=\s)|[。！？؟।]")


class SummaryWriter(Protocol):
    """Puts what was said into few words."""

    @property
    def name(self) -> str:
        """The backend, as traces name it."""
        ...

    async def summary(self, earlier: str, exchanges: Sequence[Exchange]) -> str:
        """The summary so far, empty at first, with what was said since taken in. Raises CitewellError."""
        ...


class Summaries:
    """Has the older turns of conversations summarised, in one task a conversation, where there is a writer.

    Nobody waits for it, and where it fails nothing is kept: the older turns are then left out, as without a writer.
    """

    def __init__(self, writer: SummaryWriter | None, *, budget_tokens: int) -> None:
        self._writer = writer
        self._budget = budget_tokens
        self._running: dict[str, asyncio.Task[None]] = {}

    def grow(self, memory: Memory, conversation: Conversation) -> None:
        """Begin to take in what has become too old to be shown whole, unless that is under way. Returns at once."""
        key = conversation.key
        if self._writer is not None and key not in self._running:
            task = asyncio.create_task(self._grow(self._writer, memory, conversation))
            self._running[key] = task
            task.add_done_callback(lambda _: self._running.pop(key))

    async def settle(self) -> None:
        """Wait for all that is under way, as long as the writer's own patience."""
        await asyncio.gather(*self._running.values())

    async def _grow(self, writer: SummaryWriter, memory: Memory, conversation: Conversation) -> None:
        try:
            before = await memory.summary(conversation)
            turns = await memory.turns(conversation)
            older = overdue(turns, budget_tokens=self._budget, summary=before)
            if not older:
                return
            trace = Trace(older[-1].trace_id)
            with trace.stage("summary") as span:
                span.set(backend=writer.name, turns=len(older))
                exchanges = [Exchange(turn.standalone, turn.text) for turn in older]
                written = await writer.summary(before.text if before else "", exchanges)
                text = _cut(written, room_for_summary(self._budget))
                covers = (*(before.covers if before else ()), *(turn.trace_id for turn in older))
                kept = bool(text) and await memory.keep_summary(conversation, Summary(text, covers), instead_of=before)
                span.set(kept=kept)
        except (CitewellError, MemoryUnavailable) as error:
            _log.warning("older turns are left out, a summary failed: %s", error)
        except Exception as error:  # noqa: BLE001 - nobody awaits this, and a traceback may quote
            _log.error("a summary broke: %s", type(error).__name__)
        else:
            _log.info("summary %s", trace)


def _cut(text: str, most: int) -> str:
    """The whole sentences of it that fit; all of it where it fits."""
    if len(text) <= most:
        return text
    ends = [match.end() for match in _SENTENCE_END.finditer(text) if match.end() <= most]
    return text[: ends[-1]] if ends else ""
