"""What is remembered of one turn, and which kinds of turn a model may ever see again."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import date, datetime

    from memory.conversation import Conversation


AGAIN = "+"
"""Between a message's key and what tells apart the times that it was asked again."""

ROW = "lookup:"
"""What the id of a source begins with that is a table's row and no passage."""


class TurnKind(StrEnum):
    """How a turn ended. The value is what commands print and what the store keeps."""

    FACT = "fact"
    UNGROUNDED = "ungrounded"
    CRISIS = "crisis"
    REFUSAL = "refusal"
    COURTESY = "courtesy"
    ERROR = "error"

    @property
    def clean(self) -> bool:
        """Whether its words may be replayed to a model: grounded answers only (promise 5)."""
        return self is TurnKind.FACT

    @property
    def looked_up(self) -> bool:
        """Whether it ended with what the documents say: an answer from them, or that they do not have it."""
        return self in {TurnKind.FACT, TurnKind.UNGROUNDED}


class Fault(StrEnum):
    """What a person found wrong with an answer. The value is what commands print and what the store keeps."""

    WRONG = "wrong"
    INCOMPLETE = "incomplete"
    OFF_TOPIC = "off_topic"
    OUT_OF_DATE = "out_of_date"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Source:
    """One passage an answer stands on, as shown to people: all of it from the index's own records.

    `n` is the number of its `[n]` marker, `id` the passage id, `locator` where in the document ("page 3",
    a heading), `quote` a verbatim stretch of the passage's raw text that holds every quoted sentence.
    `found_by` names the lists that held it ("keyword",
    "vector"). Ranks count from 1; `rank_before_rerank` equals `rank` where nothing was reranked. `review_by` is the day
    on which its document's review was due, where that has passed on the day it is shown: it is not kept with a turn.
    """

    n: int
    id: str
    title: str
    url: str | None
    locator: str
    quote: str
    found_by: tuple[str, ...]
    rank: int
    rank_before_rerank: int
    review_by: date | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """One exchange as stored. A crisis turn keeps its kind only: giving it words is an error.

    `message` is the key of the message answered; where it was asked again, that key, `AGAIN` and what tells the times
    apart. `author` is the person's platform id, `standalone` the question as it was searched for, `at` an aware UTC
    time.
    """

    conversation: Conversation
    author: str
    kind: TurnKind
    at: datetime
    message: str
    trace_id: str
    question: str = ""
    standalone: str = ""
    text: str = ""
    sources: tuple[Source, ...] = ()

    def __post_init__(self) -> None:
        if self.kind is TurnKind.CRISIS and (self.question or self.standalone or self.text or self.sources):
            raise ValueError("a crisis turn keeps its kind only, never words or sources")
        if self.at.tzinfo is None:
            raise ValueError("a turn's time carries its time zone")

    @property
    def replayable(self) -> bool:
        """Whether a model may see it again: a grounded answer, and none from a table, whose values pass no model."""
        return self.kind.clean and not any(source.id.startswith(ROW) for source in self.sources)
