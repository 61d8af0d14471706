"""Reads PowerPoint files: a slide's title as heading, its texts, tables and charts, and the speaker's notes."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

from retrieval.readers.loaded import Loaded
from retrieval.readers.writer import Writer, tidy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def read_pptx(data: bytes) -> Loaded:
    """Every visible slide in order. Hidden slides are left out with a warning."""
    import pptx

    deck = pptx.Presentation(BytesIO(data))
    writer, hidden, title = Writer(), [], ""
    for number, slide in enumerate(deck.slides, start=1):
        if slide.element.get("show") == "0":
            hidden.append(str(number))
            continue
        writer.at(f"slide {number}", fresh=True)
        heading = slide.shapes.title
        if heading is not None and tidy(heading.text_frame.text):
            title = title or tidy(heading.text_frame.text)
            writer.heading(2, heading.text_frame.text)
        for shape in _shapes(slide.shapes):
            if heading is None or shape.shape_id != heading.shape_id:
                _write(shape, writer)
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
            _write_notes(slide.notes_slide.notes_text_frame.text, writer)
    text, sections = writer.close()
    warnings = (f"hidden slides left out: {', '.join(hidden)}",) if hidden else ()
    return Loaded(text, sections, title=title or deck.core_properties.title or "", warnings=warnings)


def _shapes(shapes: Iterable[Any]) -> Iterator[Any]:
    """Shapes from top to bottom, groups opened, without slide numbers, dates and footers."""
    from pptx.enum.shapes import MSO_SHAPE_TYPE, PP_PLACEHOLDER

    furniture = {PP_PLACEHOLDER.SLIDE_NUMBER, PP_PLACEHOLDER.DATE, PP_PLACEHOLDER.FOOTER, PP_PLACEHOLDER.HEADER}
    for shape in sorted(shapes, key=lambda shape: (shape.top or 0, shape.left or 0)):
        if shape.shape_type == MSO_SHAPE_TYPE.GROUP:
            yield from _shapes(shape.shapes)
        elif not (shape.is_placeholder and shape.placeholder_format.type in furniture):
            yield shape


def _write(shape: Any, writer: Writer) -> None:
    if shape.has_text_frame:
        filled = [paragraph for paragraph in shape.text_frame.paragraphs if tidy(paragraph.text)]
        for paragraph in filled:
            if len(filled) > 1:
                writer.item(paragraph.text, depth=paragraph.level)
            else:
                writer.paragraph(paragraph.text)
    elif getattr(shape, "has_table", False):
        writer.table([[cell.text for cell in row.cells] for row in shape.table.rows])
    elif getattr(shape, "has_chart", False):
        _write_chart(shape.chart, writer)


def _write_chart(chart: Any, writer: Writer) -> None:
    if chart.has_title and chart.chart_title.has_text_frame:
        writer.paragraph(chart.chart_title.text_frame.text)
    for plot in chart.plots:
        names = [str(category) for category in plot.categories]
        values = [
            [series.name or "", *("" if v is None else f"{v:g}" for v in series.values)] for series in plot.series
        ]
        writer.table([["Series", *names], *values])


def _write_notes(notes: str, writer: Writer) -> None:
    if tidy(notes):
        writer.heading(3, "Notes")
        for line in notes.splitlines():
            writer.paragraph(line)
