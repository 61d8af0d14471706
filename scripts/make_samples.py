"""Writes the two sample leaflets that are not plain text, a PDF and a DOCX, from the Markdown in `scripts/samples`.

Run `python scripts/make_samples.py` after changing one of them (needs the `dev` extra). Dates are fixed, so the same
text and library versions give the same bytes.
"""

from __future__ import annotations

import argparse
import io
import zipfile
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

import docx
from docx.oxml import OxmlElement
from fpdf import FPDF
from fpdf.enums import XPos, YPos
from fpdf.fonts import FontFace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from docx.table import _Row as Row

SOURCES = Path(__file__).resolve().parent / "samples"
TARGET = Path(__file__).resolve().parents[1] / "adapters" / "samples" / "documents"
WRITTEN = datetime(2026, 9, 1, 9, 0, tzinfo=UTC)
CLINIC = "Larkfield Community Clinic"
MARGIN = 22  # mm
LINE = 6  # mm
INDENT = 4  # mm


@dataclass(frozen=True, slots=True)
class Heading:
    text: str
    level: int


@dataclass(frozen=True, slots=True)
class Paragraph:
    text: str


@dataclass(frozen=True, slots=True)
class Bullets:
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells; the first row is the header."""

    rows: tuple[tuple[str, ...], ...]


Block = Heading | Paragraph | Bullets | Table


def parse(markdown: str) -> Iterator[Block]:
    """The blocks of a leaflet, in order: the little Markdown that leaflets need, a paragraph on one line each."""
    lines = [line.strip() for line in markdown.splitlines()]
    for mark, group in groupby((line for line in lines if line), key=lambda line: line[0] if line[0] in "#-|" else ""):
        if mark == "#":
            for line in group:
                hashes, _, text = line.partition(" ")
                yield Heading(text, len(hashes))
        elif mark == "-":
            yield Bullets(tuple(line.removeprefix("-").strip() for line in group))
        elif mark == "|":
            cells = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in group]
            yield Table((cells[0], *cells[2:]))  # the second line is the rule under the header
        else:
            yield from map(Paragraph, group)


class Leaflet(FPDF):
    """An A4 leaflet whose pages each end in a footer with its title and the page number."""

    def __init__(self, title: str) -> None:
        super().__init__(format="A4")
        self.set_title(title)
        self.set_author(f"{CLINIC} (made up)")
        self.set_lang("en")
        self.set_creation_date(WRITTEN)
        self.set_margin(MARGIN)
        self.set_auto_page_break(auto=True, margin=MARGIN + LINE)
        self.running_title = title
        self.add_page()

    def footer(self) -> None:
        self.set_y(-MARGIN)
        self.set_font("Helvetica", size=9)
        self.set_text_color(90)
        self.cell(
            w=0, h=LINE, align="C", text=f"{self.running_title} - {CLINIC} (made up) - Page {self.page_no()} of {{nb}}"
        )
        self.set_text_color(0)

    def write_block(self, block: Block) -> None:
        match block:
            case Heading(text, level):
                self._heading(text, level)
            case Paragraph(text):
                self._text(text)
            case Bullets(items):
                self._bullets(items)
            case Table(rows):
                self._table(rows)
            case _:
                assert_never(block)

    def _heading(self, text: str, level: int) -> None:
        if self.will_page_break(6 * LINE):  # a heading never stands alone at the foot of a page
            self.add_page()
        self.ln(0 if level == 1 else 1.5)
        self.set_font("Helvetica", style="B", size=20 if level == 1 else 14)
        self.multi_cell(w=0, h=LINE * (1.6 if level == 1 else 1.1), text=text, new_x=XPos.LMARGIN, new_y=YPos.NEXT)
        self.ln(1)

    def _text(self, text: str, gap: float = 2) -> None:
        self.set_font("Helvetica", size=11.5)
        self.multi_cell(w=0, h=LINE, text=text, align="L", new_x=XPos.LMARGIN, new_y=YPos.NEXT)
        self.ln(gap)

    def _bullets(self, items: tuple[str, ...]) -> None:
        for item in items:
            self.cell(w=INDENT, h=LINE, text="-")
            self.set_left_margin(MARGIN + INDENT)  # so that a second line stands under the first, not under the dash
            self._text(item, gap=0.4)
            self.set_left_margin(MARGIN)
        self.ln(1.6)

    def _table(self, rows: tuple[tuple[str, ...], ...]) -> None:
        self.set_font("Helvetica", size=10.5)
        head = FontFace(emphasis="BOLD", fill_color=(230, 238, 234))
        widths = tuple(max(map(self.get_string_width, column)) + 2 * LINE for column in zip(*rows, strict=True))
        with self.table(rows, col_widths=widths, headings_style=head, line_height=LINE, text_align="LEFT", padding=0.8):
            pass
        self.ln(3)


def pdf(blocks: list[Block], title: str) -> bytes:
    """The leaflet as PDF."""
    leaflet = Leaflet(title)
    for block in blocks:
        leaflet.write_block(block)
    return bytes(leaflet.output())


def word(blocks: list[Block], title: str) -> bytes:
    """The leaflet as DOCX."""
    document = docx.Document()
    about = document.core_properties
    about.title, about.author, about.language, about.comments = title, f"{CLINIC} (made up)", "en", ""
    about.created = about.modified = WRITTEN.replace(tzinfo=None)
    for block in blocks:
        match block:
            case Heading(text, level):
                document.add_heading(text, level)
            case Paragraph(text):
                document.add_paragraph(text)
            case Bullets(items):
                for item in items:
                    document.add_paragraph(item, style="List Bullet")
            case Table(rows):
                table = document.add_table(len(rows), len(rows[0]), style="Table Grid")
                for cells, row in zip(rows, table.rows, strict=True):
                    for text, cell in zip(cells, row.cells, strict=True):
                        cell.text = text
                _mark_as_header(table.rows[0])
                document.add_paragraph()
            case _:
                assert_never(block)
    written = io.BytesIO()
    document.save(written)
    return undated(written.getvalue())


def _mark_as_header(row: Row) -> None:
    """Bold, and known to screen readers and converters as the header of its table."""
    for cell in row.cells:
        cell.paragraphs[0].runs[0].bold = True
    row._tr.get_or_add_trPr().append(OxmlElement("w:tblHeader"))  # python-docx has no public name for it


def undated(archive: bytes) -> bytes:
    """The same zip archive with every entry's time set to `WRITTEN`, which is otherwise the time of the run."""
    result = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as old, zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(zipfile.ZipInfo(name, WRITTEN.timetuple()[:6]), old.read(name), zipfile.ZIP_DEFLATED)
    return result.getvalue()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=Path, default=TARGET, help="the folder to write to (default: %(default)s)")
    folder = parser.parse_args().into
    for name, write in (("visiting-the-ward.pdf", pdf), ("feedback-and-access.docx", word)):
        blocks = list(parse((SOURCES / name).with_suffix(".md").read_text(encoding="utf-8")))
        title = next(block.text for block in blocks if isinstance(block, Heading))
        (folder / name).write_bytes(write(blocks, title))
        print(f"wrote {folder / name}")


if __name__ == "__main__":
    main()
