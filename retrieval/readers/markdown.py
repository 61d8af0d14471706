"""Reads Markdown files: front matter, headings, tables; the text stays as it stands in the file."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, field_validator

from retrieval.errors import Unreadable
from retrieval.readers.decode import decode
from retrieval.readers.loaded import Loaded, Section
from retrieval.readers.writer import SPLITTING_LEVEL, HeadingPath, tidy

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markdown_it.token import Token


def _as_text(value: object) -> object:
    return None if value is None else str(value).strip() or None


def _as_date(value: object) -> object:
    return value.date() if isinstance(value, datetime) else (value or None)


_Text = Annotated[str | None, BeforeValidator(_as_text)]
_Date = Annotated[date | None, BeforeValidator(_as_date)]


class FrontMatter(BaseModel):
    """What a file says of itself between two lines of `---`. Unknown keys are passed over."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    title: _Text = None
    url: _Text = None
    effective: _Date = None
    review_by: _Date = None
    superseded_by: _Text = None

    @field_validator("url")
    @classmethod
    def _is_web_address(cls, url: str | None) -> str | None:
        if url is not None and not url.lower().startswith(("http://", "https://")):
            raise ValueError("must begin with http:// or https://")
        return url


def read_markdown(data: bytes) -> Loaded:
    """The body as it stands, without its front matter. Errors: Unreadable front_matter."""
    text, warnings = decode(data)
    matter, body = _front_matter(text)
    title, sections = _sections(body)
    return Loaded(
        body,
        tuple(sections),
        title=matter.title or title,
        url=matter.url,
        effective=matter.effective,
        review_by=matter.review_by,
        superseded_by=matter.superseded_by,
        warnings=warnings,
    )


def _front_matter(text: str) -> tuple[FrontMatter, str]:
    import yaml
    from frontmatter.default_handlers import YAMLHandler

    handler = YAMLHandler()
    if not handler.detect(text):
        return FrontMatter(), text
    try:
        written, body = handler.split(text)
        values: Any = handler.load(written)
    except (ValueError, yaml.YAMLError) as error:
        raise Unreadable(
            "front_matter", f"the front matter is no valid YAML{_line(error)}: mend or remove it"
        ) from error
    if values is None:
        return FrontMatter(), body
    if not isinstance(values, dict):
        return FrontMatter(), text
    try:
        return FrontMatter.model_validate({str(key).lower(): value for key, value in values.items()}), body
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise Unreadable(
            "front_matter",
            f'the front matter\'s "{first["loc"][0]}" is wrong ({first["msg"]}); dates are written like 2026-11-30',
        ) from error


def _line(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    return f" (line {mark.line + 2})" if mark else ""


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
