"""What stood behind an answer, found again: for `/sources`, "@bot sources" and the buttons under an answer.

Whatever was shown once is looked up anew in the index, with the collections that this person may see in this place
(promise 9): a passage that was withdrawn, has expired or been superseded, or moved out of reach is gone here too.
"""

from __future__ import annotations

import logging
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from bot.asking_on import OfSources, asking_on
from bot.compose import still_held
from bot.lookup_outcome import Asked
from bot.messages import Reply
from bot.trace import Trace
from memory.turn import AGAIN, TurnKind
from retrieval.clock import utc_today

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from datetime import date

    from bot.access import Access
    from bot.lookup_outcome import Declined, Given
    from bot.lookups import Lookups
    from bot.messages import Author, IncomingMessage, Respond, Show, Source
    from bot.turn import Memories
    from bot.wording import Wording
    from memory.conversation import Conversation
    from memory.turn import Turn
    from retrieval.document import Passage
    from retrieval.evidence import Hit

_LOG = logging.getLogger(__name__)
NEIGHBOURS = 2
"""Passages that are shown on each side of one in its place."""


class Passages(Protocol):
    """What is needed of an index."""

    async def passages(self, ids: Collection[str], *, collections: Collection[str] | None = None) -> Sequence[Hit]:
        """Passages by id, the unknown and the unseen left out."""
        ...

    async def passages_of(self, document_id: str) -> Sequence[Passage]:
        """One document's passages, in their order."""
        ...


@dataclass(frozen=True, slots=True)
class InPlace:
    """A passage with those of its document that stand before and after it, in the document's order."""

    hit: Hit
    before: tuple[Passage, ...]
    after: tuple[Passage, ...]


class Sources:
    """Finds the passages behind earlier answers. None is returned where there was no answer, () where all are gone."""

    def __init__(
        self,
        memories: Memories,
        index: Passages,
        access: Access,
        today: Callable[[], date] = utc_today,
        lookups: Lookups | None = None,
    ) -> None:
        self._memories = memories
        self._index = index
        self._access = access
        self._today = today
        self._lookups = lookups

    async def of_conversation(self, conversation: Conversation, author: Author) -> tuple[Source, ...] | None:
        """Behind the last answer in this thread, whoever asked; else behind this person's last one in the place."""
        turns = await self._answers(conversation)
        if not turns:
            return await self.of_person(conversation, author)
        return await self._visible(max(turns, key=lambda turn: turn.at), conversation, author)

    async def of_person(self, conversation: Conversation, author: Author) -> tuple[Source, ...] | None:
        """Behind this person's last answer anywhere in the place of `conversation`."""
        found = [await self._memories.of(guest=one).last_answer(conversation.place, author.id) for one in (False, True)]
        turns = [turn for turn in found if turn is not None]
        if not turns:
            return None
        return await self._visible(max(turns, key=lambda turn: turn.at), conversation, author)

    async def of_answer(self, trace_id: str, conversation: Conversation, author: Author) -> tuple[Source, ...] | None:
        """Behind the answer of this trace, if it stands in the place of `conversation`."""
        for guest in (False, True):
            turn = await self._memories.of(guest=guest).answer_of(trace_id, place=conversation.place)
            if turn is not None and turn.kind is TurnKind.FACT:
                return await self._visible(turn, conversation, author)
        return None

    async def of_message(self, key: str, conversation: Conversation, author: Author) -> tuple[Source, ...] | None:
        """Behind the last answer to the message of this key; else behind the last one in its thread."""
        turns = await self._answers(conversation)
        turns = [turn for turn in turns if turn.message.partition(AGAIN)[0] == key] or turns
        if not turns:
            return None
        return await self._visible(max(turns, key=lambda turn: turn.at), conversation, author)

    async def in_place(self, passage_id: str, conversation: Conversation, author: Author) -> InPlace | None:
        """One passage and up to `NEIGHBOURS` on each side of it, or None if it is gone or not for this person here."""
        hit = await self.passage(passage_id, conversation, author)
        if hit is None:
            return None
        whole = await self._index.passages_of(hit.document.id)
        at = next((at for at, one in enumerate(whole) if one.id == passage_id), None)
        if at is None:
            return InPlace(hit, (), ())
        return InPlace(hit, tuple(whole[max(0, at - NEIGHBOURS) : at]), tuple(whole[at + 1 : at + 1 + NEIGHBOURS]))

    async def passage(self, passage_id: str, conversation: Conversation, author: Author) -> Hit | None:
        """One passage, or None if it is gone or not for this person here."""
        return (await self._held([passage_id], conversation, author)).get(passage_id)

    async def rows(self, id_: str, conversation: Conversation, author: Author) -> Given | Declined | None:
        """The next rows of a list that an answer showed the first ones of; None where there are none for them here."""
        if self._lookups is None:
            return None
        asked = Asked("", "", author, conversation)
        collections = await self._access(conversation, author)
        trace = Trace(uuid.uuid4().hex[:12])
        with trace.stage("lookup") as span:
            found = await self._lookups.more(id_, asked, collections=collections, today=self._today(), span=span)
        _LOG.info("more rows %s", trace)
        return found

    async def _answers(self, conversation: Conversation) -> list[Turn]:
        """What was answered in a thread, whoever asked."""
        return [
            turn
            for guest in (False, True)
            for turn in await self._memories.of(guest=guest).turns(conversation)
            if turn.kind is TurnKind.FACT
        ]

    async def _visible(self, turn: Turn, conversation: Conversation, author: Author) -> tuple[Source, ...]:
        there = await self._held([source.id for source in turn.sources], conversation, author)
        return still_held(turn.sources, there.values(), self._today())

    async def _held(self, ids: Sequence[str], conversation: Conversation, author: Author) -> dict[str, Hit]:
        """Those of these passages that this person may see here and whose documents hold today."""
        collections = await self._access(conversation, author)
        hits = list(await self._index.passages(ids, collections=collections))
        if self._lookups is not None:
            hits += await self._lookups.held(ids, author, collections)
        return {hit.passage.id: hit for hit in hits if hit.document.holds(self._today())}


def heading(sources: tuple[Source, ...] | None, words: Wording) -> str:
    """What stands above the sources, or instead of them."""
    if sources is None:
        return words.sources.none
    return words.sources.heading if sources else words.sources.gone


def _one(n: int, found: tuple[Source, ...], words: Wording) -> tuple[str, tuple[Source, ...]]:
    """The source of this number, under a line that says so; or how many there are."""
    n = max(one.n for one in found) if n == -1 else n
    shown = tuple(one for one in found if one.n == n)
    said = words.sources.one if shown else words.sources.no_such
    return said.format(n=n, count=len(found)), shown


def answering_sources(respond: Respond, sources: Sources, words: Wording) -> Respond:
    """`respond`, except that "sources" or "source 2" is answered here: no turn, and no model or search sees it."""

    async def answer(message: IncomingMessage, show: Show | None = None) -> Reply:
        asks = asking_on(message.text)
        if not isinstance(asks, OfSources):
            return await respond(message, show)
        found = await sources.of_conversation(message.conversation, message.author)
        if asks.n is None or not found:
            return Reply(TurnKind.COURTESY, heading(found, words), trace_id="", sources=found or ())
        text, its = _one(asks.n, found, words)
        return Reply(TurnKind.COURTESY, text, trace_id="", sources=its)

    return answer
