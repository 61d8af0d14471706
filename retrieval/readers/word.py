"""Reads Word files through mammoth: headings, lists, tables and notes; headers, footers and comments are left out."""

from __future__ import annotations

from io import BytesIO

from retrieval.readers.html import write_blocks
from retrieval.readers.loaded import Loaded
from retrieval.readers.writer import Writer

_STYLES = """
p[style-name='Title'] => h1:fresh
p[style-name='Subtitle'] => p:fresh
"""


def read_docx(data: bytes) -> Loaded:
    """The document's body as its last reader sees it: deleted text is out, inserted text is in."""
    import lxml.html
    import mammoth

    converted = mammoth.convert_to_html(
        BytesIO(data), style_map=_STYLES, convert_image=mammoth.images.img_element(lambda _: {})
    )
    if not converted.value.strip():
        return Loaded("", ())
    body = lxml.html.fragment_fromstring(converted.value, create_parent="div")
    heading = body.find(".//h1")
    writer = Writer()
    write_blocks(body, writer)
    text, sections = writer.close()
    return Loaded(text, sections, title=" ".join(heading.text_content().split()) if heading is not None else "")
