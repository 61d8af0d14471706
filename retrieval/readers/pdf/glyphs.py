"""Glyphs of one PDF page, gathered into fragments: runs of text on one line without a wide gap."""

from __future__ import annotations

import ctypes
import math
import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from retrieval.readers.writer import SUPERSCRIPTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pypdfium2 import PdfTextPage

LINE_HYPHEN = "\x02"
"""What pdfium gives for a hyphen at a line's end, soft or not."""

_GAP = 0.65
"""A gap between glyphs of more than this part of a line's height begins a new fragment: perhaps another cell."""

_WORD_GAP = 0.17
"""A gap of more than this part parts words where the file has no space."""

_BOLD = re.compile(r"bold|black|heavy|semi|demi|CMBX", re.IGNORECASE)
_ITALIC = re.compile(r"ital|obliq|CMTI|CMSL|-it\b", re.IGNORECASE)


Wall: TypeAlias = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Style:
    """How glyphs look: the font's name without its subset prefix, points to a half, and fill colour as RGB."""

    font: str
    size: float
    colour: tuple[int, int, int]

    @property
    def bold(self) -> bool:
        """Whether the font's name says so."""
        return bool(_BOLD.search(self.font))

    @property
    def family(self) -> str:
        """The font's name up to its first hyphen or comma, without the makers' suffixes."""
        return re.sub(r"(?:PS)?(?:MT)?$", "", re.split(r"[-,]", self.font, maxsplit=1)[0])

    @property
    def italic(self) -> bool:
        """Whether the font's name says so."""
        return bool(_ITALIC.search(self.font))


@dataclass(frozen=True, slots=True)
class Fragment:
    """A run of text in one direction. Coordinates are points; y grows upwards, as in the page."""

    text: str
    left: float
    bottom: float
    right: float
    top: float
    style: Style

    @property
    def middle(self) -> float:
        """Height of its centre, by which lines are told apart."""
        return (self.bottom + self.top) / 2

    @property
    def centre(self) -> float:
        """Its horizontal centre."""
        return (self.left + self.right) / 2

    @property
    def height(self) -> float:
        """From descent to ascent."""
        return self.top - self.bottom


@dataclass(frozen=True, slots=True)
class Glyph:
    """One character and its box; `index` is its number in the page's text."""

    index: int
    char: str
    left: float
    bottom: float
    right: float
    top: float

    @property
    def size(self) -> float:
        """From descent to ascent."""
        return self.top - self.bottom


Glyphs: TypeAlias = "list[Glyph | None]"
"""A page's glyphs in the file's own order; None stands for a space."""


def upright_glyphs(page: PdfTextPage) -> tuple[Glyphs, int]:
    """The page's glyphs, set upright, and the quarter turns that they had.

    Text at another angle than most of the page's (a watermark, a stamp) is left out.
    """
    by_turn: dict[int, Glyphs] = {}
    for turn, glyph in _glyphs(page):
        by_turn.setdefault(turn, []).append(glyph)
    if not by_turn:
        return [], 0
    turn = max(by_turn, key=lambda key: len(by_turn[key]))
    return by_turn[turn], turn


def fragments(page: PdfTextPage, glyphs: Glyphs, walls: Sequence[Wall]) -> list[Fragment]:
    """The glyphs gathered into runs that cross no wide gap and no wall: a vertical line as (x, bottom, top)."""
    return [_fragment(page, text, run) for text, run in _runs(glyphs, walls)]


def upright(turn: int, left: float, bottom: float, right: float, top: float) -> tuple[float, float, float, float]:
    """A box turned back by `turn` quarter turns about the origin."""
    match turn % 4:
        case 1:
            return bottom, -right, top, -left
        case 2:
            return -right, -top, -left, -bottom
        case 3:
            return -top, left, -bottom, right
        case _:
            return left, bottom, right, top


def on_one_line(one: Fragment, other: Fragment) -> bool:
    """Whether two fragments overlap in height by half of the lower one."""
    overlap = min(one.top, other.top) - max(one.bottom, other.bottom)
    return overlap > 0.5 * min(one.height, other.height)


def lines_of(fragments: Sequence[Fragment]) -> list[list[Fragment]]:
    """Fragments gathered by line, top to bottom, each line from left to right."""
    lines: list[list[Fragment]] = []
    for fragment in sorted(fragments, key=lambda piece: -piece.middle):
        home = next((line for line in reversed(lines[-3:]) if on_one_line(line[0], fragment)), None)
        if home is None:
            lines.append([fragment])
        else:
            home.append(fragment)
    return [sorted(line, key=lambda piece: piece.left) for line in lines]


