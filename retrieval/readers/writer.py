"""Builds the loaded text of formats that have no plain text of their own: headings, paragraphs, items and rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from retrieval.readers.loaded import Section

if TYPE_CHECKING:
    from collections.abc import Sequence

SPLITTING_LEVEL = 3
"""Headings down to this level begin a section; deeper ones stay in the text as lines of their own."""

CELL_SEPARATOR = " | "


SUPERSCRIPTS = str.maketrans("0123456789+-−()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁽⁾")
"""Raised digits as characters of their own."""

_LONGEST_COLUMN_NAME = 80


def tidy(text: str) -> str:
    """The text with each run of white space as one space, without soft hyphens, zero-width characters, ligatures."""
    return " ".join(text.translate(_TIDIED).split())


_TIDIED: dict[int, str | None] = dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff"))
_TIDIED.update(zip(range(0xFB00, 0xFB07), ("ff", "fi", "fl", "ffi", "ffl", "st", "st"), strict=True))


class HeadingPath:
    """The headings above a place: a heading of level n ends all of level n and deeper."""

    def __init__(self) -> None:
        self._stack: list[tuple[int, str]] = []

    def enter(self, level: int, text: str) -> None:
        """Go under a heading. Levels count from 1."""
        self._stack = [entry for entry in self._stack if entry[0] < level]
        self._stack.append((level, text))

    @property
    def path(self) -> tuple[str, ...]:
        """Outermost first."""
        return tuple(text for _, text in self._stack)


@dataclass(slots=True)
class Writer:
    """Appends to one text and keeps the sections' spans. Every call's text is tidied; empty text is passed over."""

    _parts: list[str] = field(default_factory=list)
    _length: int = 0
    _sections: list[Section] = field(default_factory=list)
    _open: Section | None = None
    _headings: HeadingPath = field(default_factory=HeadingPath)
    _page: int | None = None
    _place: str = ""

    def at(self, place: str, page: int | None = None, *, fresh: bool = False) -> None:
        """All that follows stands at this place, under the same headings until others come, or with `fresh` none."""
        self._close()
        if fresh:
            self._headings = HeadingPath()
        self._place, self._page = place, page

    def heading(self, level: int, text: str) -> None:
        """A heading of level 1 to 6; those beyond `SPLITTING_LEVEL` are written as paragraphs."""
        text = tidy(text)
        if not text:
            return
        if level > SPLITTING_LEVEL:
            self.paragraph(text)
            return
        self._close()
        self._headings.enter(level, text)
        self._append(text, "\n\n")

    def paragraph(self, text: str) -> None:
        """One paragraph. Line feeds in it are kept."""
        lines = (tidy(line) for line in text.split("\n"))
        self._block("\n".join(line for line in lines if line), "\n\n")

    def item(self, text: str, *, marker: str = "-", depth: int = 0) -> None:
        """One entry of a list, on a line of its own."""
        text = tidy(text)
        if text:
            self._block(f"{'  ' * depth}{marker} {text}", "\n")

    def table(self, rows: Sequence[Sequence[str]]) -> None:
        """A table as a section of its own, a row a line. Where the first row names the columns, rows know them."""
        tidied = [[tidy(cell) for cell in row] for row in rows]
        kept = [row for row in tidied if any(row)]
        columns = tuple(kept[0]) if len(kept) > 1 and _names_columns(kept[0]) else ()
        self._close()
        for row in kept:
            self.row(CELL_SEPARATOR.join(row).rstrip(CELL_SEPARATOR), columns=columns)
        self._close()

    def row(self, line: str, *, columns: tuple[str, ...] = ()) -> None:
        """One row of a table, written out already. Rows that follow each other are one table."""
        if not (self._open and self._open.is_table):
            self._close()
        self._block(line, "\n", columns=columns, is_table=True)

    def close(self) -> tuple[str, tuple[Section, ...]]:
        """The text and its sections."""
        self._close()
        return "".join(self._parts), tuple(self._sections)

    def _block(self, text: str, gap: str, *, columns: tuple[str, ...] = (), is_table: bool = False) -> None:
        if not text:
            return
        if self._open and self._open.is_table and not is_table:
            self._close()
        start = self._append(text, gap)
        if self._open is None:
            self._open = Section((start, 0), self._headings.path, self._page, self._place, columns, is_table)

    def _append(self, text: str, gap: str) -> int:
        """Write after a gap: a list or table begins with an empty line before it. Returns where the text starts."""
        if self._length:
            between = gap if self._open else "\n\n"
            self._parts.append(between)
            self._length += len(between)
        start = self._length
        self._parts.append(text)
        self._length += len(text)
        return start

    def _close(self) -> None:
        if self._open:
            o = self._open
            closed = Section((o.span[0], self._length), o.headings, o.page, o.place, o.columns, o.is_table)
            self._sections.append(closed)
            self._open = None


def _names_columns(row: Sequence[str]) -> bool:
    return all(row) and all(len(name) <= _LONGEST_COLUMN_NAME and not name.isdecimal() for name in row)
