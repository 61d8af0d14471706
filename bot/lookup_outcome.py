"""What look-ups are asked in a turn, and what they have to say to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from bot.lookup import Row
    from bot.lookup_beside import Beside
    from bot.messages import Author, Source
    from memory.conversation import Conversation
    from memory.turn import Turn


@dataclass(frozen=True, slots=True)
class Asked:
    """A message as it was `typed` and as it stands alone, and the person's `last` turn in its conversation.

    `trace_id` is its turn's, under which it can be asked for more rows.
    """

    typed: str
    standalone: str
    author: Author
    conversation: Conversation
    last: Turn | None = None
    trace_id: str = ""


@dataclass(frozen=True, slots=True)
class Given:
    """The answer to `question`, and the rows that it stands on. `personal` ones are for the asking person's eyes.

    `more` is the id by which the rows that are left can be asked for, empty where none are; `heading` says which of all
    `rows` these are. Where there is `beside`, documents are to be asked too.
    """

    question: str
    text: str
    sources: tuple[Source, ...]
    personal: bool
    sure: bool = True
    more: str = ""
    heading: str = ""
    rows: tuple[Row, ...] = ()
    beside: Beside | None = None


@dataclass(frozen=True, slots=True)
class AskedBack:
    """What has to be known before `question` can be answered; where not `sure`, documents are searched first."""

    question: str
    text: str
    sure: bool


@dataclass(frozen=True, slots=True)
class Declined:
    """A look-up has this, and may not or cannot give it. Where there is `beside`, documents are to be asked too."""

    question: str
    text: str
    sure: bool = True
    beside: Beside | None = None


Outcome: TypeAlias = Given | AskedBack | Declined
