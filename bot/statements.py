"""Takes a passage's raw text apart into what can be said on its own: sentences, list items, table rows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Shape(StrEnum):
    """How a piece of text stands on the page."""

    SENTENCE = "sentence"
    ITEM = "item"
    ROW = "row"


@dataclass(frozen=True, slots=True)
class Piece:
    """One statement of a passage, whole and verbatim: `raw[span[0]:span[1]]`.

    `block` counts the paragraphs, lists and tables of the passage; `header` holds a row's column names, where its table
    has them.
    """

    shape: Shape
    span: tuple[int, int]
    block: int
    header: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Line:
    kind: Literal["text", "item", "row", "rule", "heading"]
    start: int
    end: int
    after_gap: bool


ENDED = (".", "!", "?", "\u2026", '"', "\u201d", ")", "\u3002", "\uff01", "\uff1f")
"""What a sentence ends with; a line without any of these is a caption, an item, or goes on below."""

_LINE = re.compile(r"[^\n]*(?:\n|\Z)")
_ITEM = re.compile(r"(?:[-*+\u2022\u25aa\u25e6\u2013]|\d{1,3}[.)])\s+(?=\S)")
_ROW = re.compile(r"\|.*\||[^|]+(?:\s\|\s[^|]*)+")
_RULE = re.compile(r"\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?)?|-{3,}")
_HEADING = re.compile(r"#{1,6}\s")
_END = re.compile(
    r"""[.!?\u2026]["'\u201d\u2019)\]]*(?=\s+["'\u201c\u2018(\[]?[A-Z0-9\u00c0-\u00de])|[\u3002\uff01\uff1f]"""
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|dr|mr|mrs|ms|prof|st|no|nos|fig|approx|ca|al|inc|dept|tel|ext|jr|sr|u\.s|u\.k|a\.m|p\.m|"
    r"jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun)|\b[A-Z]|(?:^|\s)\d{1,3})\.$",
    re.IGNORECASE,
)


def pieces(raw: str) -> tuple[Piece, ...]:
    """The statements of a raw text in order, without headings, rules and empty lines.

    A soft line break ends nothing: a sentence or item runs on over it. Columns are named by a row with a rule below it,
    or by a first row without figures above rows that have some. Paragraphs that nothing ends, below a line that ends
    with a colon, are items too.
    """
    found: list[Piece] = []
    for number, block in enumerate(_blocks(raw)):
        match block[0].kind:
            case "text":
                spans = _sentences(raw, block[0].start, block[-1].end)
                found += [Piece(Shape.SENTENCE, span, number) for span in spans]
            case "item":
                starts = [line.start for line in block if line.kind == "item"]
                ends = [before.end for before, line in pairwise(block) if line.kind == "item"]
                found += [Piece(Shape.ITEM, span, number) for span in zip(starts, [*ends, block[-1].end], strict=True)]
            case "row":
                rows = [line for line in block if line.kind == "row"]
                header: tuple[str, ...] = ()
                if _names_columns(raw, block, rows):
                    header = tuple(cells(raw[rows[0].start : rows[0].end]))
                    rows = rows[1:]
                found += [Piece(Shape.ROW, (line.start, line.end), number, header) for line in rows]
            case "rule" | "heading":
                pass
    return tuple(_with_bare_items(raw, found))


def _names_columns(raw: str, block: Sequence[_Line], rows: Sequence[_Line]) -> bool:
    if len(block) > 1 and block[1].kind == "rule":
        return True
    figures = [any(character.isdigit() for character in raw[line.start : line.end]) for line in rows]
    return len(rows) > 1 and not figures[0] and any(figures)


def _with_bare_items(raw: str, found: Sequence[Piece]) -> Iterator[Piece]:
    listed: int | None = None
    for piece in found:
        alone = sum(other.block == piece.block for other in found) == 1
        if piece.shape is not Shape.SENTENCE:
            listed = None
        elif raw[piece.span[1] - 1] == ":":
            listed = piece.block
        elif listed is not None and alone and not raw[: piece.span[1]].endswith(ENDED):
            yield Piece(Shape.ITEM, piece.span, listed)
            continue
        else:
            listed = None
        yield piece


def _blocks(raw: str) -> list[list[_Line]]:
    """Lines that belong together: a paragraph, a list with its items' further lines, a table."""
    blocks: list[list[_Line]] = []
    for line in _lines(raw):
        before = blocks[-1][-1] if blocks else None
        if before and (_runs_on(before, line) or (blocks[-1][0].kind == line.kind == "item")):
            blocks[-1].append(line)
        else:
            blocks.append([line])
    return blocks


def _runs_on(before: _Line, line: _Line) -> bool:
    if line.after_gap:
        return False
    return (before.kind, line.kind) in {
        ("text", "text"),
        ("item", "text"),
        ("item", "item"),
        ("row", "row"),
        ("row", "rule"),
        ("rule", "row"),
    }


def _lines(raw: str) -> Iterator[_Line]:
    gap = False
    for match in _LINE.finditer(raw):
        text = match.group().strip()
        if not text:
            gap = True
            continue
        start = match.start() + len(match.group()) - len(match.group().lstrip())
        yield _Line(_kind(text), start, start + len(text), gap)
        gap = False


def _kind(text: str) -> Literal["text", "item", "row", "rule", "heading"]:
    if _HEADING.match(text):
        return "heading"
    if _RULE.fullmatch(text):
        return "rule"
    if _ROW.fullmatch(text):
        return "row"
    return "item" if _ITEM.match(text) else "text"


def cells(row: str) -> list[str]:
    """A table row's cells, trimmed."""
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def _sentences(raw: str, start: int, end: int) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    begin = start
    for match in _END.finditer(raw, start, end):
        if match.group().startswith(".") and _ABBREVIATION.search(
            raw, max(begin, match.start() - 12), match.start() + 1
        ):
            continue
        spans.append((begin, match.end()))
        begin = match.end()
        while begin < end and raw[begin].isspace():
            begin += 1
    if begin < end:
        spans.append((begin, end))
    return spans