def join(pieces: Sequence[Fragment], text: str) -> Fragment:
    """One fragment around several, with the style of the longest."""
    longest = max(pieces, key=lambda piece: len(piece.text))
    return replace(
        longest,
        text=text,
        left=min(piece.left for piece in pieces),
        bottom=min(piece.bottom for piece in pieces),
        right=max(piece.right for piece in pieces),
        top=max(piece.top for piece in pieces),
    )


def _glyphs(page: PdfTextPage) -> Iterator[tuple[int, Glyph | None]]:
    """Every glyph with its quarter turns; None stands for a space."""
    import pypdfium2.raw as pdfium

    box = pdfium.FS_RECTF()
    turn = 0
    for index in range(page.count_chars()):
        code = pdfium.FPDFText_GetUnicode(page, index)
        char = chr(code) if code < 0x110000 else "\ufffd"
        if char.isspace() or code == 0:
            if char not in "\r\n":  # pdfium makes those up, also before and after a superscript
                yield turn, None
            continue
        quarters = pdfium.FPDFText_GetCharAngle(page, index) / (math.pi / 2)
        turn = round(quarters) % 4
        pdfium.FPDFText_GetLooseCharBox(page, index, ctypes.byref(box))
        edges = upright(turn, box.left, box.bottom, box.right, box.top)
        if abs(quarters - round(quarters)) < 0.03 and edges[3] > edges[1]:
            yield turn, Glyph(index, char, *edges)


def _runs(glyphs: Glyphs, walls: Sequence[Wall]) -> list[tuple[str, list[Glyph]]]:
    runs: list[list[Glyph]] = []
    texts: list[str] = []
    last: Glyph | None = None
    base: Glyph | None = None
    space = False
    for glyph in glyphs:
        if glyph is None:
            space = True
            continue
        raised = base is not None and _raised(base, glyph)
        char = glyph.char.translate(SUPERSCRIPTS) if raised else glyph.char
        if last is not None and _follows(last, glyph) and not (space and _parted(last, glyph, walls)):
            texts[-1] += (" " if space or glyph.left - last.right > _WORD_GAP * last.size else "") + char
            runs[-1].append(glyph)
        else:
            texts.append(char)
            runs.append([glyph])
        last, space = glyph, False
        base = base if raised else glyph
    return list(zip(texts, runs, strict=True))


def _raised(base: Glyph, glyph: Glyph) -> bool:
    """Whether a glyph is a superscript, so that 10⁹ is not read as 109, nor a note's number as part of a dose."""
    lifted = glyph.bottom - base.bottom
    return glyph.size < 0.85 * base.size and 0.15 * base.size < lifted < base.size


def _follows(last: Glyph, glyph: Glyph) -> bool:
    """Whether the glyph goes on with the same line: overlapping in height (m² stays whole), not before, close behind.

    The letters of a ligature share one box.
    """
    overlap = min(last.top, glyph.top) - max(last.bottom, glyph.bottom)
    size = max(last.size, glyph.size)
    return (
        overlap > 0.3 * min(last.size, glyph.size)
        and glyph.left >= last.left - 0.3 * size
        and glyph.left - last.right < _GAP * size
    )


def _parted(last: Glyph, glyph: Glyph, walls: Sequence[Wall]) -> bool:
    height = (glyph.bottom + glyph.top) / 2
    return any(last.right - 1 <= x <= glyph.left + 1 and bottom <= height <= top for x, bottom, top in walls)


def _fragment(page: PdfTextPage, text: str, run: list[Glyph]) -> Fragment:
    styles = Counter(_style(page, run[position].index) for position in {0, len(run) // 2, len(run) - 1})
    return Fragment(
        text=text,
        left=min(glyph.left for glyph in run),
        bottom=min(glyph.bottom for glyph in run),
        right=max(glyph.right for glyph in run),
        top=max(glyph.top for glyph in run),
        style=styles.most_common(1)[0][0],
    )


def _style(page: PdfTextPage, index: int) -> Style:
    import pypdfium2.raw as pdfium

    name = ctypes.create_string_buffer(128)
    flags = ctypes.c_int()
    pdfium.FPDFText_GetFontInfo(page, index, name, len(name), ctypes.byref(flags))
    matrix = pdfium.FS_MATRIX()
    pdfium.FPDFText_GetMatrix(page, index, ctypes.byref(matrix))
    scale = math.hypot(matrix.c, matrix.d) or 1.0
    channels = [ctypes.c_uint() for _ in range(4)]
    pdfium.FPDFText_GetFillColor(page, index, *(ctypes.byref(channel) for channel in channels))
    red, green, blue, _ = (channel.value for channel in channels)
    return Style(
        font=name.value.decode("utf-8", "replace").rpartition("+")[2],
        size=round(2 * pdfium.FPDFText_GetFontSize(page, index) * scale) / 2,
        colour=(red, green, blue),
    )
