"""What is alike in look-ups that call something: their words, their rows' ids, and that they answer what was asked."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import re
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError, create_model

from adapters.lookups.row import STRICT, may_be_shown, named, origin_of, result_model, shown
from bot.lookup import FEW, Card, Found, LookupFailed, Row
from bot.lookup_vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import date

    from pydantic import BaseModel

    from adapters.lookups.argument import Argument
    from adapters.lookups.settings import Declared
    from bot.lookup_vocabulary import Kind
    from bot.messages import Author

MOST_ROWS = 10_000
_LONGEST_ID = 1_500


class Service(ABC):
    """A `Lookup` that is called anew for each question; its rows' ids hold the arguments that found them, and a hash of
    what they said.
    """

    def __init__(self, card: Card, said: Declared, vocabulary: Vocabulary, today: Callable[[], date]) -> None:
        self.card = card
        self._said = said
        self._vocabulary = vocabulary
        self._today = today

    @abstractmethod
    async def _answers(self, arguments: BaseModel, author: Author) -> Sequence[Any]:
        """What comes of these arguments, not read yet. Raises `LookupFailed`."""

    @abstractmethod
    def _read(self, answer: Any) -> tuple[Mapping[str, str], BaseModel]:
        """One of them: each column that it has as it is written, and its values, checked. Blocking.

        Raises `LookupFailed`.
        """

    def vocabulary(self) -> Vocabulary:
        """As it was declared."""
        return self._vocabulary

    async def run(self, arguments: BaseModel, author: Author, *, start: int = 0, most: int = FEW) -> Found:
        """What the service answers now. `LookupFailed` where a row is of something else than was asked."""
        answers = await self._answers(arguments, author)
        if len(answers) > MOST_ROWS:
            msg = f"look-up {self.card.name} gave more than {MOST_ROWS} rows"
            raise LookupFailed(msg)
        asked = _written(arguments)
        numbered = list(enumerate(answers))[start : start + most]
        rows = await asyncio.to_thread(lambda: [self._row(one, asked, at, author) for at, one in numbered])
        return Found(tuple(rows), len(answers))

    async def again(self, row_ids: Sequence[str], author: Author) -> dict[str, Row]:
        """Those of these that stand where they stood among what the service answers now, and say what they said."""
        places: dict[str, dict[int, str]] = {}
        for row_id in row_ids:
            place, _, rest = row_id.partition("-")
            packed = rest.partition("-")[2]
            if place.isdecimal() and len(place) < 6 and len(row_id) <= _LONGEST_ID:
                places.setdefault(packed, {})[int(place)] = row_id
        found: dict[str, Row] = {}
        for packed, wanted in places.items():
            if (arguments := self._unpacked(packed)) is None:
                continue
            answers = await self._answers(arguments, author)
            asked = _written(arguments)
            for at, row_id in wanted.items():
                if at < len(answers):
                    row = await asyncio.to_thread(self._row, answers[at], asked, at, author)
                    if row.id == row_id:
                        found[row_id] = row
        return found

    def _row(self, answer: Any, asked: Mapping[str, str], at: int, author: Author) -> Row:
        cells, values = self._read(answer)
        if any(cells.get(name, "").casefold() not in {"", value.casefold()} for name, value in asked.items()):
            msg = f"look-up {self.card.name}: a row is of something else than was asked for"
            raise LookupFailed(msg)
        if self._said.person is not None and cells.get(self._said.person, author.id) != author.id:
            msg = f"look-up {self.card.name}: a row is of another person than asked"
            raise LookupFailed(msg)
        written = {name: cells.get(name) or asked.get(name, "") for name in self.card.columns}
        may_be_shown(self.card, written, "a row")
        origin = origin_of(self._said, self.card, cells, self._today())
        packed = base64.urlsafe_b64encode(json.dumps(asked, sort_keys=True).encode()).decode().rstrip("=")
        digest = hashlib.sha256("\0".join(written.values()).encode()).hexdigest()[:12]
        return Row(f"{at}-{digest}-{packed}", values, written, origin)

    def _unpacked(self, packed: str) -> BaseModel | None:
        """The arguments that an id holds, which anyone could have made up: they are checked like any others."""
        try:
            given = json.loads(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)))
            return self.card.arguments.model_validate(given)
        except (ValueError, RecursionError, ValidationError):
            return None


def _written(arguments: BaseModel) -> dict[str, str]:
    """Those that were given, as text."""
    return {name: str(value) for name, value in arguments.model_dump(mode="json", exclude_none=True).items()}


def declared(
    name: str,
    said: Declared,
    *,
    answers: str,
    arguments: Mapping[str, Argument],
    types: Mapping[str, Kind],
    result: type[BaseModel] | None = None,
) -> tuple[Card, Vocabulary]:
    """The contract of a service with these columns, and the words that it is asked with; a model of its rows is made
    where none is given.
    """
    columns = shown(said, types)
    fields: dict[str, Any] = {
        key: (one.type, ...) if one.required else (one.type | None, None) for key, one in arguments.items()
    }
    card = Card(
        name=name,
        answers=answers,
        title=said.title,
        arguments=create_model(f"{name}_arguments", __config__=STRICT, **fields),
        result=result or result_model(name, {key: types[key] for key in columns}),
        columns=columns,
        keys=tuple(arguments),
        collections=said.collections,
        personal=said.person is not None,
        template=said.template,
        seconds=said.seconds,
        single=True,
    )
    return card, Vocabulary.of(
        {key: one.index for key, one in arguments.items()},
        named(said, columns),
        (said.title, *said.about),
        types={key: types[key] for key in columns},
        required=[key for key, one in arguments.items() if one.required],
        personal=card.personal,
        patterns={key: re.compile(one.pattern) for key, one in arguments.items() if one.pattern},
        single=True,
    )
