"""A table's cells as text, from CSV, XLSX or a SQLite view: the declared columns, and no other."""

from __future__ import annotations

import csv
import sqlite3
from contextlib import closing
from datetime import date, datetime, time
from typing import TYPE_CHECKING

from bot.lookup import LookupFailed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

MOST_ROWS = 500_000
_LONGEST = 2_000


def cells(file: Path, headers: Sequence[str], view: str | None) -> Iterator[tuple[str, ...]]:
    """Row after row, the columns of these names in this order, without rows that are empty. Blocking.

    `LookupFailed` where the file, the view or a column is not there or cannot be read.
    """
    try:
        match file.suffix.casefold():
            case ".csv":
                yield from _within(_csv(file), file, headers)
            case ".xlsx":
                yield from _within(_xlsx(file), file, headers)
            case _:
                yield from _sqlite(file, headers, view or "")
    except LookupFailed:
        raise
    except FileNotFoundError:
        msg = f"{file} is not there"
        raise LookupFailed(msg) from None
    except Exception as error:  # noqa: BLE001 - libraries that read files raise what they like
        msg = f"{file} cannot be read as a table ({type(error).__name__})"
        raise LookupFailed(msg) from None  # a library's own words may quote a cell


def _within(rows: Iterator[Sequence[object]], file: Path, headers: Sequence[str]) -> Iterator[tuple[str, ...]]:
    names = [written(cell).casefold() for cell in next(rows, ())]
    if missing := [name for name in headers if names.count(name.casefold()) != 1]:
        msg = f"{file} has no column {', '.join(missing)}, or has it twice"
        raise LookupFailed(msg)
    places = [names.index(name.casefold()) for name in headers]
    yield from _some(tuple(row[at] if at < len(row) else "" for at in places) for row in rows)


def _some(rows: Iterable[Sequence[object]]) -> Iterator[tuple[str, ...]]:
    for number, row in enumerate(rows):
        if number >= MOST_ROWS:
            msg = f"it has more than {MOST_ROWS} rows"
            raise LookupFailed(msg)
        texts = tuple(map(written, row))
        if any(texts):
            yield texts


def _csv(file: Path) -> Iterator[Sequence[object]]:
    with file.open(encoding="utf-8-sig", newline="") as stream:
        yield from csv.reader(stream, strict=True)


def _xlsx(file: Path) -> Iterator[Sequence[object]]:
    from openpyxl import load_workbook

    with closing(load_workbook(file, read_only=True, data_only=True)) as book:
        yield from book.worksheets[0].iter_rows(values_only=True)


def _sqlite(file: Path, headers: Sequence[str], view: str) -> Iterator[tuple[str, ...]]:
    if not file.is_file():
        raise FileNotFoundError(file)
    with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as connection:
        known = {
            name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type IN ('view', 'table')")
        }
        if view not in known:
            msg = f"{file} has no view {view}"
            raise LookupFailed(msg)
        there = {row[0] for row in connection.execute("SELECT name FROM pragma_table_info(?)", (view,))}
        if missing := [name for name in headers if name not in there]:
            msg = f"{file} has no column {', '.join(missing)} in {view}"
            raise LookupFailed(msg)
        named = ", ".join(map(_quoted, headers))  # names that the file itself has, checked above
        yield from _some(connection.execute(f"SELECT {named} FROM {_quoted(view)}"))  # noqa: S608 - as above


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def written(cell: object) -> str:  # noqa: PLR0911 - a list of cases
    """A cell as people write it."""
    match cell:
        case None:
            return ""
        case datetime() if cell.time() == time():
            return cell.date().isoformat()
        case datetime():
            return cell.isoformat(" ", "minutes")
        case date():
            return cell.isoformat()
        case time():
            return cell.isoformat("minutes")
        case float() if cell.is_integer():
            return str(int(cell))
        case _:
            text = " ".join(str(cell).split())
            if len(text) > _LONGEST:
                msg = f"it has a cell of more than {_LONGEST} characters"
                raise LookupFailed(msg)
            return text
