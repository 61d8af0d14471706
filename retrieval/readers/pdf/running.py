"""What stands on a PDF's pages and is not its text: running headers and footers, page numbers, line numbers."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

from retrieval.readers.pdf.glyphs import lines_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.readers.pdf.glyphs import Fragment

_MARGIN = 0.12
"""The part of a page's height, at its top and at its bottom, that running lines stand in."""

_NUMBER_MARGIN = 0.25
"""The same for a page number that comes back and has the line for itself."""

_PAGE_NUMBER = re.compile(
    r"\W*(?:page|p\.|pg\.?)?\s*(?:\d{1,4}|[ivxlc]{1,6})(?:\s*(?:of|/)\s*\d{1,4})?\W*", re.IGNORECASE
)

_FEWEST_LINE_NUMBERS = 8
_NUMBER_WIDTH = 24.0
"""Points within which numbers of one to four digits stand in one column."""


def without_running(
    pages: Sequence[Sequence[Fragment]], heights: Sequence[tuple[float, float]]
) -> list[list[Fragment]]:
    """The pages without lines that come back at one height on several of them, and without bare page numbers.

    `heights` are the bottom and top of each page. Digits count as equal, so "Page 3" and "Page 4" are one line that
    comes back. Only the outermost lines go: the first that stays shields what is further in.
    """
    seen: defaultdict[tuple[str, int], set[int]] = defaultdict(set)
    for number, (page, bounds) in enumerate(zip(pages, heights, strict=True)):
        for fragment in page:
            for key in _keys(fragment, bounds):
                seen[key].add(number)
    fewest = 2 if len(pages) < 6 else 3

    def comes_back(fragment: Fragment, bounds: tuple[float, float]) -> bool:
        return any(len(seen[key]) >= fewest for key in _keys(fragment, bounds))

    kept = []
    for page, bounds in zip(pages, heights, strict=True):
        dropped: set[int] = set()
        lines = lines_of(page)
        for edge, ordered in ((bounds[1], lines), (bounds[0], lines[::-1])):
            for line in ordered:
                going = [fragment for fragment in line if comes_back(fragment, bounds)]
                numbered = all(_PAGE_NUMBER.fullmatch(fragment.text) for fragment in line)
                margin = _NUMBER_MARGIN if numbered and going else _MARGIN
                if abs(edge - line[0].middle) > margin * (bounds[1] - bounds[0]):
                    break
                dropped.update(map(id, line if numbered else going))
                if len(going) < len(line) and not numbered:
                    break
        kept.append([fragment for fragment in page if id(fragment) not in dropped])
    return kept


def without_line_numbers(page: Sequence[Fragment]) -> list[Fragment]:
    """The page without the numbers that count its lines: bare numbers at one side, each up by one from that above."""
    numbers = sorted((piece for piece in page if piece.text.isdecimal()), key=lambda piece: -piece.middle)
    if len(numbers) < _FEWEST_LINE_NUMBERS:
        return list(page)
    leftmost, rightmost = min(piece.right for piece in numbers), max(piece.left for piece in numbers)
    dropped: set[int] = set()
    for column in (
        [piece for piece in numbers if piece.right <= leftmost + _NUMBER_WIDTH],
        [piece for piece in numbers if piece.left >= rightmost - _NUMBER_WIDTH],
    ):
        steps = sum(int(lower.text) == int(upper.text) + 1 for upper, lower in pairwise(column))
        if len(column) >= _FEWEST_LINE_NUMBERS and steps >= 0.9 * (len(column) - 1):
            dropped.update(map(id, column))
    return [piece for piece in page if id(piece) not in dropped]


def _keys(fragment: Fragment, bounds: tuple[float, float]) -> tuple[tuple[str, int], tuple[str, int]]:
    """Text and height, the height rounded both ways so that a point more or less is the same."""
    text = re.sub(r"\d+", "#", " ".join(fragment.text.lower().split()))
    height = fragment.middle - bounds[0]
    return (text, int(height // 6)), (text, -1 - int((height + 3) // 6))
