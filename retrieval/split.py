"""Splits a loaded document into passages: small enough to be quoted, large enough to be understood."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

from retrieval.context import context_sentence
from retrieval.document import Passage
from retrieval.junk import without_junk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retrieval.readers.loaded import Loaded, Section

LONGEST = 900
"""Characters a passage has at most: with its context sentence it fits the 256 tokens that local models read."""

_WISHED = 500
"""A passage this long may end at a paragraph's end rather than take in more."""

_SHORTEST = 120
"""What is left over below this length joins its neighbour, which may then be longer than `LONGEST` by as much."""

_LONGEST_HEADING = 80

LONGEST_PIECE = 5000
"""Characters without a sentence's end, as some scripts and many lists are written, that are split at once."""

_SENTENCE = re.compile(r"(?:[^\n.!?。！？।؟]+|[.!?](?!\s))+")

Span: TypeAlias = tuple[int, int]


def split(loaded: Loaded, document_id: str) -> list[Passage]:
    """The document's passages in order; verbatim, each within one section, cut at paragraphs, lines or sentences.

    Embedded files and other long runs that are no words lie between passages, in none. Ids are `document_id#ordinal`,
    counted from 1.
    """
    placed = [(section, span) for section in loaded.sections for span in _spans(loaded.text, section)]
    return [
        Passage(
            id=f"{document_id}#{ordinal}",
            document_id=document_id,
            ordinal=ordinal,
            text=loaded.text[slice(*span)],
            context=context_sentence(loaded.title, section.headings, section.columns),
            headings=section.headings,
            span=span,
            place=section.place,
            page=section.page,
        )
        for ordinal, (section, span) in enumerate(placed, start=1)
    ]


def _spans(text: str, section: Section) -> Iterator[Span]:
    for span in without_junk(text, section.span):
        spans = list(_rows(text, span) if section.is_table else _prose(text, span))
        yield from _joined(text, _with_introductions(text, spans))


def _prose(text: str, span: Span) -> Iterator[Span]:
    """The whole of it if it is short enough, else pieces that end with a paragraph, a line or a sentence."""
    from semantic_text_splitter import TextSplitter

    start, end = span
    written = text[start:end].strip()
    if len(written) <= LONGEST:
        start = text.index(written, start)
        yield start, start + len(written)
        return
    splitter = TextSplitter((_WISHED, LONGEST))
    for piece in pieces(text, span):
        for offset, chunk in splitter.chunk_indices(text[slice(*piece)]):
            yield piece[0] + offset, piece[0] + offset + len(chunk)


def pieces(text: str, span: Span) -> Iterator[Span]:
    """The span, cut inside whatever is too long for a sentence: the splitter takes time by the square of its length."""
    start, end = span
    for sentence in _SENTENCE.finditer(text, start, end):
        at = sentence.start()
        while sentence.end() - at > LONGEST_PIECE:
            space = text.rfind(" ", at + 1, at + LONGEST_PIECE)
            at = space if space > 0 else at + LONGEST_PIECE
            yield start, at
            start = at
    yield start, end


def _rows(text: str, span: Span) -> Iterator[Span]:
    """Whole rows, as many as fit; a row that is too long alone is cut as prose."""
    start, end = span
    taken: Span | None = None
    for row in re.finditer(r"[^\n]+", text[start:end]):
        here = start + row.start(), start + row.end()
        if taken and here[1] - taken[0] <= LONGEST:
            taken = taken[0], here[1]
            continue
        if taken:
            yield from _prose(text, taken)
        taken = here
    if taken:
        yield from _prose(text, taken)


def _with_introductions(text: str, spans: list[Span]) -> list[Span]:
    """The spans with a line that introduces what follows moved to it, where there is room."""
    moved = spans[:1]
    for span in spans[1:]:
        before, after = moved[-1], span
        line = text.rfind("\n", *before) + 1
        if line > before[0] and _introduces(text, line, before[1]) and after[1] - line <= LONGEST:
            moved[-1] = before[0], before[0] + len(text[before[0] : line].rstrip())
            after = line, after[1]
        moved.append(after)
    return moved


def _introduces(text: str, start: int, end: int) -> bool:
    """Whether a line ends in a colon, or stands alone like a heading: short, and not a sentence or an item."""
    line = text[start:end]
    alone = text.endswith("\n\n", 0, start) and len(line) <= _LONGEST_HEADING
    return line.endswith(":") or (alone and line[-1:].isalnum() and line[:1].isalnum())


def _joined(text: str, spans: list[Span]) -> list[Span]:
    """The spans with short leftovers joined to the one before, or the first to the one after."""
    joined: list[Span] = []
    for span in spans:
        if joined and min(span[1] - span[0], joined[-1][1] - joined[-1][0]) < _SHORTEST:
            joined[-1] = joined[-1][0], span[1]
        elif text[slice(*span)].strip():
            joined.append(span)
    return joined
