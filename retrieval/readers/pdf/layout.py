"""Fragments of a PDF page put into reading order: columns, the lines in them, and tables by row."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, TypeAlias

from retrieval.readers.pdf.glyphs import Fragment, join, lines_of, on_one_line
from retrieval.readers.pdf.tables import Table, aligned_table

if TYPE_CHECKING:
    from collections.abc import Sequence

MARKER = re.compile(r"(?:[•●○◦▪■□▫‣⁃∙·➢➤✓✔❑❒☐☑□➤►▶*–—-]|\(?(?:\d{1,2}|[a-zA-Z]|[ivx]{1,4})[.)])(?=\s|$)")
"""What begins an entry of a list: a bullet, a number or a letter."""

_GUTTER = 6.0
"""The narrowest space between two columns, in points."""

_SPARSE = 1.8
"""Lines further apart than this many heights are labels beside something longer."""

_CELL_GAP = 2.5
"""Texts further apart on one line than this many heights are cells of a form; nearer ones are justified words."""

_FEWEST_LINES = 4
"""A column holds at least this many lines; what holds fewer is a note beside, a table or a form."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of text in a column whose edges are `column`."""

    fragment: Fragment
    column: tuple[float, float]


Item: TypeAlias = Fragment | Table
Block: TypeAlias = Line | Table


def in_order(items: Sequence[Item]) -> list[Block]:
    """A page's lines and tables as a person reads them: down the left column, then down the right one."""
    gutter = _gutter(items)
    if gutter is None:
        return _column(items, _edges(items))
    blocks: list[Block] = []
    left: list[Item] = []
    right: list[Item] = []

    def flush() -> None:
        if left and right:
            blocks.extend(in_order(left))
            blocks.extend(in_order(right))
        else:
            blocks.extend(_column(left or right, _edges(items)))
        left.clear()
        right.clear()

    for item in sorted(items, key=lambda item: -item.middle):
        if item.right <= gutter:
            left.append(item)
        elif item.left >= gutter:
            right.append(item)
        else:
            flush()
            blocks.extend(_column([item], _edges(items)))
    flush()
    return blocks


def _edges(items: Sequence[Item]) -> tuple[float, float]:
    return min(item.left for item in items), max(item.right for item in items)


def _gutter(items: Sequence[Item]) -> float | None:
    """The x between two columns of prose that most lines beside it do not cross, if there is one."""
    best: tuple[int, float] | None = None
    for x in sorted({round(item.right) + 0.5 for item in items}):
        left = [item for item in items if item.right <= x]
        right = [item for item in items if item.left >= x]
        if min(len(left), len(right)) < _FEWEST_LINES:
            continue
        space = sorted(item.left for item in right)[len(right) // 20] - x
        top = min(max(item.top for item in left), max(item.top for item in right))
        bottom = max(min(item.bottom for item in left), min(item.bottom for item in right))
        beside = [item for item in items if bottom <= item.middle <= top]
        crossing = sum(item.left < x < item.right for item in beside)
        score = min(len(left), len(right)) - 3 * crossing
        if space >= _GUTTER and 5 * crossing <= len(beside) and (best is None or score > best[0]):
            best = (score, x + space / 2 if not crossing else x)
    if best is None:
        return None
    x = best[1]
    texts = [item for item in items if isinstance(item, Fragment)]
    left_texts = [item for item in texts if item.right <= x]
    right_texts = [item for item in texts if item.left >= x]
    return None if _rows(left_texts, right_texts) or _rows(right_texts, left_texts) else x


def _rows(side: Sequence[Fragment], other: Sequence[Fragment]) -> bool:
    """Whether one side looks like a table's column: texts short or far apart, most with something opposite."""
    if len(side) < _FEWEST_LINES:
        return bool(side)
    opposite = sum(any(on_one_line(item, there) for there in other) for item in side)
    if opposite < 0.75 * len(side):
        return False
    left, right = _edges(side)
    length = median(len(item.text) for item in side)
    filled = median(item.right - item.left for item in side) / max(right - left, 1)
    ordered = sorted(side, key=lambda item: -item.middle)
    spacing = median((upper.middle - lower.middle) / upper.height for upper, lower in pairwise(ordered))
    return length < 15 or (length < 40 and filled < 0.75) or spacing > _SPARSE


def _column(items: Sequence[Item], edges: tuple[float, float]) -> list[Block]:
    """The blocks of one column; lines with texts under one another in several columns make a table."""
    rows: list[Table | list[Fragment]] = [item for item in items if isinstance(item, Table)]
    rows += [_cells(line) for line in lines_of([item for item in items if isinstance(item, Fragment)])]
    rows.sort(key=lambda row: -(row.middle if isinstance(row, Table) else row[0].middle))
    blocks: list[Block] = []
    run: list[list[Fragment]] = []

    def flush() -> None:
        table = aligned_table(run)
        if table is not None:
            blocks.append(table)
        else:
            blocks.extend(Line(_one(cells), edges) for cells in run)
        run.clear()

    for number, row in enumerate(rows):
        if isinstance(row, Table):
            flush()
            blocks.append(row)
        elif len(row) > 1 or (run and _goes_on(run, row[0], rows[number + 1 : number + 2])):
            run.append(row)
        else:
            flush()
            blocks.append(Line(row[0], edges))
    flush()
    return blocks


def _goes_on(run: Sequence[Sequence[Fragment]], text: Fragment, following: Sequence[Table | list[Fragment]]) -> bool:
    """Whether a text alone on its line is the rest of a cell in the rows above it."""
    second = min(row[1].left for row in run if len(row) > 1)
    if text.left >= second - 3:
        return True
    close = run[-1][0].bottom - text.top < 0.3 * text.height
    more = any(isinstance(row, list) and (len(row) > 1 or row[0].left >= second - 3) for row in following)
    return close and more and text.right < second


def _cells(line: Sequence[Fragment]) -> list[Fragment]:
    """A line's fragments, with a marker joined to what it marks."""
    cells = [line[0]]
    for fragment in line[1:]:
        touching = fragment.left - cells[-1].right < 0.15 * fragment.height
        if touching or MARKER.fullmatch(cells[-1].text):
            cells[-1] = join([cells[-1], fragment], cells[-1].text + ("" if touching else " ") + fragment.text)
        else:
            cells.append(fragment)
    return cells


def _one(cells: Sequence[Fragment]) -> Fragment:
    text = cells[0].text
    for last, cell in pairwise(cells):
        text += (" | " if cell.left - last.right > _CELL_GAP * cell.height else " ") + cell.text
    return join(cells, text)
