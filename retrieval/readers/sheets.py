"""Reads spreadsheets and CSV files: every row written so that it can be understood alone."""

from __future__ import annotations

import csv
import re
from datetime import datetime, time
from io import BytesIO, StringIO
from itertools import chain, islice
from typing import TYPE_CHECKING

from retrieval.readers.decode import decode
from retrieval.readers.loaded import Loaded
from retrieval.readers.writer import CELL_SEPARATOR, Writer, tidy

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_LONGEST_HEADER = 120
_HEAD = 10
"""The row that names the columns is looked for among this many."""

_MOST_ROWS = 200_000
_PERCENT = re.compile(r"0(?:\.(0+))?%")


def read_xlsx(data: bytes) -> Loaded:
    """All visible sheets, as the values that were last calculated."""
    import openpyxl

    book = openpyxl.load_workbook(BytesIO(data), read_only=True, data_only=True)
    writer, warnings = Writer(), []
    try:
        for sheet in book.worksheets:
            if sheet.sheet_state != "visible":
                warnings.append(f"hidden sheet left out: {sheet.title}")
                continue
            writer.at(f"sheet {sheet.title}")
            sheet.reset_dimensions()
            rows = ([_shown(cell.value, cell.number_format) for cell in row] for row in sheet.iter_rows())
            if _write_rows(rows, writer):
                warnings.append(f"sheet {sheet.title}: rows after the first {_MOST_ROWS:,} were left out")
        text, sections = writer.close()
        return Loaded(text, sections, title=book.properties.title or "", warnings=tuple(warnings))
    finally:
        book.close()


def read_csv(data: bytes) -> Loaded:
    """A table out of a text file; the separator is told from its first lines."""
    text, warnings = decode(data)
    try:
        dialect: type[csv.Dialect] = csv.Sniffer().sniff(text[:8192], delimiters=",;\t|")
    except csv.Error:
        dialect = csv.excel
    writer = Writer()
    if _write_rows(csv.reader(StringIO(text, newline=""), dialect), writer):
        warnings = (*warnings, f"rows after the first {_MOST_ROWS:,} were left out")
    written, sections = writer.close()
    return Loaded(written, sections, warnings=warnings)


def _write_rows(rows: Iterable[Sequence[str]], writer: Writer) -> bool:
    """Write each row as "column: value | column: value"; true if there were too many.

    A row with a single value is a line of its own: a heading, a remark.
    """
    tidied = ([tidy(value) for value in row] for row in islice(rows, _MOST_ROWS + 1))
    head = list(islice(tidied, _HEAD))
    names_at = _header(head)
    columns = head[names_at] if names_at is not None else []
    names = tuple(name for name in columns if name)
    for number, cells in enumerate(chain(head, tidied)):
        filled = [cell for cell in cells if cell]
        if number == _MOST_ROWS:
            return True
        if number == names_at and len(head) > number + 1:
            continue
        if len(filled) == 1 and len(names) != 1:
            writer.paragraph(filled[0])
        elif filled:
            below = names_at is not None and number > names_at
            writer.row(_row(cells, columns if below else []), columns=names if below else ())
    return False


def _header(head: Sequence[Sequence[str]]) -> int | None:
    """Which of the first rows names the columns: the first as wide as most, all of it short texts."""
    widest = max((sum(map(bool, cells)) for cells in head), default=0)
    for number, cells in enumerate(head):
        filled = [cell for cell in cells if cell]
        if len(filled) >= max(2, 0.6 * widest):
            named = all(len(cell) <= _LONGEST_HEADER and not _is_number(cell) for cell in filled)
            return number if named else None
    return None


def _row(cells: Sequence[str], columns: Sequence[str]) -> str:
    named = []
    for number, cell in enumerate(cells):
        name = columns[number] if number < len(columns) else ""
        if cell:
            named.append(f"{name.rstrip(':')}: {cell}" if name else cell)
    return CELL_SEPARATOR.join(named)


def _is_number(cell: str) -> bool:
    return re.fullmatch(r"[-+]?[\d.,]+%?", cell) is not None


def _shown(value: object, number_format: str) -> str:
    """A cell as a person sees it, near enough: dates in ISO order, percentages as such, no floating-point dust."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ", "minutes")
    if isinstance(value, int | float):
        return _number(value, number_format)
    return value.isoformat("minutes") if isinstance(value, time) else str(value)


def _number(value: float, number_format: str) -> str:
    percent = _PERCENT.search(number_format or "")
    if percent:
        return f"{value * 100:.{len(percent[1] or '')}f}%"
    return str(value) if isinstance(value, int) else f"{value:.12g}"
