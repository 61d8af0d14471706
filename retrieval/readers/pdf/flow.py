"""Lines of a PDF joined to paragraphs, lists and headings, and written in order."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import chain, pairwise
from statistics import median
from typing import TYPE_CHECKING

from retrieval.readers.pdf.glyphs import LINE_HYPHEN, Style
from retrieval.readers.pdf.layout import MARKER, Block, Line
from retrieval.readers.pdf.tables import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from retrieval.readers.writer import Writer

_ENOUGH_GAPS = 10
_LONGEST_HEADING = 150
_LONGEST_WEAK_HEADING = 110
_LEADER = re.compile(r"(?:\.\s?){4,}\s*[\divxlc]+\s*$")
"""A table of contents' dots and page number: a menu, not text."""
_CAPTION = re.compile(r"[•●○◦▪■–-]\s|(?:figure|fig|photo|source|notes?)\b\.?\s*[\d:]", re.IGNORECASE)
"""What is set apart and yet is no heading."""
_FIRST_SENTENCE = re.compile(r".+?[.!?][\"”’)\]]*(?=\s|$)")
_SENTENCE_END = re.compile(r"[.!?:;][\"'”’)\]]*$")
_WORDS = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


@dataclass(slots=True)
class Vocabulary:
    """The document's words, which tell whether a hyphen at a line's end belongs to the word."""

    words: set[str] = field(default_factory=set)

    def learn(self, lines: Iterable[str]) -> None:
        """Take in the words of lines in order, both halves of the broken ones left out."""
        broken = False
        for line in lines:
            whole = re.sub(rf"\S+{LINE_HYPHEN}$", "", line)
            words = _WORDS.findall(whole.lower())
            for word in words[1:] if broken else words:
                self.words.update((word, *word.split("-")))
            broken = line.endswith(LINE_HYPHEN)

    def mend(self, text: str) -> str:
        """The text with the hyphens of broken lines taken out, or kept where the word has one elsewhere."""
        return re.sub(rf"(\w*){LINE_HYPHEN}\s*(\w*)", self._mend, text)

    def _mend(self, broken: re.Match[str]) -> str:
        first, second = broken[1], broken[2]
        whole, hyphened = (first + second).lower(), f"{first}-{second}".lower()
        both_words = first.lower() in self.words and second.lower() in self.words
        keep = whole not in self.words and (hyphened in self.words or both_words)
        return f"{first}-{second}" if keep or not (first.isalpha() and second[:1].islower()) else first + second


class Typography:
    """How the document is set: which styles are headings, and how far apart the lines of a paragraph stand.

    Larger headings have lower levels, at most three. A style of the first page alone (a cover,
    a title) is of level 1 and takes no level from the others.
    """

    def __init__(self, pages: Sequence[Sequence[Block]]) -> None:
        lines = [[block for block in page if isinstance(block, Line)] for page in pages]
        counts: Counter[Style] = Counter()
        for line in chain.from_iterable(lines):
            counts[line.fragment.style] += len(line.fragment.text)
        self._body = counts.most_common(1)[0][0] if counts else None
        styles = {line.fragment.style for page in lines[1:] or lines for line in page}
        ranks = sorted({_rank(style) for style in styles if self._stands_out(style)})
        self._levels = {rank: min(level, 3) for level, rank in enumerate(ranks, start=1)}
        gaps = [gap for page in lines for gap in _line_distances(page)]
        self.leading = max(median(gaps), 1.0) if len(gaps) >= _ENOUGH_GAPS else 1.15
        """The distance of two lines in a paragraph, in heights of a line."""

    def level(self, line: Line) -> int | None:
        """The level of a line set as a heading; None for body text."""
        style = line.fragment.style
        return self._levels.get(_rank(style), 1) if self._stands_out(style) else None

    def only_another_face(self, line: Line) -> bool:
        """Whether nothing but its typeface sets a line apart: weak as a sign, since boxes and lists have theirs too."""
        style, body = line.fragment.style, self._body
        return body is not None and style.size < 1.1 * body.size and (not style.bold or body.bold)

    def _stands_out(self, style: Style) -> bool:
        body = self._body
        if body is None or style.size < 0.95 * body.size:
            return False
        another_face = style.family != body.family and not style.italic
        return style.size >= 1.1 * body.size or (style.bold and not body.bold) or another_face


def _line_distances(lines: Sequence[Line]) -> Iterator[float]:
    """The distances, in heights, from lines that reach their column's edge to the next: seldom a paragraph's last."""
    for upper, lower in pairwise(lines):
        above, below = upper.fragment, lower.fragment
        left, right = upper.column
        same = upper.column == lower.column and above.style == below.style
        if same and above.right > right - 0.12 * (right - left) and above.bottom > below.bottom:
            yield (above.bottom - below.bottom) / above.height


