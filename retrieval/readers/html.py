"""Reads HTML files: the main content, as headings, paragraphs, lists and tables."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retrieval.readers.boilerplate import main_content
from retrieval.readers.decode import decode
from retrieval.readers.front_matter import known_form, stated
from retrieval.readers.loaded import Loaded
from retrieval.readers.web import web_address
from retrieval.readers.writer import SUPERSCRIPTS, Writer, tidy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = frozenset({
    *_HEADINGS,
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "div",
    "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "header", "hr", "legend", "li", "main",
    "nav", "ol", "p", "pre", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
})  # fmt: skip
_DATES = frozenset({"effective", "review_by", "superseded_by"})
_MOST_SPANNED = 100
_LONGEST_REPEATED = 80
_SITE_SEPARATOR = re.compile(r"\s+[|–—·»:-]\s+")


def read_html(data: bytes) -> Loaded:
    """The page's main content, without what surrounds it and what a reader does not see."""
    import lxml.html

    text, warnings = decode(data, html=True)
    text = re.sub(r"^\s*<\?xml[^>]*\?>", "", text)
    if not text.strip() or "<" not in text:
        return Loaded(text, (), warnings=warnings)
    page = lxml.html.document_fromstring(text)
    url, title = _canonical(page), _title(page)
    content = main_content(page)
    heading = content.find(".//h1")
    if heading is not None and tidy(heading.text_content()):
        title = tidy(heading.text_content())
    writer = Writer()
    write_blocks(content, writer)
    written, sections = writer.close()
    return replace(_dated(page), text=written, sections=sections, title=title, url=url, warnings=warnings)


def write_blocks(element: HtmlElement, writer: Writer, *, depth: int = 0) -> None:
    """Write an element's blocks in order; text between blocks makes paragraphs."""
    loose: list[str] = [element.text or ""]

    def flush() -> None:
        writer.paragraph(_joined(loose))
        loose.clear()

    for child in element:
        tag = child.tag if isinstance(child.tag, str) else ""
        if tag in _BLOCKS or _holds_block(child):
            flush()
            _write_block(child, tag, writer, depth)
        elif tag:
            loose.extend(_inline(child))
        loose.append(child.tail or "")
    flush()


def _write_block(element: HtmlElement, tag: str, writer: Writer, depth: int) -> None:
    if tag in _HEADINGS:
        writer.heading(_HEADINGS[tag], _joined(list(_inside(element))))
    elif tag in {"ul", "ol"}:
        _write_list(element, writer, depth)
    elif tag == "table" and _is_data(element):
        _write_table(element, writer)
    elif tag == "pre":
        for paragraph in element.text_content().split("\n\n"):
            writer.paragraph(paragraph)
    elif tag == "dl":
        _write_definitions(element, writer, depth)
    elif tag == "li":
        _write_item(element, writer, "-", depth)
    else:
        write_blocks(element, writer, depth=depth)


def _write_list(element: HtmlElement, writer: Writer, depth: int) -> None:
    start = element.get("start", "")
    number = int(start) if start.isdecimal() and len(start) < 6 else 1
    for child in element:
        if child.tag == "li":
            _write_item(child, writer, f"{number}." if element.tag == "ol" else "-", depth)
            number += 1
        elif isinstance(child.tag, str):
            _write_block(child, child.tag, writer, depth + 1)


def _write_item(element: HtmlElement, writer: Writer, marker: str, depth: int) -> None:
    """An item's own text on one line, then the lists inside it; headings and tables in it stand as such."""
    own: list[str] = [element.text or ""]
    inner: list[HtmlElement] = []
    for child in element:
        if child.tag in {"ul", "ol", "table", "dl"} or any(True for _ in child.iter("ul", "ol", "table", *_HEADINGS)):
            inner.append(child)
        elif isinstance(child.tag, str):
            own.extend([" ", *_inline(child), " "] if child.tag in _BLOCKS else _inline(child))
        own.append(child.tail or "")
    writer.item(_joined(own), marker=marker, depth=depth)
    for child in inner:
        _write_block(child, str(child.tag), writer, depth + 1)


