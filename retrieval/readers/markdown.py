"""Reads Markdown files: headings and tables; the text stays as it stands in the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.readers.decode import decode
from retrieval.readers.front_matter import front_matter
from retrieval.readers.loaded import Loaded, Section
from retrieval.readers.writer import SPLITTING_LEVEL, HeadingPath, tidy

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markdown_it.token import Token


def read_markdown(data: bytes) -> Loaded:
    """The body as it stands, without its front matter. Errors: Unreadable front_matter."""
    text, warnings = decode(data)
    matter, body, doubts = front_matter(text)
    title, sections = _sections(body)
    return Loaded(
        body,
        tuple(sections),
        title=matter.title or title,
        url=matter.url,
        effective=matter.effective,
        review_by=matter.review_by,
        expires=matter.expires,
        superseded_by=matter.superseded_by,
        warnings=(*warnings, *doubts),
    )


def _sections(body: str) -> tuple[str, list[Section]]:
    """The first heading of level 1, and the sections between headings; comments and tables stand apart."""
    from markdown_it import MarkdownIt

    starts = [0]
    for line in body.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    starts[-1] = len(body)
    title = ""
    headings = HeadingPath()
    sections: list[Section] = []
    for block, content in _blocks(MarkdownIt("commonmark").enable("table").parse(body)):
        first, last = block.map or (0, 0)
        if block.type == "heading_open" and int(block.tag[1]) <= SPLITTING_LEVEL:
            level, text = int(block.tag[1]), tidy(_plain(content))
            headings.enter(level, text)
            title = title or (text if level == 1 else "")
            sections.append(Section((starts[last], starts[last]), headings.path))
            continue
        span = starts[first], min(starts[last], len(body))
        if block.type == "table_open":
            sections.append(Section(span, headings.path, columns=_columns(content), is_table=True))
        elif block.type == "html_block" and block.content.lstrip().startswith("<!--"):
            sections.append(Section((span[1], span[1]), headings.path))
        elif sections and not sections[-1].is_table:
            sections[-1] = Section((sections[-1].span[0], span[1]), headings.path)
        else:
            sections.append(Section(span, headings.path))
    return title, [section for section in sections if body[slice(*section.span)].strip()]


def _blocks(tokens: Sequence[Token]) -> Iterator[tuple[Token, list[Token]]]:
    """Each outermost block's first token, and the tokens inside it."""
    inside: list[Token] = []
    opening: Token | None = None
    for token in tokens:
        if opening is None and token.nesting == 0:
            yield token, []
        elif opening is None:
            opening, inside = token, []
        elif token.nesting == -1 and token.level == opening.level:
            yield opening, inside
            opening = None
        else:
            inside.append(token)


def _plain(tokens: Sequence[Token]) -> str:
    """Inline text without its marks."""
    words = [child.content or " " for token in tokens for child in token.children or () if child.type != "html_inline"]
    return "".join(word for word in words)


def _columns(tokens: Sequence[Token]) -> tuple[str, ...]:
    cells = [tokens[n + 1] for n, token in enumerate(tokens) if token.type == "th_open"]
    return tuple(tidy(_plain([cell])) for cell in cells)