def _rank(style: Style) -> tuple[float, bool]:
    return -style.size, not style.bold


@dataclass(slots=True)
class Paragraph:
    """Lines joined to one text. `level` is a heading's, None for text."""

    text: str
    level: int | None = None

    @property
    def unfinished(self) -> bool:
        """Whether it stops in the middle of a sentence."""
        return self.level is None and not _SENTENCE_END.search(self.text)

    @property
    def goes_on(self) -> bool:
        """Whether it begins in the middle of a sentence."""
        return self.text[:1].islower() and not MARKER.match(self.text)

    def take_first_sentence(self) -> str:
        """Cut off and return the text up to its first sentence's end."""
        end = _FIRST_SENTENCE.match(self.text)
        taken = end[0] if end else self.text
        self.text = self.text[len(taken) :].lstrip()
        return taken


def paragraphs(blocks: Sequence[Block], typography: Typography, vocabulary: Vocabulary) -> list[Paragraph | Table]:
    """The blocks of one page with the lines joined and broken words mended."""
    groups: list[tuple[int | None, list[Line]] | Table] = []
    for block in blocks:
        if isinstance(block, Table):
            groups.append(block)
        elif not _LEADER.search(block.fragment.text):
            level = typography.level(block)
            last = groups[-1] if groups else None
            if (
                isinstance(last, tuple)
                and last[0] == level
                and _goes_on(last[1], block, typography, same_style=level is not None)
            ):
                last[1].append(block)
            else:
                groups.append((level, [block]))
    return [group if isinstance(group, Table) else _paragraph(*group, typography, vocabulary) for group in groups]


def write(paragraph: Paragraph, writer: Writer) -> None:
    """Write one paragraph as heading, item or text."""
    marker = MARKER.match(paragraph.text)
    if paragraph.level is not None:
        writer.heading(paragraph.level, paragraph.text)
    elif marker:
        bullet = marker[0] if any(char.isalnum() for char in marker[0]) else "-"
        writer.item(paragraph.text[marker.end() :], marker=bullet)
    else:
        writer.paragraph(paragraph.text)


def _paragraph(level: int | None, lines: Sequence[Line], typography: Typography, vocabulary: Vocabulary) -> Paragraph:
    text = vocabulary.mend(" ".join(line.fragment.text for line in lines))
    weak = typography.only_another_face(lines[0])
    reads_like_heading = (
        len(text) <= (_LONGEST_WEAK_HEADING if weak else _LONGEST_HEADING)
        and not (weak and MARKER.match(text))
        and len(lines) <= 3
        and any(char.isalpha() for char in text)
        and not text.endswith((".", ",", ";", ":"))
        and not _CAPTION.match(text)
        and not text[0].islower()
    )
    return Paragraph(text, level if reads_like_heading else None)


def _goes_on(lines: Sequence[Line], line: Line, typography: Typography, *, same_style: bool) -> bool:
    """Whether a line belongs to the paragraph above it."""
    last = lines[-1]
    above, here = last.fragment, line.fragment
    if same_style and above.style != here.style:
        return False
    marker = MARKER.match(here.text)
    if marker:
        in_sentence = any(char.isalnum() for char in marker[0]) and not MARKER.match(lines[0].fragment.text)
        return in_sentence and not _SENTENCE_END.search(above.text) and _near(lines, line, typography)
    if here.middle > above.middle or line.column != last.column:
        return not _SENTENCE_END.search(above.text)
    if not _near(lines, line, typography):
        return False
    hanging = MARKER.match(lines[0].fragment.text) and here.left < lines[0].fragment.left + 2
    if hanging and _SENTENCE_END.search(above.text):
        return False
    ended = _SENTENCE_END.search(above.text) and above.right < last.column[1] - 0.15 * (last.column[1] - last.column[0])
    indented = here.left > above.left + 0.7 * here.height and len(lines) > 1 and above.right > last.column[1] - 20
    return not (ended and here.text[:1].isupper()) and not (indented and _SENTENCE_END.search(above.text))


def _near(lines: Sequence[Line], line: Line, typography: Typography) -> bool:
    """Whether a line stands no further below than lines of one paragraph do."""
    last = lines[-1].fragment
    leading = typography.leading * last.height
    if len(lines) > 1 and lines[-2].fragment.bottom > last.bottom:
        leading = max(lines[-2].fragment.bottom - last.bottom, last.height)
    return 0 < last.bottom - line.fragment.bottom <= 1.3 * leading
