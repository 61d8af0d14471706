"""Tables of a PDF page: rows of cells, from drawn grids or from texts that stand under one another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval.readers.pdf.glyphs import LINE_HYPHEN, Fragment, on_one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.readers.pdf.rules import Grid

_LONGEST_REPEATED = 80
"""A cell that spans several rows is said again in each of them up to this many characters."""

_FEWEST_ROWS = 3
"""Fewer lines than this with a wide gap are no table: a form's line, a place and a date."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells, each row as long as the others, and the box around them in points."""

    rows: tuple[tuple[str, ...], ...]
    left: float
    bottom: float
    right: float
    top: float

    @property
    def middle(self) -> float:
        """Height of its centre."""
        return (self.bottom + self.top) / 2


def ruled_tables(fragments: Sequence[Fragment], grids: Sequence[Grid]) -> list[Fragment | Table]:
    """The fragments, with those inside a grid taken together as its table."""
    outside: list[Fragment | Table] = []
    inside: dict[int, list[Fragment]] = {}
    for fragment in fragments:
        number = next((n for n, grid in enumerate(grids) if grid.cell(fragment.centre, fragment.middle)), None)
        if number is None:
            outside.append(fragment)
        else:
            inside.setdefault(number, []).append(fragment)
    for number, cells in inside.items():
        table = _ruled(grids[number], cells)
        outside.extend(cells if table is None else [table])
    return outside


def aligned_table(lines: Sequence[Sequence[Fragment]]) -> Table | None:
    """A table out of lines that each hold several texts, where these stand under one another in columns.

    A line with nothing in the first column, or nothing but the first and close below, goes on with the row above it.
    """
    if sum(len(line) > 1 for line in lines) < _FEWEST_ROWS:
        return None
    spans = _columns([cell for line in lines[1:] for cell in line])
    if len(spans) < 2:
        return None
    rows: list[list[str]] = []
    last: Fragment | None = None
    for line in lines:
        row = [""] * len(spans)
        for cell in line:
            column = min(range(len(spans)), key=lambda n: _distance(spans[n], cell.centre))
            row[column] = f"{row[column]} {cell.text}".strip()
        close = last is not None and last.bottom - line[0].top < 0.3 * line[0].height
        last = line[0]
        if rows and (not row[0] or (close and not any(row[1:]))):
            rows[-1] = [f"{above} {here}".strip() for above, here in zip(rows[-1], row, strict=True)]
        else:
            rows.append(row)
    return _table(rows, [cell for line in lines for cell in line])


def _ruled(grid: Grid, fragments: Sequence[Fragment]) -> Table | None:
    texts: dict[tuple[int, int], list[Fragment]] = {}
    for fragment in fragments:
        cell = grid.cell(fragment.centre, fragment.middle)
        if cell is not None:
            texts.setdefault(_first_of_span(grid, *cell), []).append(fragment)
    joined = {cell: _cell_text(inside) for cell, inside in texts.items()}
    rows = []
    for row in range(len(grid.ys) - 1):
        cells = []
        for column in range(len(grid.xs) - 1):
            home = _first_of_span(grid, row, column)
            text = joined.get(home, "")
            cells.append(text if home[0] == row or len(text) <= _LONGEST_REPEATED else "")
        if any(_first_of_span(grid, row, column) in joined and cells[column] for column in range(len(cells))):
            rows.append(cells)
    return _table(rows, fragments)


def _first_of_span(grid: Grid, row: int, column: int) -> tuple[int, int]:
    while grid.merged_with_above(row, column):
        row -= 1
    return row, column


def _cell_text(fragments: Sequence[Fragment]) -> str:
    lines: list[list[Fragment]] = []
    for fragment in sorted(fragments, key=lambda piece: -piece.middle):
        if lines and on_one_line(lines[-1][0], fragment):
            lines[-1].append(fragment)
        else:
            lines.append([fragment])
    texts = [" ".join(piece.text for piece in sorted(line, key=lambda piece: piece.left)) for line in lines]
    return " ".join(texts).replace(f"{LINE_HYPHEN} ", LINE_HYPHEN)


def _distance(span: tuple[float, float], x: float) -> float:
    return max(span[0] - x, x - span[1], 0)


def _columns(cells: Sequence[Fragment]) -> list[tuple[float, float]]:
    """The stretches of x that cells cover."""
    spans: list[tuple[float, float]] = []
    for cell in sorted(cells, key=lambda piece: piece.left):
        if spans and cell.left <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(spans[-1][1], cell.right))
        else:
            spans.append((cell.left, cell.right))
    return spans


def _table(rows: Sequence[Sequence[str]], around: Sequence[Fragment]) -> Table | None:
    """A table with two rows and two columns at least; boxes around text make none."""
    used = [column for column in range(len(rows[0])) if any(row[column] for row in rows)]
    if len(rows) < 2 or len(used) < 2:
        return None
    return Table(
        rows=tuple(tuple(row[column] for column in used) for row in rows),
        left=min(piece.left for piece in around),
        bottom=min(piece.bottom for piece in around),
        right=max(piece.right for piece in around),
        top=max(piece.top for piece in around),
    )
