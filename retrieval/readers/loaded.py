"""What a reader returns: one text, its sections, and what is known about the document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import date


@dataclass(frozen=True, slots=True)
class Section:
    """A stretch of the loaded text under one heading path, on one page, all prose or all one table.

    `span` counts characters in `Loaded.text`, end exclusive. `columns` are a table's column names, empty for prose;
    each of its rows stands on a line of its own.
    """

    span: tuple[int, int]
    headings: tuple[str, ...] = ()
    page: int | None = None
    place: str = ""
    columns: tuple[str, ...] = ()
    is_table: bool = False


@dataclass(frozen=True, slots=True)
class Loaded:
    """One file as read. `title` is the document's own, empty where it has none (`load` then uses the file's name).

    `warnings` are sentences for the operator about what could not be read as it stands.
    """

    text: str
    sections: tuple[Section, ...]
    title: str = ""
    url: str | None = None
    effective: date | None = None
    review_by: date | None = None
    expires: date | None = None
    superseded_by: str | None = None
    warnings: tuple[str, ...] = ()
