"""Reads PDF files with pdfium: opened, every page laid out, running lines left out, paragraphs written."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from retrieval.errors import Unreadable
from retrieval.readers.loaded import Loaded
from retrieval.readers.pdf.flow import Paragraph, Typography, Vocabulary, paragraphs, write
from retrieval.readers.pdf.glyphs import Fragment, fragments, upright, upright_glyphs
from retrieval.readers.pdf.layout import Block, Line, in_order
from retrieval.readers.pdf.rules import Grid, drawn, grids
from retrieval.readers.pdf.running import without_line_numbers, without_running
from retrieval.readers.pdf.tables import Table, ruled_tables
from retrieval.readers.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pypdfium2 import PdfDocument, PdfPage

_PDFIUM = threading.Lock()
"""pdfium must not be used from two threads at once."""

_FEWEST_LETTERS = 12
"""A page with images and fewer letters than this counts as one without text: a stamp or a number over a scan."""

_PLACEHOLDER_TITLE = re.compile(
    r"untitled.*|\(?(?:anonymous|unspecified|unknown|none)\)?|microsoft (?:word|powerpoint|excel).*"
    r"|.*\.(?:docx?|pdf|indd|pptx?|xlsx?|qxd|tex)|(?:layout|slide|title) ?\d*|\W*.{0,3}",
    re.IGNORECASE,
)
"""Titles that programs leave in files and nobody wrote."""


@dataclass(frozen=True, slots=True)
class _Page:
    fragments: list[Fragment]
    grids: list[Grid]
    bottom: float
    top: float
    has_images: bool

    @property
    def lacks_text(self) -> bool:
        letters = sum(char.isalpha() for piece in self.fragments for char in piece.text)
        return letters < _FEWEST_LETTERS and self.has_images

    @property
    def is_garbled(self) -> bool:
        """Whether its fonts do not say which letters their shapes are."""
        text = "".join(piece.text for piece in self.fragments)
        odd = sum(char == "\ufffd" or "\ue000" <= char <= "\uf8ff" or char < " " for char in text)
        return odd > 0.3 * len(text)


def read_pdf(data: bytes) -> Loaded:
    """Text with page numbers, in reading order. Errors: Unreadable encrypted, broken, scanned, no_text."""
    with _PDFIUM:
        pages, title = _open(data)
    _check(pages)
    warnings = _page_warnings(pages)
    blocks = _in_order(pages)
    typography = Typography(blocks)
    vocabulary = Vocabulary()
    vocabulary.learn(block.fragment.text for block in chain.from_iterable(blocks) if isinstance(block, Line))
    written = [paragraphs(page, typography, vocabulary) for page in blocks]
    _finish_sentences(written)
    writer = Writer()
    for number, page in enumerate(written, start=1):
        writer.at(f"page {number}", number)
        for item in page:
            if isinstance(item, Table):
                writer.table([[vocabulary.mend(cell) for cell in row] for row in item.rows])
            else:
                write(item, writer)
    text, sections = writer.close()
    if _PLACEHOLDER_TITLE.fullmatch(title.strip()):
        title = _visible_title(written[0])
    return Loaded(text, sections, title=" ".join(title.split()), warnings=warnings)


def _open(data: bytes) -> tuple[list[_Page], str]:
    import pypdfium2 as pdfium
    from pypdfium2 import raw

    try:
        document = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        if error.err_code in {raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY}:
            raise Unreadable(
                "encrypted", "the PDF needs a password to open: save it without one, then take it in again"
            ) from error
        raise Unreadable("broken", "the PDF is damaged or cut off: get a whole copy of it") from error
    try:
        if len(document) == 0:
            raise Unreadable("broken", "the PDF has no pages: get a whole copy of it")
        title = document.get_metadata_value("Title")
        return [_page(document, number) for number in range(len(document))], title
    finally:
        document.close()


def _page(document: PdfDocument, number: int) -> _Page:
    import pypdfium2 as pdfium

    try:
        page = document[number]
        text = page.get_textpage()
    except pdfium.PdfiumError:
        return _Page([], [], 0, 0, has_images=True)
    try:
        glyphs, turn = upright_glyphs(text)
        rules, has_images = drawn(page, turn)
        walls = [(rule.at, rule.start, rule.end) for rule in rules if not rule.flat]
        bottom, top = _bounds(page, turn)
        return _Page(fragments(text, glyphs, walls), grids(rules), bottom, top, has_images)
    finally:
        text.close()
        page.close()


def _bounds(page: PdfPage, turn: int) -> tuple[float, float]:
    _, bottom, _, top = upright(turn, *page.get_cropbox())
    return min(bottom, top), max(bottom, top)


def _check(pages: Sequence[_Page]) -> None:
    if all(page.lacks_text or not page.fragments for page in pages):
        if any(page.has_images for page in pages):
            raise Unreadable(
                "scanned", "the PDF is a scan without a text layer: run it through OCR first, then take it in again"
            )
        raise Unreadable("empty", "the PDF has pages but nothing on them")
    if all(page.is_garbled for page in pages if page.fragments):
        raise Unreadable(
            "no_text", "the PDF's fonts do not say which letters they show: run it through OCR, then take it in again"
        )


def _page_warnings(pages: Sequence[_Page]) -> tuple[str, ...]:
    lacking = [n for n, page in enumerate(pages, start=1) if page.lacks_text or (page.fragments and page.is_garbled)]
    if not lacking:
        return ()
    named = ", ".join(map(str, lacking[:20])) + (f" and {len(lacking) - 20} more" if len(lacking) > 20 else "")
    which = "page" if len(lacking) == 1 else "pages"
    return (f"no readable text on {which} {named} of {len(pages)} (images only?)",)


def _in_order(pages: Sequence[_Page]) -> list[list[Block]]:
    readable = [[] if page.is_garbled else without_line_numbers(page.fragments) for page in pages]
    sorted_out = [ruled_tables(found, page.grids) for found, page in zip(readable, pages, strict=True)]
    loose = [[item for item in items if isinstance(item, Fragment)] for items in sorted_out]
    tables = [[item for item in items if isinstance(item, Table)] for items in sorted_out]
    kept = without_running(loose, [(page.bottom, page.top) for page in pages])
    return [in_order([*texts, *grids]) if texts or grids else [] for texts, grids in zip(kept, tables, strict=True)]


def _finish_sentences(pages: list[list[Paragraph | Table]]) -> None:
    """Let a sentence that runs over a page's end stand whole on the page where it begins."""
    full = [page for page in pages if page]
    for page, following in pairwise(full):
        last, first = page[-1], following[0]
        if isinstance(last, Paragraph) and isinstance(first, Paragraph) and last.unfinished and first.goes_on:
            last.text = f"{last.text} {first.take_first_sentence()}"


def _visible_title(page: Sequence[Paragraph | Table]) -> str:
    """The first page's largest heading, the first of them."""
    headings = [item for item in page if isinstance(item, Paragraph) and item.level is not None]
    if not headings:
        return ""
    return min(headings, key=lambda item: item.level or 0).text
