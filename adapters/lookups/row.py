"""A row that may be shown: checked against its model, free of markup and orders, with what it is as of."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, create_model

from bot.clean import clean
from bot.instruction import addresses_a_machine
from bot.lookup import LookupFailed, Origin
from bot.lookup_days import weekday_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from adapters.lookups.settings import Declared
    from bot.lookup import Card
    from bot.lookup_vocabulary import Kind

STRICT = ConfigDict(extra="forbid", frozen=True)


def _weekday(given: str) -> str:
    if weekday_of(given) is None:
        raise ValueError("no weekday")
    return given


WEEKDAY = Annotated[str, AfterValidator(_weekday)]
_TYPES: dict[Kind, Any] = {
    "text": str,
    "integer": int,
    "number": Decimal,
    "date": date,
    "time": Annotated[str, Field(pattern=r"^([01]?\d|2[0-3])[:.][0-5]\d$")],
    "weekday": WEEKDAY,
}


def shown(said: Declared, columns: Iterable[str]) -> dict[str, str]:
    """The columns that people see, each with what they read: not the person's, and not the day of the row."""
    hidden = {said.person, said.as_of_column}
    labels = {name: column.label for name, column in said.columns.items()}
    return {name: labels.get(name) or name.replace("_", " ") for name in columns if name not in hidden}


def named(said: Declared, labels: Mapping[str, str]) -> dict[str, Sequence[str]]:
    """All that people call each column."""
    found: dict[str, Sequence[str]] = {}
    for name, label in labels.items():
        declared = said.columns.get(name)
        found[name] = (label, name.replace("_", " "), *(declared.synonyms if declared else ()))
    return found


def result_model(name: str, types: Mapping[str, Kind]) -> type[BaseModel]:
    """The model of a row with columns of these types, any of which may be empty."""
    fields: dict[str, Any] = {column: (_TYPES[kind] | None, None) for column, kind in types.items()}
    return create_model(f"{name}_result", __config__=STRICT, **fields)


def origin_of(said: Declared, card: Card, cells: Mapping[str, str], as_of: date | None) -> Origin:
    """What the row with these cells is as of: its own day where it has one, else `as_of`."""
    if said.as_of_column is not None:
        try:
            as_of = date.fromisoformat(cells[said.as_of_column][:10])
        except ValueError:
            msg = f"look-up {card.name}: a row does not say its day in {said.as_of_column}, as 2026-11-30"
            raise LookupFailed(msg) from None
    return Origin(said.title, said.owner, as_of, _later(as_of, said.stale_after), _later(as_of, said.expires_after))


def checked(card: Card, cells: Mapping[str, str], place: str) -> BaseModel:
    """The values of the columns. `LookupFailed` says which of them do not fit, and nothing of what they hold."""
    try:
        return card.result.model_validate({name: cells.get(name) or None for name in card.columns})
    except ValidationError as error:
        raise misfit(card, error, place) from None


def misfit(card: Card, error: ValidationError, place: str) -> LookupFailed:
    """What is said of a row that does not fit its model."""
    names = ", ".join(sorted({str(fault["loc"][0]) if fault["loc"] else "all" for fault in error.errors()}))
    return LookupFailed(f"look-up {card.name}: {place} does not fit in {names}")


def may_be_shown(card: Card, written: Mapping[str, str], place: str) -> None:
    """`LookupFailed` for what gives orders to a machine, or has markup or an address."""
    if any(map(addresses_a_machine, written.values())):
        msg = f"look-up {card.name}: {place} gives orders to a machine, and is not shown"
        raise LookupFailed(msg)
    if marked := [name for name, text in written.items() if clean(text) != text]:
        msg = f"look-up {card.name}: {', '.join(marked)} has an address or markup, which is not shown"
        raise LookupFailed(msg)


def _later(day: date | None, days: int | None) -> date | None:
    return None if day is None or days is None else day + timedelta(days)
