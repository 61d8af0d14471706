"""Rows that an answer did not show, for whoever asks for them. In RAM only: nothing of it is written anywhere."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.lookup import Card
    from bot.messages import Author
    from memory.conversation import Conversation

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


class Rests:
    """The last `_MOST` of them, by an id that says nothing."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Rest] = OrderedDict()
        self._of_turns: OrderedDict[str, str] = OrderedDict()

    def keep(self, rest: Rest, trace_id: str = "") -> str:
        """The id to ask for it with; `trace_id` is the turn that it was left from."""
        id_ = secrets.token_urlsafe(12)
        self._kept[id_] = rest
        if trace_id:
            self._of_turns[trace_id] = id_
        for kept in (self._kept, self._of_turns):
            if len(kept) > _MOST:
                kept.popitem(last=False)
        return id_

    def get(self, id_: str) -> Rest | None:
        """The one of this id, None where it is not there any more."""
        return self._kept.get(id_)

    def of_turn(self, trace_id: str) -> str | None:
        """The id of what this turn left, None where it left nothing."""
        return self._of_turns.get(trace_id)
