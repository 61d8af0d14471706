"""A Python function as a look-up: an operator's file is loaded once, its function called for each question."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal, get_origin

from pydantic import ValidationError

from adapters.lookups.argument import Argument, plain_type
from adapters.lookups.python import PythonLookup
from adapters.lookups.read import written
from adapters.lookups.row import misfit
from adapters.lookups.service import Service, declared
from bot.lookup import LookupFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path
    from types import TracebackType

    from pydantic import BaseModel

    from adapters.lookups.apart import Apart
    from adapters.lookups.settings import FunctionSettings
    from bot.lookup import Card
    from bot.lookup_vocabulary import Kind, Vocabulary
    from bot.messages import Author

_KINDS: dict[type, Kind] = {
    int: "integer",
    float: "number",
    Decimal: "number",
    date: "date",
    datetime: "date",
    time: "time",
    str: "text",
}


class Function(Service):
    """A `Lookup` over the function that a file registers; what it gives is checked against its model once more."""

    def __init__(
        self,
        registered: PythonLookup,
        said: FunctionSettings,
        apart: Apart,
        today: Callable[[], date],
    ) -> None:
        """`LookupFailed` says what the models lack."""
        self._apart = apart
        self._registered = registered
        card, vocabulary = _declared(registered, said)
        super().__init__(card, said, vocabulary, today)

    async def _answers(self, arguments: BaseModel, author: Author) -> Sequence[Any]:
        registered, person = self._registered, self._said.person
        given = arguments.model_dump(exclude_none=True) | ({person: author.id} if person else {})
        try:
            asked = registered.arguments.model_validate(given)
        except ValidationError:
            msg = f"look-up {self.card.name} was asked with arguments that its model does not take"
            raise LookupFailed(msg) from None
        gave = await self._apart.run(lambda: registered.function(asked))
        if gave is None:
            return ()
        return gave if isinstance(gave, list | tuple) else [gave]

    def _read(self, answer: Any) -> tuple[Mapping[str, str], BaseModel]:
        """Checked once more: one that was made without its model, or changed since, may hold anything."""
        if not isinstance(answer, self.card.result):
            msg = f"look-up {self.card.name} gave something that is no {self.card.result.__name__}"
            raise LookupFailed(msg)
        try:
            values = self.card.result.model_validate(answer.model_dump(by_alias=True, warnings=False))
        except ValidationError as error:
            raise misfit(self.card, error, "a row") from None
        return {name: _cell(getattr(values, name), self.card.name) for name in self.card.result.model_fields}, values


def load(file: Path, name: str) -> PythonLookup:
    """The look-up that this file registers under a name. Blocking. `LookupFailed` says what is wrong with the file."""
    spec = importlib.util.spec_from_file_location(f"citewell_lookup_{name}", file)
    if spec is None or spec.loader is None or not file.is_file():
        raise _fault(name, f"{file} is not there")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # pydantic looks up there what annotations name
    try:
        spec.loader.exec_module(module)
    except BaseException as error:  # noqa: BLE001 - whatever a file does when it is loaded, it costs its look-up alone
        raise _fault(name, f"{file} cannot be loaded ({type(error).__name__}{_line(error, file)})") from None
    found = [one for one in vars(module).values() if isinstance(one, PythonLookup) and one.name == name]
    if len({id(one) for one in found}) != 1:
        raise _fault(name, f'{file} has to have one PythonLookup("{name}", ...) at its top')
    return found[0]


def _line(error: BaseException, file: Path) -> str:
    lines = [entry.tb_lineno for entry in _entries(error) if entry.tb_frame.f_code.co_filename == str(file)]
    line = error.lineno if isinstance(error, SyntaxError) else lines[-1] if lines else None
    return f", line {line}" if line else ""


def _entries(error: BaseException) -> list[TracebackType]:
    found, at = [], error.__traceback__
    while at is not None:
        found.append(at)
        at = at.tb_next
    return found


def _cell(value: object, name: str) -> str:
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, float | Decimal) and not Decimal(value).is_finite():
        raise LookupFailed(f"look-up {name}: a row has a number that is none")
    return written(value)


def _declared(registered: PythonLookup, said: FunctionSettings) -> tuple[Card, Vocabulary]:
    """What the models and the declaration say together. `LookupFailed` where they do not."""
    name, asked, gives = registered.name, registered.arguments.model_fields, registered.result.model_fields
    _fit_together(registered, said)
    keys = [one for one in asked if one != said.person]
    arguments = {key: Argument.of(name, key, asked[key], said.columns.get(key)) for key in keys}
    types: dict[str, Kind] = {key: one.index.kind for key, one in arguments.items()}
    types = {one: _kind(name, one, gives[one].annotation) for one in gives} | types
    types = {one: types[one] for one in dict.fromkeys([*keys, *gives])}
    answers = said.answers or registered.answers
    return declared(name, said, answers=answers, arguments=arguments, types=types, result=registered.result)


def _fit_together(registered: PythonLookup, said: FunctionSettings) -> None:
    asked, gives = {*registered.arguments.model_fields}, {*registered.result.model_fields}
    if inspect.iscoroutinefunction(registered.function):
        raise _fault(registered.name, "its function is async: write a plain one, which has a thread of its own")
    for field, of, names in (
        ("columns", asked | gives, tuple(said.columns)),
        ("template", asked | gives, said.holes),
        ("person", asked, (said.person,)),
        ("as_of_column", gives, (said.as_of_column,)),
    ):
        if unknown := [one for one in names if one is not None and one not in of]:
            raise _fault(registered.name, f"{field}: its models have no {', '.join(unknown)}")


def _kind(name: str, field: str, annotation: Any) -> Kind:
    plain = plain_type(annotation)
    if get_origin(plain) is Literal or (isinstance(plain, type) and issubclass(plain, Enum)):
        return "text"
    if plain not in _KINDS:
        raise _fault(name, f"{field}: a column is text, a number, a date or a time, and no {plain}")
    return _KINDS[plain]


def _fault(name: str, said: str) -> LookupFailed:
    return LookupFailed(f"look-up {name}: {said}")
