"""Rows that an answer did not show, for whoever asks for them. In RAM only: nothing of it is written anywhere."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from bot.lookup import Card
    from bot.messages import Author
    from memory.conversation import Conversation

T = TypeVar("T")

PAGE = 15
"""So many rows are shown at a time."""
_MOST = 2_000


@dataclass(frozen=True, slots=True)
class Rest:
    """What shows them: the look-up with these values of its keys and columns, from row `start` on, counted from 0.

    It is for the `place` where it was asked; of a personal look-up for its `author` alone, wherever they were answered.
    """

    lookup: str
    keys: dict[str, list[str]]
    columns: tuple[str, ...]
    start: int
    place: str
    author: str

    @classmethod
    def whole(
        cls,
        card: Card,
        keys: dict[str, list[str]],
        columns: tuple[str, ...],
        conversation: Conversation,
        author: Author,
    ) -> Rest:
        """All rows, for one question."""
        return cls(card.name, keys, columns, 0, conversation.place, author.id if card.personal else "")

    def is_for(self, conversation: Conversation, author: Author) -> bool:
        """Whether this person may ask for it there."""
        return self.author == author.id if self.author else self.place == conversation.place


class Recent(Generic[T]):
    """The last `_MOST` of what was kept, by their ids."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, T] = OrderedDict()

    def keep(self, id_: str, one: T) -> None:
        """Keep it under this id, and let go of the oldest where there are too many."""
        self._kept[id_] = one
        if len(self._kept) > _MOST:
            self._kept.popitem(last=False)

    def get(self, id_: str) -> T | None:
        """The one of this id, None where it is not there any more."""
        return self._kept.get(id_)


class Rests:
    """Rests by an id that says nothing, and by the turn that they were left from."""

    def __init__(self) -> None:
        self._kept: Recent[Rest] = Recent()
        self._of_turns: Recent[str] = Recent()

    def keep(self, rest: Rest, trace_id: str = "") -> str:
        """The id to ask for it with; `trace_id` is the turn's, where it is one's."""
        id_ = secrets.token_urlsafe(12)
        self._kept.keep(id_, rest)
        if trace_id:
            self._of_turns.keep(trace_id, id_)
        return id_

    def get(self, id_: str) -> Rest | None:
        """The one of this id, None where it is not there any more."""
        return self._kept.get(id_)

    def of_turn(self, trace_id: str) -> str | None:
        """The id of what this turn left, None where it left nothing."""
        return self._of_turns.get(trace_id)