def _write_definitions(element: HtmlElement, writer: Writer, depth: int) -> None:
    term = ""
    for child in element.iter("dt", "dd"):
        if child.tag == "dt":
            term = _joined(list(_inside(child)))
        elif any(True for _ in child.iter("ul", "ol", "table", *_HEADINGS)):
            writer.paragraph(term)
            write_blocks(child, writer, depth=depth)
        else:
            text = _joined(list(_inside(child)))
            writer.item(f"{term.rstrip(':')}: {text}" if term else text, depth=depth)


def _write_table(element: HtmlElement, writer: Writer) -> None:
    caption = element.find("caption")
    if caption is not None:
        writer.paragraph(_joined(list(_inside(caption))))
    rows: list[list[str]] = []
    spanning: dict[int, tuple[int, str]] = {}
    for row in element.iter("tr"):
        cells: list[str] = []
        for cell in row.iterchildren("td", "th"):
            _carry_down(cells, spanning)
            text = _joined(list(_inside(cell)))
            for column in range(_span(cell, "colspan")):
                if _span(cell, "rowspan") > 1:
                    spanning[len(cells)] = (_span(cell, "rowspan") - 1, text if len(text) <= _LONGEST_REPEATED else "")
                cells.append("" if column else text)
        _carry_down(cells, spanning)
        rows.append(cells)
    writer.table(rows)


def _carry_down(cells: list[str], spanning: dict[int, tuple[int, str]]) -> None:
    """Say a cell again in each of the rows it spans."""
    while len(cells) in spanning:
        left, text = spanning.pop(len(cells))
        if left > 1:
            spanning[len(cells)] = (left - 1, text)
        cells.append(text)


def _span(cell: HtmlElement, attribute: str) -> int:
    value = cell.get(attribute, "1").strip()
    return max(1, min(int(value), _MOST_SPANNED)) if value.isdecimal() and len(value) < 6 else 1


def _is_data(table: HtmlElement) -> bool:
    """Whether a table holds data; one that only lays out a page holds others, or one column."""
    nested = table.find(".//table") is not None
    widest = max((len(list(row.iterchildren("td", "th"))) for row in table.iter("tr")), default=0)
    return not nested and widest > 1 and table.get("role") not in {"presentation", "none"}


def _inside(element: HtmlElement) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if isinstance(child.tag, str):
            block = child.tag in _BLOCKS
            yield from ([" ", *_inline(child), " "] if block else _inline(child))
        yield child.tail or ""


def _inline(element: HtmlElement) -> Iterator[str]:
    """The words of an inline element. A line break is kept, a raised digit stays apart from the number before it."""
    if element.tag == "br":
        yield "\v"
    elif element.tag == "sup":
        yield element.text_content().translate(SUPERSCRIPTS)
    else:
        yield from _inside(element)


def _joined(parts: list[str]) -> str:
    """Parts as one text: white space as HTML shows it, line breaks as line feeds."""
    return "\n".join(" ".join(line.split()) for line in "".join(parts).replace("\n", " ").split("\v")).strip()


def _holds_block(element: HtmlElement) -> bool:
    return isinstance(element.tag, str) and any(True for _ in element.iter(*_BLOCKS))


def _canonical(page: HtmlElement) -> str | None:
    found = page.xpath("//link[@rel='canonical']/@href | //meta[@property='og:url']/@content")
    return next(filter(None, (web_address(str(url).strip()) for url in found)), None)


def _dated(page: HtmlElement) -> Loaded:
    """Empty, with what the page's head says of its dates. `expires` there is meant for caches, and passed over."""
    found = {str(one.get("name")): str(one.get("content") or "") for one in page.xpath("//meta[@name]")}
    matter = stated({key: value for key, value in found.items() if known_form(key) in _DATES}, of="the page")
    return Loaded("", (), effective=matter.effective, review_by=matter.review_by, superseded_by=matter.superseded_by)


def _title(page: HtmlElement) -> str:
    """The title that the page's head gives, without the site's name."""
    written = tidy(page.findtext(".//title") or "")
    return _SITE_SEPARATOR.split(written)[0] if written else ""
