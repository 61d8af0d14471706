"""A table's row read aloud: each cell behind its column's name, a bare figure with the unit that its column gives."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bot.statements import cells
from bot.units import UNIT, unit

if TYPE_CHECKING:
    from collections.abc import Sequence

_BARE = re.compile(r"[<>\u2264\u2265~]?\s?\d[\d.,\u00b7/\s]*(?:\s?(?:-|\u2013|to|or|and)\s?\d[\d.,]*)?")
_BRACKETED = re.compile(r"[(\[]\s*((?:%|[A-Za-zµμ\u00b0]+)(?:/[A-Za-zµμ\d]+)*)\s*[)\]]")
_UNIT = re.compile(rf"(?<![\w/-])(?:{UNIT})(?![\w-])", re.IGNORECASE)
_NO_UNIT = frozenset({"time"})
"""A column of times of day is no column of how often."""


def read_row(row: str, header: Sequence[str]) -> str:
    """As "Drug: amoxicillin; Dose (mg): 500 mg; Times a day: 3 times a day"; its raw cells where no names fit them.

    Where neither its column nor the figure itself names a unit, the row's own label may ("Days | 28").
    """
    found = cells(row)
    names = header if len(header) == len(found) else [""] * len(found)
    of_row = _unit_of(found[0]) if len(found) > 1 else ""
    read = [_with_unit(cell, _unit_of(name) or of_row) for name, cell in zip(names, found, strict=True)]
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in zip(names, read, strict=True) if cell)


def _with_unit(cell: str, unit_: str) -> str:
    return f"{cell} {unit_}" if unit_ and _BARE.fullmatch(cell) else cell


def _unit_of(name: str) -> str:
    """What a column's name counts in: the unit in its brackets, or the only one it has with what stands behind it."""
    bracketed = [match[1] for match in _BRACKETED.finditer(name) if unit(match[1])]
    if bracketed:
        return bracketed[-1]
    named = [match for match in _UNIT.finditer(name) if match[0].casefold() not in _NO_UNIT]
    return name[named[0].start() :] if named else ""
