"""What stood behind an answer, found again: for `/sources`, "@bot sources" and the buttons under an answer.

Whatever was shown once is looked up anew in the index, with the collections that this person may see in this place
(promise 9): a passage that was withdrawn, has expired or been superseded, or moved out of reach is gone here too.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from bot.messages import Reply
from memory.turn import TurnKind
from retrieval.clock import utc_today

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Sequence
    from datetime import date

    from bot.messages import Author, IncomingMessage, Source
    from bot.turn import Memories
    from bot.wording import Wording
    from memory.conversation import Conversation
    from memory.turn import Turn
    from retrieval.evidence import Hit

_ASKING = {"sources", "source", "/sources", "show sources", "show me the sources"}


class Access(Protocol):
    """Which collections a person may see in a place; None means all."""

    def __call__(self, conversation: Conversation, author: Author, /) -> Collection[str] | None:
        """Their names."""
        ...


class Passages(Protocol):
    """The one thing needed of an index."""

    async def passages(self, ids: Collection[str], *, collections: Collection[str] | None = None) -> Sequence[Hit]:
        """Passages by id, the unknown and the unseen left out."""
        ...


class Sources:
    """Finds the passages behind earlier answers. None is returned where there was no answer, () where all are gone."""

    def __init__(
        self, memories: Memories, index: Passages, access: Access, today: Callable[[], date] = utc_today
    ) -> None:
        self._memories = memories
        self._index = index
        self._access = access
        self._today = today

    async def of_conversation(self, conversation: Conversation, author: Author) -> tuple[Source, ...] | None:
        """Behind the last answer in this thread, whoever asked; else behind this person's last one in the place."""
        turns = [
            turn
            for guest in (False, True)
            for turn in await self._memories.of(guest=guest).turns(conversation)
            if turn.kind is TurnKind.FACT
        ]
        if not turns:
            return await self.of_person(conversation, author)
        return await self._visible(max(turns, key=lambda turn: turn.at), conversation, author)

    async def of_person(self, conversation: Conversation, author: Author) -> tuple[Source, ...] | None:
        """Behind this person's last answer anywhere in the place of `conversation`."""
        turn = await self._memories.of(guest=author.guest).last_answer(conversation.place, author.id)
        return None if turn is None else await self._visible(turn, conversation, author)

    async def passage(self, passage_id: str, conversation: Conversation, author: Author) -> Hit | None:
        """One passage, or None if it is gone or not for this person here."""
        return (await self._held([passage_id], conversation, author)).get(passage_id)

    async def _visible(self, turn: Turn, conversation: Conversation, author: Author) -> tuple[Source, ...]:
        there = await self._held([source.id for source in turn.sources], conversation, author)
        return tuple(
            replace(source, review_by=there[source.id].document.review_missed(self._today()))
            for source in turn.sources
            if source.id in there
        )

    async def _held(self, ids: Sequence[str], conversation: Conversation, author: Author) -> dict[str, Hit]:
        """Those of these passages that this person may see here and whose documents hold today."""
        hits = await self._index.passages(ids, collections=self._access(conversation, author))
        return {hit.passage.id: hit for hit in hits if hit.document.holds(self._today())}


def asks_for_sources(text: str) -> bool:
    """Whether a message is the word "sources" (or little else), and so no question for the documents."""
    bare = " ".join(text.casefold().replace(",", " ").strip(" .!?:;\"'").split())
    return bare.removesuffix(" please") in _ASKING


def heading(sources: tuple[Source, ...] | None, words: Wording) -> str:
    """What stands above the sources, or instead of them."""
    if sources is None:
        return words.sources.none
    return words.sources.heading if sources else words.sources.gone


def answering_sources(
    respond: Callable[[IncomingMessage], Awaitable[Reply]], sources: Sources, words: Wording
) -> Callable[[IncomingMessage], Awaitable[Reply]]:
    """`respond`, except that "sources" is answered here: it becomes no turn, and no model or search sees it."""

    async def answer(message: IncomingMessage) -> Reply:
        if not asks_for_sources(message.text):
            return await respond(message)
        found = await sources.of_conversation(message.conversation, message.author)
        return Reply(TurnKind.COURTESY, heading(found, words), trace_id="", sources=found or ())

    return answer
