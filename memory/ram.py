"""Memory that goes with the process: for guests, of whom nothing is written down, and for tests."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from datetime import UTC
from typing import TYPE_CHECKING

from memory.columns import storable
from memory.turn import AGAIN, TurnKind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from memory.conversation import Conversation
    from memory.summary import Summary
    from memory.turn import Fault, Source, Turn


@dataclass(frozen=True, slots=True)
class _Kept:
    number: int
    turn: Turn

    @property
    def order(self) -> tuple[datetime, int]:
        return (self.turn.at, self.number)


class RamMemory:
    """A `Memory` of bounded size.

    Beyond `conversations`, the one that was used least recently goes; beyond `turns_each`, a conversation's oldest
    turn goes.
    """

    def __init__(self, *, conversations: int = 1000, turns_each: int = 50) -> None:
        self._most_conversations = conversations
        self._most_turns = turns_each
        self._kept: OrderedDict[str, dict[str, _Kept]] = OrderedDict()
        self._summaries: dict[str, Summary] = {}
        self._recorded = 0

    async def record(self, turn: Turn) -> None:
        """Keep one turn, in place of an earlier one for the same message."""
        turn = _storable_turn(turn)
        kept = self._kept.setdefault(turn.conversation.key, {})
        self._kept.move_to_end(turn.conversation.key)
        self._recorded += 1
        earlier = kept.get(turn.message)
        kept[turn.message] = _Kept(earlier.number if earlier else self._recorded, turn)
        if earlier:
            self._summaries.pop(turn.conversation.key, None)
        if len(kept) > self._most_turns:
            del kept[min(kept, key=lambda message: kept[message].order)]
        if len(self._kept) > self._most_conversations:
            gone, _ = self._kept.popitem(last=False)
            self._summaries.pop(gone, None)

    async def turns(self, conversation: Conversation, *, limit: int = 50) -> Sequence[Turn]:
        """The last `limit` turns of every kind, oldest first."""
        if conversation.key not in self._kept:
            return ()
        self._kept.move_to_end(conversation.key)
        oldest_first = sorted(self._kept[conversation.key].values(), key=lambda kept: kept.order)
        return tuple(kept.turn for kept in oldest_first[-limit:]) if limit > 0 else ()

    async def last_answer(self, place: str, author: str) -> Turn | None:
        """This person's last grounded answer in any thread of the place."""
        author = storable(author)
        answers = [
            kept
            for conversation in self._kept.values()
            for kept in conversation.values()
            if kept.turn.kind is TurnKind.FACT and kept.turn.author == author and kept.turn.conversation.place == place
        ]
        return max(answers, key=lambda kept: kept.order).turn if answers else None

    async def answer_of(self, trace_id: str, *, place: str) -> Turn | None:
        """The turn of that trace in that place."""
        for conversation in self._kept.values():
            for kept in conversation.values():
                if kept.turn.trace_id == storable(trace_id) and kept.turn.conversation.place == place:
                    return kept.turn
        return None

    async def summary(self, conversation: Conversation) -> Summary | None:
        """What stands of the conversation's older turns."""
        return self._summaries.get(conversation.key)

    async def keep_summary(self, conversation: Conversation, summary: Summary, *, instead_of: Summary | None) -> bool:
        """Keep it if it was grown from what stands, and all that it covers besides stands too."""
        before = () if instead_of is None else instead_of.covers
        turns = [kept.turn for kept in self._kept.get(conversation.key, {}).values()]
        standing = {turn.trace_id for turn in turns if turn.kind.clean}
        current = self._summaries.get(conversation.key)
        grown = (current is None) if instead_of is None else current is not None and current.covers == before
        if not grown or not turns or not set(summary.covers) - set(before) <= standing:
            return False
        self._summaries[conversation.key] = replace(summary, text=storable(summary.text))
        return True

    async def rate(
        self, trace_id: str, *, place: str, author: str, good: bool, fault: Fault | None = None, comment: str = ""
    ) -> bool:
        """Whether the answer stands in that place. Nobody reads what is thought of it here, so that is not kept."""
        del author, good, fault, comment
        turn = await self.answer_of(trace_id, place=place)
        return turn is not None and turn.kind.looked_up

    async def forget(
        self,
        *,
        conversation: Conversation | None = None,
        author: str | None = None,
        platform: str | None = None,
        tenant: str | None = None,
        message: str | None = None,
    ) -> int:
        """Delete what matches all that is given and say how many turns went."""
        if conversation is None and author is None:
            raise ValueError("say whose turns to forget: a conversation, an author, or both")
        whose = None if author is None else storable(author)
        asked = None if message is None else storable(message)

        def there(turn: Turn) -> bool:
            where = turn.conversation
            given = (conversation, where), (platform, where.platform), (tenant, where.tenant)
            return all(wanted in {None, one} for wanted, one in given)

        return self._delete(
            lambda turn: (
                there(turn) and whose in {None, turn.author} and asked in {None, turn.message.partition(AGAIN)[0]}
            )
        )

    async def forget_before(self, moment: datetime) -> int:
        """Delete older turns and say how many went."""
        if moment.tzinfo is None:
            raise ValueError("a stored time carries its time zone")
        return self._delete(lambda turn: turn.at < moment)

    async def close(self) -> None:
        """Forget everything."""
        self._kept.clear()
        self._summaries.clear()

    def _delete(self, matches: Callable[[Turn], bool]) -> int:
        gone = [
            (key, message)
            for key, conversation in self._kept.items()
            for message, kept in conversation.items()
            if matches(kept.turn)
        ]
        for key, message in gone:
            self._summaries.pop(key, None)
            del self._kept[key][message]
            if not self._kept[key]:
                del self._kept[key]
        return len(gone)


def _storable_turn(turn: Turn) -> Turn:
    return replace(
        turn,
        at=turn.at.astimezone(UTC),
        author=storable(turn.author),
        message=storable(turn.message),
        trace_id=storable(turn.trace_id),
        question=storable(turn.question),
        standalone=storable(turn.standalone),
        text=storable(turn.text),
        sources=tuple(_storable_source(source) for source in turn.sources),
    )


def _storable_source(source: Source) -> Source:
    return replace(
        source,
        id=storable(source.id),
        title=storable(source.title),
        url=None if source.url is None else storable(source.url),
        locator=storable(source.locator),
        quote=storable(source.quote),
    )
