"""The contract of a look-up: a typed, read-only question to a table or a service, whose answer no model touches."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from pydantic import BaseModel, ValidationError

from bot.errors import CitewellError
from retrieval.document import PUBLIC

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import date

    from bot.lookup_vocabulary import Vocabulary
    from bot.messages import Author

logger = logging.getLogger(__name__)

FEW = 7
"""So many rows are shown of those that fit; the others where they are asked for."""


class LookupFailed(CitewellError):
    """A look-up gave nothing that may be shown. The message is the operator's and holds no cell's text."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a look-up's values come from. `as_of` is the day that they are true of; None where nobody says.

    From the day after `stale` on they are marked, from the day after `expires` on they are not given any more.
    """

    title: str
    owner: str = ""
    as_of: date | None = None
    stale: date | None = None
    expires: date | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One row found: its id, the same as long as its keys are, its checked values, and each as it is written."""

    id: str
    values: BaseModel
    written: dict[str, str]
    origin: Origin


@dataclass(frozen=True, slots=True)
class Found:
    """Some of the rows, in their order, and how many there are in all."""

    rows: tuple[Row, ...]
    count: int


@dataclass(frozen=True, slots=True)
class Card:
    """What is known of a look-up without running it.

    `answers` is a sentence on what it answers, `columns` names each column as people read it, `keys` are those that
    rows are found by. `collections` are those that a person must be allowed to see one of. With `personal`, rows are
    the asking person's own. `template` is a sentence with `{column}` in it, for when it holds all that was asked for.
    With `single`, each argument has one value; else a list of them, any of which a row may have.
    """

    name: str
    answers: str
    title: str
    arguments: type[BaseModel]
    result: type[BaseModel]
    columns: dict[str, str]
    keys: tuple[str, ...]
    collections: frozenset[str] = frozenset({PUBLIC})
    personal: bool = False
    template: str = ""
    seconds: float = field(default=2.0)
    single: bool = False

    def open_to(self, collections: frozenset[str] | None, author: Author) -> bool:
        """Whether this person may ask it, who may see these collections here; None means all."""
        if self.personal and author.guest:
            return False
        return collections is None or not self.collections.isdisjoint(collections)


class Lookup(Protocol):
    """One look-up. What it does raises `LookupFailed`, writes nothing, and does not hold up the event loop."""

    @property
    def card(self) -> Card:
        """What it is."""
        ...

    def vocabulary(self) -> Vocabulary:
        """The words that it is asked with, as of now. It is called off the event loop, and may block."""
        ...

    async def run(self, arguments: BaseModel, author: Author, *, start: int = 0, most: int = FEW) -> Found:
        """So many rows for these arguments from `start` on; of a personal look-up, the author's own by the platform's
        id alone.
        """
        ...

    async def again(self, row_ids: Sequence[str], author: Author) -> dict[str, Row]:
        """The rows of these ids as they are now, without those that are gone or not this person's."""
        ...


class Registry:
    """The look-ups there are, by name."""

    def __init__(self, lookups: Sequence[Lookup] = ()) -> None:
        self._by_name = {one.card.name: one for one in lookups}

    def __iter__(self) -> Iterator[Lookup]:
        return iter(self._by_name.values())

    def __len__(self) -> int:
        return len(self._by_name)

    def get(self, name: str) -> Lookup | None:
        """The one of this name."""
        return self._by_name.get(name)


async def run(
    lookup: Lookup, given: Mapping[str, Sequence[str]], author: Author, *, start: int = 0, most: int = FEW
) -> Found:
    """So many rows from `start` on for these values of the arguments, checked against both models, within its own time.

    Raises `LookupFailed` for what does not fit, and for whatever breaks in a look-up.
    """
    card = lookup.card
    try:
        arguments = card.arguments.model_validate(
            {name: values[0] if card.single else [*values] for name, values in given.items()}
        )
    except ValidationError as error:
        msg = f"look-up {card.name} was asked with arguments that do not fit ({error.error_count()} faults)"
        raise LookupFailed(msg) from None
    try:
        async with asyncio.timeout(card.seconds):
            found = await lookup.run(arguments, author, start=start, most=most)
    except LookupFailed:
        raise
    except TimeoutError:
        msg = f"look-up {card.name} took longer than its {card.seconds:g} seconds"
        raise LookupFailed(msg) from None
    except Exception as error:  # noqa: BLE001 - whatever a look-up does, it costs that look-up alone
        msg = f"look-up {card.name} broke: {type(error).__name__}"
        raise LookupFailed(msg) from None  # its own words may quote a cell
    if not all(isinstance(row.values, card.result) for row in found.rows):
        msg = f"look-up {card.name} gave a result that is none of its model"
        raise LookupFailed(msg)
    return found
