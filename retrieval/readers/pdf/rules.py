"""Ruled tables of a PDF page: the drawn lines, and the grids that they make."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from retrieval.readers.pdf.glyphs import upright

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pypdfium2 import PdfMatrix, PdfPage

_SNAP = 3.0
"""Points within which two edges are one: a border drawn twice, or a rectangle as thin as a line."""

_MOST_SEGMENTS = 6_000
"""A page that draws more than this is a map or a chart, and is not searched for tables."""


_DEEPEST_FORM = 4
"""Drawings inside drawings are followed this far."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A drawn line along an axis: at `at` (y if `flat`, else x), from `start` to `end`. Points."""

    flat: bool
    at: float
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Grid:
    """A ruled table: `xs` from left to right and `ys` from top to bottom are the edges of its columns and rows."""

    xs: tuple[float, ...]
    ys: tuple[float, ...]
    rules: tuple[Rule, ...]

    def cell(self, x: float, y: float) -> tuple[int, int] | None:
        """Row and column of a point; None outside."""
        column, row = _band(self.xs, x), _band(tuple(-edge for edge in self.ys), -y)
        return None if row is None or column is None else (row, column)

    def merged_with_above(self, row: int, column: int) -> bool:
        """Whether no line parts this cell from the one above it."""
        x = (self.xs[column] + self.xs[column + 1]) / 2
        return row > 0 and not any(
            rule.flat and abs(rule.at - self.ys[row]) <= _SNAP and rule.start <= x <= rule.end for rule in self.rules
        )


def drawn(page: PdfPage, turn: int) -> tuple[list[Rule], bool]:
    """The horizontal and vertical lines of a page, set upright as its text is, and whether it shows an image."""
    import pypdfium2.raw as pdfium

    rules: list[Rule] = []
    has_image = False
    segments = 0
    for shape, matrices in _objects(page.raw):
        kind = pdfium.FPDFPageObj_GetType(shape)
        has_image = has_image or kind == pdfium.FPDF_PAGEOBJ_IMAGE
        if kind != pdfium.FPDF_PAGEOBJ_PATH:
            continue
        segments += pdfium.FPDFPath_CountSegments(shape)
        if segments > _MOST_SEGMENTS:
            rules = []
            continue
        for x0, y0, x1, y1 in _strokes(shape, matrices):
            left, bottom, right, top = upright(turn, min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))
            if top - bottom <= 1 < right - left:
                rules.append(Rule(True, (top + bottom) / 2, left, right))
            elif right - left <= 1 < top - bottom:
                rules.append(Rule(False, (left + right) / 2, bottom, top))
    return rules, has_image


def _objects(page: Any) -> Iterator[tuple[Any, list[PdfMatrix]]]:
    """Everything drawn on a page, forms opened, with the matrices that place it, innermost first."""
    import pypdfium2.raw as pdfium

    waiting: list[tuple[Any, list[PdfMatrix]]] = [
        (pdfium.FPDFPage_GetObject(page, index), []) for index in range(pdfium.FPDFPage_CountObjects(page))
    ]
    for shape, outer in waiting:
        kind = pdfium.FPDFPageObj_GetType(shape)
        if kind == pdfium.FPDF_PAGEOBJ_TEXT:
            continue
        matrices = [_matrix(shape), *outer]
        if kind != pdfium.FPDF_PAGEOBJ_FORM:
            yield shape, matrices
        elif len(matrices) <= _DEEPEST_FORM:
            waiting += [
                (pdfium.FPDFFormObj_GetObject(shape, index), matrices)
                for index in range(pdfium.FPDFFormObj_CountObjects(shape))
            ]


def _matrix(shape: Any) -> PdfMatrix:
    from pypdfium2 import PdfMatrix, raw

    matrix = raw.FS_MATRIX()
    raw.FPDFPageObj_GetMatrix(shape, ctypes.byref(matrix))
    return PdfMatrix.from_raw(matrix)


def grids(rules: Sequence[Rule]) -> list[Grid]:
    """The tables among the lines: those that touch, with two columns and two rows at least."""
    found = []
    for group in _touching([rule for rule in rules if rule.end - rule.start > 2 * _SNAP]):
        xs = _edges(rule.at for rule in group if not rule.flat)
        ys = _edges(rule.at for rule in group if rule.flat)
        if len(xs) > 2 and len(ys) > 2:
            found.append(Grid(xs, ys[::-1], tuple(group)))
    return found


def _strokes(shape: Any, matrices: Sequence[PdfMatrix]) -> Iterator[tuple[float, float, float, float]]:
    """The straight segments of a path, in page coordinates; curves only move the pen."""
    import pypdfium2.raw as pdfium

    x, y = ctypes.c_float(), ctypes.c_float()
    pen = first = (0.0, 0.0)
    for index in range(pdfium.FPDFPath_CountSegments(shape)):
        segment = pdfium.FPDFPath_GetPathSegment(shape, index)
        pdfium.FPDFPathSegment_GetPoint(segment, ctypes.byref(x), ctypes.byref(y))
        point = (x.value, y.value)
        for matrix in matrices:
            point = matrix.on_point(*point)
        kind = pdfium.FPDFPathSegment_GetType(segment)
        if kind == pdfium.FPDF_SEGMENT_MOVETO:
            first = point
        elif kind == pdfium.FPDF_SEGMENT_LINETO:
            yield *pen, *point
        pen = point
        if pdfium.FPDFPathSegment_GetClose(segment):
            yield *pen, *first
            pen = first


def _touching(rules: Sequence[Rule]) -> list[list[Rule]]:
    """Groups of lines connected by crossings or corners."""
    parent = list(range(len(rules)))

    def root(index: int) -> int:
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    flat = [(index, rule) for index, rule in enumerate(rules) if rule.flat]
    steep = [(index, rule) for index, rule in enumerate(rules) if not rule.flat]
    for i, across in flat:
        for j, down in steep:
            if (
                across.start - _SNAP <= down.at <= across.end + _SNAP
                and down.start - _SNAP <= across.at <= down.end + _SNAP
            ):
                parent[root(i)] = root(j)
    groups: dict[int, list[Rule]] = {}
    for index, rule in enumerate(rules):
        groups.setdefault(root(index), []).append(rule)
    return list(groups.values())


def _edges(values: Iterable[float]) -> tuple[float, ...]:
    """Ascending, the near ones taken as one."""
    edges: list[float] = []
    for value in sorted(values):
        if not edges or value - edges[-1] > _SNAP:
            edges.append(value)
    return tuple(edges)


def _band(edges: Sequence[float], value: float) -> int | None:
    """Which of the bands between ascending edges holds the value."""
    for index in range(len(edges) - 1):
        if edges[index] <= value <= edges[index + 1]:
            return index
    return None
