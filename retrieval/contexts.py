"""Has a model write, for each passage, the sentence that places it in its document.

The sentence helps to find the passage: words match it and the vector is made with it. It is never shown, quoted, or
given to whatever writes or checks an answer, so the worst that a bad one can do, even one that a document's own words
talked the model into, is to make its passage easier or harder to find.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from retrieval.context import checked_sentence
from retrieval.stop import GRACE, unless_stopped

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Iterable, Sequence
    from typing import Any

    from retrieval.document import Document, Passage
    from retrieval.index import Index

STRETCH = 60_000
"""Characters of a document that a model is shown at once, some 24,000 tokens of English; a longer document goes in
stretches of about the same length."""

DOCUMENTS_AT_ONCE = REQUESTS_AT_ONCE = 8


class ContextWriter(Protocol):
    """A model that places passages in their document."""

    @property
    def name(self) -> str:
        """The model's name."""
        ...

    async def sentence(self, document: str, passage: str, *, more: bool) -> str | None:
        """One sentence on where the passage stands in the document; None where the model gives none.

        `more` says that other passages of the very same text are asked about too, so that a server may remember it.
        Raises ModelUnavailable, having tried again, or ModelRefused.
        """
        ...


@dataclass(frozen=True, slots=True)
class Stretch:
    """Neighbouring passages as a model reads them in `text`, and those of them that have no sentence yet."""

    text: str
    waiting: tuple[Passage, ...]


@dataclass(slots=True)
class Written:
    """How many sentences were stored, and how many passages stay without: the model gave none that was fit."""

    stored: int = 0
    without: int = 0


async def waiting(index: Index, documents: Iterable[Document]) -> AsyncIterator[Stretch]:
    """The stretches of these documents in which a passage has no sentence, one document in memory at a time."""
    for document in documents:
        for stretch in stretches(document.title, await index.passages_of(document.id)):
            yield stretch


def stretches(title: str, passages: Sequence[Passage], *, longest: int = STRETCH) -> list[Stretch]:
    """A document's passages in runs of about equal length, none much over `longest`; those with nothing to do left out.

    A run is what is read together: the title, then each passage under its headings.
    """
    whole = sum(len(one.text) for one in passages)
    share = whole / max(1, -(-whole // longest))
    runs: list[list[Passage]] = []
    before = 0
    for passage in passages:
        if before >= share * len(runs):
            runs.append([])
        runs[-1].append(passage)
        before += len(passage.text)
    made = (Stretch(_text(title, run), tuple(one for one in run if not one.sentence)) for run in runs)
    return [stretch for stretch in made if stretch.waiting]


async def write(
    index: Index,
    writer: ContextWriter,
    documents: Collection[Document],
    *,
    on_progress: Callable[[Written], None] | None = None,
    stop: asyncio.Event | None = None,
    grace: float = GRACE,
) -> Written:
    """Have the missing sentences of these documents written, many at once, and store each as it comes.

    So a kill, a cancel or a model that fails (its error is raised) loses only what is on its way, and the next call
    goes on with those missing. Of a stretch the first passage is asked about alone: a server remembers a text from its
    first reply on, and so reads it once and not many times. `stop`, once set, lets requests in hand come in for `grace`
    seconds and begins no other.
    """
    run = _Run(index, writer, on_progress, stop or asyncio.Event())
    await unless_stopped(run.all(documents), stop, grace)
    return run.written


class _Run:
    def __init__(
        self, index: Index, writer: ContextWriter, on_progress: Callable[[Written], None] | None, stop: asyncio.Event
    ) -> None:
        self._index = index
        self._writer = writer
        self._on_progress = on_progress
        self._stop = stop
        self._places = asyncio.Semaphore(REQUESTS_AT_ONCE)
        self.written = Written()

    async def all(self, documents: Iterable[Document]) -> None:
        left = iter(documents)
        await _side_by_side([self._some(left) for _ in range(DOCUMENTS_AT_ONCE)])

    async def _some(self, left: Iterable[Document]) -> None:
        """One document after another, from those that nobody has begun."""
        async for stretch in waiting(self._index, left):
            if self._stop.is_set():
                return
            first, *others = stretch.waiting
            await self._place(stretch.text, first, more=bool(others))
            await _side_by_side([self._place(stretch.text, one, more=True) for one in others])

    async def _place(self, text: str, passage: Passage, *, more: bool) -> None:
        async with self._places:
            if self._stop.is_set():
                return
            sentence = checked_sentence(await self._writer.sentence(text, passage.text, more=more) or "")
        if sentence is None:
            self.written.without += 1
        else:
            await self._index.set_contexts([passage.with_sentence(sentence)])
            self.written.stored += 1
        if self._on_progress is not None:
            self._on_progress(self.written)


async def _side_by_side(work: Sequence[Coroutine[Any, Any, None]]) -> None:
    """All of it at once; the first error ends the rest and is raised."""
    tasks = [asyncio.create_task(one) for one in work]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _text(title: str, passages: Sequence[Passage]) -> str:
    parts = [title]
    headings: tuple[str, ...] = ()
    for passage in passages:
        if passage.headings != headings:
            headings = passage.headings
            parts.append(" > ".join(headings))
        parts.append(passage.text)
    return "\n\n".join(filter(None, parts))
