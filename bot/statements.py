"""Takes a passage's raw text apart into what can be said on its own: sentences, list items, table rows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import zip_longest
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
    has them, and `header_start` where they begin.
    """

    shape: Shape
    span: tuple[int, int]
    block: int
    header: tuple[str, ...] = ()
    header_start: int | None = None


@dataclass(frozen=True, slots=True)
class _Line:
    kind: Literal["text", "item", "row", "rule", "heading"]
    start: int
    end: int
    indent: int
    after_gap: bool


ENDED = (".", "!", "?", "\u2026", '"', "\u201d", ")", "\u3002", "\uff01", "\uff1f")
"""What a sentence ends with; a line without any of these is a caption, an item, or goes on below."""

_LONGEST_NEST = 400
"""An item is one with the items below it up to so many characters; a longer list comes apart."""
_LINE = re.compile(r"[^\n]*(?:\n|\Z)")
_ITEM = re.compile(r"(?:[-*+\u2022\u25aa\u25e6\u2013]|\d{1,3}[.)])\s+(?=\S)")
_ROW = re.compile(r"\|.*\||[^|]+(?:\s\|\s[^|]*)+")
_RULE = re.compile(r"\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?)?|-{3,}")
_LABELLED = re.compile(r"(?:\*\*)?[A-Z\u00c0-\u00de][^.:!?\n]{0,40}:(?:\*\*)?\s+\S")
"""A line that names what it gives: "Phone: 01632 960 140"."""
_QUESTION_AND_ANSWER = re.compile(r"(?:\*\*)?(?:[QA]|Question|Answer):")
_HEADING = re.compile(r"#{1,6}\s")
_END = re.compile(
    r"""[.!?\u2026]["'\u201d\u2019)\]]*[*_]{0,3}(?=\s+[*_]{0,3}["'\u201c\u2018(\[]?[A-Z0-9\u00c0-\u00de])|[\u3002\uff01\uff1f]"""
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|dr|mr|mrs|ms|prof|st|no|nos|fig|approx|ca|al|inc|dept|tel|ext|jr|sr|u\.s|u\.k|a\.m|p\.m|"
    r"jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun)|\b[A-Z]|(?:^|\s)\d{1,3})\.$",
    re.IGNORECASE,
)


def is_ended(raw: str, end: int) -> bool:
    """Whether what ends there is a whole sentence; markup behind its mark is none of it."""
    return raw[:end].rstrip("*_").endswith(ENDED)


@lru_cache(maxsize=64)  # the passages of a few turns: each is taken apart to be answered from, and again to be checked
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
                if _is_labelled(raw, block):
                    found += [Piece(Shape.ITEM, (line.start, line.end), number) for line in block]
                else:
                    spans = _sentences(raw, block[0].start, block[-1].end)
                    found += [Piece(Shape.SENTENCE, span, number) for span in spans]
            case "item":
                found += [Piece(Shape.ITEM, span, number) for span in _items(block)]
            case "row":
                rows = [line for line in block if line.kind == "row"]
                header: tuple[str, ...] = ()
                begin = None
                if _names_columns(raw, block, rows):
                    header = tuple(cells(raw[rows[0].start : rows[0].end]))
                    begin, rows = rows[0].start, rows[1:]
                found += [Piece(Shape.ROW, (line.start, line.end), number, header, begin) for line in rows]
            case "rule" | "heading":
                pass
    return tuple(_with_bare_items(raw, found))


def _is_labelled(raw: str, block: Sequence[_Line]) -> bool:
    """Whether these are details, one a line: a telephone number, an address, the hours of each day."""
    texts = [raw[line.start : line.end] for line in block]
    return len(texts) > 1 and all(_LABELLED.match(text) and not _QUESTION_AND_ANSWER.match(text) for text in texts)


def _items(block: Sequence[_Line]) -> Iterator[tuple[int, int]]:
    """Each item with its further lines, and with the items that stand below it further in."""
    begun: list[_Line] = []
    for line in block:
        nested = begun and line.indent > begun[0].indent and line.end - begun[0].start <= _LONGEST_NEST
        if begun and line.kind == "item" and not nested:
            yield begun[0].start, begun[-1].end
            begun = []
        begun.append(line)
    yield begun[0].start, begun[-1].end


def _names_columns(raw: str, block: Sequence[_Line], rows: Sequence[_Line]) -> bool:
    if len(block) > 1 and block[1].kind == "rule":
        return True
    figures = [any(character.isdigit() for character in raw[line.start : line.end]) for line in rows]
    return len(rows) > 1 and not figures[0] and any(figures)


def _with_bare_items(raw: str, found: Sequence[Piece]) -> Iterator[Piece]:
    listed: int | None = None
    for piece, following in zip_longest(found, found[1:]):
        alone = sum(other.block == piece.block for other in found) == 1
        heads_list = following is not None and following.shape is not Shape.SENTENCE
        if piece.shape is not Shape.SENTENCE:
            listed = None
        elif raw[piece.span[1] - 1] == ":":
            listed = piece.block
        elif listed is not None and alone and not heads_list and not is_ended(raw, piece.span[1]):
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
        indent = len(match.group()) - len(match.group().lstrip())
        start = match.start() + indent
        yield _Line(_kind(text), start, start + len(text), indent, gap)
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
