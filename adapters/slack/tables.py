"""Tables of Markdown as people read them: columns under each other, in letters of one width."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adapters.table_row import cells, is_rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

WIDEST = 72
"""Characters of a line; a table that needs more is left as it stands, since lines that wrap align nothing."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Some lines of a text, and whether they are a table."""

    text: str
    is_table: bool


def stretches(text: str) -> Iterator[Stretch]:
    """The text in order, its tables aligned and apart; its words are changed nowhere."""
    lines, table = list[str](), list[str]()
    for line in [*text.split("\n"), None]:
        if line is not None and cells(line) is not None:
            table.append(line)
            continue
        if len(table) > 1 and (shown := _aligned(table)) is not None:
            if any(one.strip() for one in lines):
                yield Stretch("\n".join(lines).strip("\n"), is_table=False)
            yield Stretch(shown, is_table=True)
            lines = []
        else:
            lines += table
        table = []
        lines += [] if line is None else [line]
    if any(one.strip() for one in lines):
        yield Stretch("\n".join(lines).strip("\n"), is_table=False)


def _aligned(table: Sequence[str]) -> str | None:
    """Its rows with padded cells, a line under its head; None where they do not fit."""
    rows = [None if is_rule(line) else cells(line) for line in table]
    columns = max(len(row) for row in rows if row is not None) if any(rows) else 0
    widths = [max((_width(row[at]) for row in rows if row and at < len(row)), default=0) for at in range(columns)]
    if not columns or sum(widths) + 3 * (columns - 1) > WIDEST:
        return None
    rule = "-+-".join("-" * width for width in widths)
    return "\n".join(rule if row is None else _line(row, widths) for row in rows)


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    padded = (cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=False))
    return " | ".join(padded).rstrip()


def _width(cell: str) -> int:
    """How many letters wide: East Asian ones take two, marks none."""
    return sum(
        0 if unicodedata.combining(one) else 2 if unicodedata.east_asian_width(one) in "WF" else 1 for one in cell
    )
