"""Small files of every kind, built in memory for the tests."""

from __future__ import annotations

import zipfile
from io import BytesIO
from typing import TYPE_CHECKING

import openpyxl
import pptx
from pptx.util import Inches

if TYPE_CHECKING:
    from collections.abc import Sequence

Text = tuple[float, float, str]
"""x, y in points from the lower left corner, and what is written there in 10 point Helvetica."""

_IMAGE = (
    b"<</Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray/Length 1>>"
    b"stream\n\x80\nendstream"
)


def pdf(
    *pages: Sequence[Text] | None,
    title: str = "",
    rules: Sequence[tuple[float, float, float, float]] = (),
    z_means: str = "005A",
) -> bytes:
    """A PDF with texts at places; None is a page that holds nothing but an image.

    `rules` are lines (x0, y0, x1, y1) drawn on every page. `z_means` is the UTF-16 that the font gives for its Z.
    """
    letters = (
        "/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <FF> endcodespacerange "
        f"1 beginbfchar <5A> <{z_means}> endbfchar endcmap end"
    ).encode()
    objects: list[bytes] = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 6 0 R>>",
        f"<</Title({title})>>".encode(),
        _IMAGE,
        b"<</Length %d>>stream\n%s\nendstream" % (len(letters), letters),
    ]
    kids = []
    for page in pages:
        drawn = "".join(f"{x0} {y0} m {x1} {y1} l S\n" for x0, y0, x1, y1 in rules)
        drawn += "".join(f"BT /F1 10 Tf {x} {y} Td ({_escaped(text)}) Tj ET\n" for x, y, text in page or ())
        drawn += "q 600 0 0 800 0 0 cm /I Do Q\n" if page is None else ""
        content = drawn.encode("latin-1")
        objects.append(b"<</Length %d>>stream\n%sendstream" % (len(content), content))
        used = b"<</Font<</F1 3 0 R>>/XObject<</I 5 0 R>>>>"
        objects.append(
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents %d 0 R/Resources%s>>" % (len(objects), used)
        )
        kids.append(b"%d 0 R" % len(objects))
    objects[1] = b"<</Type/Pages/Count %d/Kids[%s]>>" % (len(pages), b" ".join(kids))
    return _file(objects)


def docx(body: str) -> bytes:
    """A Word file with this WordprocessingML inside its body, and a header that must not be read."""
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    types = "http://schemas.openxmlformats.org/package/2006/content-types"
    relations = "http://schemas.openxmlformats.org/package/2006/relationships"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    word = "application/vnd.openxmlformats-officedocument.wordprocessingml"
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="{key}"><w:name w:val="{name}"/></w:style>'
        for key, name in (("Title", "Title"), ("Heading1", "heading 1"), ("Heading2", "heading 2"))
    )
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{types}"><Default Extension="rels" ContentType="application/vnd.openxml'
        f'formats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="{word}.document.main'
        f'+xml"/><Override PartName="/word/styles.xml" ContentType="{word}.styles+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{relations}"><Relationship Id="r1" Type="{office}/officeDocument" '
        'Target="word/document.xml"/></Relationships>',
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{relations}"><Relationship Id="r1" '
        f'Type="{office}/styles" Target="styles.xml"/></Relationships>',
        "word/styles.xml": f"<w:styles {space}>{styles}</w:styles>",
        "word/header1.xml": f"<w:hdr {space}><w:p><w:r><w:t>running header</w:t></w:r></w:p></w:hdr>",
        "word/document.xml": f"<w:document {space}><w:body>{body}</w:body></w:document>",
    }  # fmt: skip
    return archive(parts)


def word_paragraph(text: str, style: str | None = None) -> str:
    """A paragraph for `docx`."""
    styled = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{styled}<w:r><w:t>{text}</w:t></w:r></w:p>"


def word_table(rows: Sequence[Sequence[str]]) -> str:
    """A table for `docx`."""
    cells = ("".join(f"<w:tc>{word_paragraph(cell)}</w:tc>" for cell in row) for row in rows)
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in cells)}</w:tbl>"


def xlsx(**sheets: Sequence[Sequence[object]]) -> bytes:
    """A workbook; a sheet whose name begins with "hidden" is hidden, a float below 1 is shown as a percentage."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        sheet.sheet_state = "hidden" if name.startswith("hidden") else "visible"
        for row in rows:
            sheet.append(list(row))
        for row in sheet.iter_rows():
            for cell in row:
                if isinstance(cell.value, float) and cell.value < 1:
                    cell.number_format = "0%"
    stream = BytesIO()
    book.save(stream)
    return stream.getvalue()


def slides(*titles_and_texts: tuple[str, str, str]) -> bytes:
    """A deck of slides, each with a title, a text and speaker's notes; the last one hidden."""
    deck = pptx.Presentation()
    for title, text, notes in titles_and_texts:
        slide = deck.slides.add_slide(deck.slide_layouts[5])
        slide.shapes.title.text = title
        slide.shapes.add_textbox(Inches(1), Inches(2), Inches(4), Inches(1)).text_frame.text = text
        slide.notes_slide.notes_text_frame.text = notes
    deck.slides[len(titles_and_texts) - 1].element.set("show", "0")
    stream = BytesIO()
    deck.save(stream)
    return stream.getvalue()


def archive(parts: dict[str, str]) -> bytes:
    """A ZIP of these parts."""
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in parts.items():
            packed.writestr(name, text)
    return stream.getvalue()


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


def _file(objects: Sequence[bytes]) -> bytes:
    written = b"%PDF-1.4\n"
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    start = len(written)
    size = len(objects) + 1
    written += b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, table)
    written += b"trailer<</Size %d/Root 1 0 R/Info 4 0 R>>\nstartxref\n%d\n%%%%EOF" % (size, start)
    return written
