"""One argument of a service: how it is found in a question, and which values it may have."""

from __future__ import annotations

import re
import types
from dataclasses import dataclass
from datetime import date
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import AfterValidator, Field

from bot.lookup import LookupFailed
from bot.lookup_days import WEEKDAYS
from bot.lookup_vocabulary import KeyIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pydantic.fields import FieldInfo

    from adapters.lookups.settings import Column
    from bot.lookup_vocabulary import Kind

_DIGITS = r"\d{1,9}"


@dataclass(frozen=True, slots=True)
class Argument:
    """`index` has its values where they are known, `pattern` what a word has to match to be one; `type` checks one."""

    index: KeyIndex
    pattern: str | None
    required: bool
    type: Any

    @classmethod
    def declared(cls, column: Column, *, required: bool) -> Argument:
        """As the home's file says it."""
        return cls._made(column.type, column.values, column.pattern, required=required, exact=column.exact)

    @classmethod
    def of(cls, lookup: str, name: str, field: FieldInfo, column: Column | None) -> Argument:
        """As a model says it, where the home's file does not. `LookupFailed` where nobody says its values."""
        plain = plain_type(field.annotation)
        values = tuple(column.values) if column else ()
        pattern = column.pattern if column else None
        kind: Kind = "text"
        if get_origin(plain) is Literal:
            values = values or get_args(plain)
        elif isinstance(plain, type) and issubclass(plain, Enum):
            values = values or tuple(one.value for one in plain)
        elif plain is date:
            kind = "date"
        elif plain is int:
            kind = "integer"
        elif plain is not str:
            raise LookupFailed(f"look-up {lookup}: {name}: an argument is a Literal, an Enum, str, int or date")
        if not all(isinstance(one, str) for one in values):
            raise LookupFailed(f"look-up {lookup}: {name}: its values have to be texts")
        if set(values) == set(WEEKDAYS):
            kind = "weekday"
        if kind == "text" and not values and not pattern:
            said = f"say its values with Literal, or values or a pattern under [lookups.{lookup}.columns]"
            raise LookupFailed(f"look-up {lookup}: {name}: {said}")
        exact = column is not None and column.exact
        return cls._made(kind, values, pattern, required=field.is_required(), exact=exact)

    @classmethod
    def _made(cls, kind: Kind, values: Sequence[str], pattern: str | None, *, required: bool, exact: bool) -> Argument:
        if kind == "weekday":
            values = WEEKDAYS
        if kind == "integer":
            kind, pattern = "text", pattern or _DIGITS
        checked = Annotated[str, Field(max_length=200), AfterValidator(_among(kind, values, pattern))]
        return cls(KeyIndex.of(kind, values, exact=exact), pattern, required, checked)


def plain_type(annotation: Any) -> Any:
    """Without None beside it, and without what pydantic is told besides."""
    if get_origin(annotation) is Annotated:
        return plain_type(get_args(annotation)[0])
    if get_origin(annotation) in {Union, types.UnionType}:
        kinds = [one for one in get_args(annotation) if one is not types.NoneType]
        return plain_type(kinds[0]) if len(kinds) == 1 else annotation
    return annotation


def _among(kind: Kind, values: Sequence[str], pattern: str | None) -> Callable[[str], str]:
    """What takes a value that a question may give, and raises ValueError for any other."""
    known, form = frozenset(values), re.compile(pattern) if pattern else None

    def check(given: str) -> str:
        if known:
            right = given in known
        elif form is not None:
            right = form.fullmatch(given) is not None
        else:
            right = kind == "date" and date.fromisoformat(given).isoformat() == given
        if not right:
            raise ValueError("no value of this argument")
        return given

    return check
