"""Forgetting: a person's own words when they ask for it, what the operator names, and what has become too old."""

from __future__ import annotations

import re
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from adapters.payload import from_payload
from bot.messages import Reply
from memory.conversation import Conversation
from memory.turn import AGAIN, TurnKind

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence
    from datetime import datetime

    from bot.messages import IncomingMessage, Respond, Show
    from bot.wording import Wording
    from memory.inbox import Inbox, InboxEntry
    from memory.store import Memory

_LONGEST = 80
_KINDLY = r"(?:please|(?:can|could|would|will) you(?: please)?|i want you to|i'?d like you to)"
_TALK = "(?:thread|conversation|chat|discussion|messages|questions|data|(?:chat |conversation )?history)"
_SAID = "(?:said|asked|wrote|written|told you|talked about)"
_WHAT = (
    rf"(?:all (?:of )?)?(?:this|our|my|the)(?: whole| entire)? {_TALK}",
    rf"(?:everything|all|what)(?: that)? (?:i|we)(?:'ve| have)? {_SAID}",
    r"everything|all of (?:it|this)",
)
_WHERE = "(?: here| (?:in|from) this (?:thread|conversation|chat))?"
_ASKED = re.compile(
    rf"(?:{_KINDLY} )?/?(?:forget|delete|erase|clear|wipe)(?: (?:{'|'.join(_WHAT)}))?{_WHERE}"
    r"(?: (?:please|now|for me|again|thanks|thank you))*"
)
_NOT_ALONE = {"delete", "erase", "clear", "wipe"}
"""Said alone, "forget" can hardly mean anything else; these can."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What went: turns, and messages that waited for an answer."""

    turns: int
    waiting: int


def _nothing() -> None:
    """Nothing else holds words."""


class Forgetter:
    """Deletes from all `stores` and from the inbox. Turns go with their sources, ratings and summary.

    `guests` is the inbox of guests' messages, which live as long as the process; `also` is called each time, for what
    holds words elsewhere and cannot tell whose.

    Every method may raise `MemoryUnavailable`.
    """

    def __init__(
        self,
        stores: Sequence[Memory],
        inbox: Inbox,
        *,
        guests: Inbox | None = None,
        also: Callable[[], None] = _nothing,
    ) -> None:
        self._stores = stores
        self._inboxes = (inbox,) if guests is None else (inbox, guests)
        self._also = also
        self._answering: dict[object, IncomingMessage] = {}
        self._left: set[object] = set()
        self._unwanted: set[object] = set()

    async def own(self, message: IncomingMessage) -> int:
        """Delete the author's turns in this conversation, and say how many: others' stay, who did not ask for it."""
        self._also()
        gone = [
            await store.forget(conversation=message.conversation, author=message.author.id) for store in self._stores
        ]
        return sum(gone)

    async def message(self, conversation: Conversation, *, author: str, key: str) -> int:
        """Delete the author's turns about one message of theirs, however often it was asked, and say how many."""
        self._also()
        gone = [await store.forget(conversation=conversation, author=author, message=key) for store in self._stores]
        return sum(gone)

    async def matching(
        self,
        *,
        conversation: Conversation | None = None,
        author: str | None = None,
        platform: str | None = None,
        tenant: str | None = None,
    ) -> Forgotten:
        """Delete what matches all that is given. ValueError if neither a conversation nor an author is.

        What is being answered meanwhile is deleted once it is; what waits is not answered.
        """

        def is_meant(message: IncomingMessage) -> bool:
            where = message.conversation
            wanted = (conversation, author, platform, tenant)
            have = (where, message.author.id, where.platform, where.tenant)
            return all(one in {None, other} for one, other in zip(wanted, have, strict=True))

        self._also()
        if conversation is not None or author is not None:
            self._unwanted |= {one for one, message in self._answering.items() if is_meant(message)}
        gone = [
            await store.forget(conversation=conversation, author=author, platform=platform, tenant=tenant)
            for store in self._stores
        ]

        def matches(entry: InboxEntry) -> bool:
            try:
                return is_meant(from_payload(entry.payload))
            except ValueError:
                return False

        return Forgotten(sum(gone), await self._wipe(matches))

    async def tenant(self, platform: str, tenant: str) -> Forgotten:
        """Delete all that is of a tenant that has left, guests' included, and nothing of any other.

        What is being answered meanwhile is deleted once it is.
        """
        self._also()
        self._left |= {
            one
            for one, message in self._answering.items()
            if (message.conversation.platform, message.conversation.tenant) == (platform, tenant)
        }
        waiting = [await inbox.forget(Conversation.of_tenant(platform, tenant)) for inbox in self._inboxes]
        gone = [await store.forget(platform=platform, tenant=tenant) for store in self._stores]
        return Forgotten(sum(gone), sum(waiting))

    @asynccontextmanager
    async def answering(self, message: IncomingMessage) -> AsyncIterator[None]:
        """While a message is answered: if it is forgotten meanwhile, it is deleted afterwards.

        If its tenant leaves meanwhile, its conversation is.
        """
        one = object()
        self._answering[one] = message
        try:
            yield
        finally:
            del self._answering[one]
            if one in self._left:
                self._left.discard(one)
                await self.matching(conversation=message.conversation)
            if one in self._unwanted:
                self._unwanted.discard(one)
                key = message.key.partition(AGAIN)[0]
                await self.message(message.conversation, author=message.author.id, key=key)

    async def before(self, moment: datetime) -> Forgotten:
        """Delete what is older than `moment`, an aware time."""
        return await self._before(moment, moment)

    async def too_old(self, now: datetime, *, keep_days: int) -> Forgotten:
        """Delete what was kept for so many days. What waits for its answer has a day at least to get it."""
        return await self._before(now - timedelta(days=keep_days), now - timedelta(days=max(keep_days, 1)))

    async def _before(self, moment: datetime, waiting: datetime) -> Forgotten:
        self._also()
        gone = [await store.forget_before(moment) for store in self._stores]
        return Forgotten(sum(gone), await self._wipe(lambda entry: entry.accepted_at < waiting))

    async def _wipe(self, matches: Callable[[InboxEntry], bool]) -> int:
        """Count waiting messages as done: their words go, their keys stay, so that none is taken in again."""
        wiped = 0
        for inbox in self._inboxes:
            for key in [entry.key for entry in await inbox.pending() if matches(entry)]:
                await inbox.done(key)
                wiped += 1
        return wiped


def asks_to_forget(text: str) -> bool:
    """Whether a message does nothing but ask us to forget the conversation; "forget it" is a way to say never mind."""
    bare = " ".join(text.casefold().replace("’", "'").replace(",", " ").strip(" .!?:;\"'").split())
    return len(bare) <= _LONGEST and bare not in _NOT_ALONE and _ASKED.fullmatch(bare) is not None


def answering_forget(respond: Respond, forgetter: Forgetter, words: Wording) -> Respond:
    """`respond`, except that "forget this conversation" is done here: it becomes no turn, and nothing is searched."""

    async def answer(message: IncomingMessage, show: Show | None = None) -> Reply:
        if not asks_to_forget(message.text):
            async with forgetter.answering(message):
                return await respond(message, show)
        gone = await forgetter.own(message)
        return Reply(TurnKind.COURTESY, words.forget.done if gone else words.forget.none, trace_id="")

    return answer
