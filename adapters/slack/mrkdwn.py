"""Light Markdown to Slack's mrkdwn, and to plain text for notifications.

Whatever goes in, nothing that comes out is a control sequence: Slack reads mentions, links, channels and dates only
between `<` and `>`, and both are always escaped. Words such as "@here" stay words as long as the text object is
`verbatim` and the message is sent with `link_names` off.
Source: docs.slack.dev, "Formatting message text".
"""

from __future__ import annotations

import re

_FENCE = re.compile(r"^\s*(?:```|~~~)")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(.*?)\s*#*\s*$")
_BULLET = re.compile(r"^(\s*)[-*+]\s+(?=\S)")
_QUOTE = re.compile(r"^\s{0,3}>\s?")
_TABLE_ROW = re.compile(r"^\s*\|(.+)\|\s*$")
_TABLE_RULE = re.compile(r"^\s*\|(?:\s*:?-+:?\s*\|)+\s*$")
_CELL_EDGE = re.compile(r"(?<!\\)\|")
_CODE_SPAN = re.compile(r"(`[^`\n]+`)")
_BOLD = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")
_ITALIC = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]+?)(?<=[^\s*])\*(?![\w*])")
_STRIKE = re.compile(r"~~(?=\S)(.+?)(?<=\S)~~")
_RAIL = "```"
_BOLD_HELD = "\x00"


def escape(text: str) -> str:
    """`text` as Slack shows it literally: `&`, `<` and `>` become entities."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def unescape(text: str) -> str:
    """What `escape` was given."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def mrkdwn(markdown: str) -> str:
    """Bold, italic, struck, headings, lists, quotes and tables in Slack's own marks; everything else as it stands."""
    return "\n".join(escape(text) if fenced else _inline(text) for text, fenced in _readable_lines(markdown))


def plain(markdown: str) -> str:
    """The words alone, escaped, for places that show no formatting."""
    lines = (text if fenced else _without_marks(text) for text, fenced in _readable_lines(markdown) if text != _RAIL)
    return escape("\n".join(lines)).strip()


def _readable_lines(markdown: str) -> list[tuple[str, bool]]:
    """Each line with lists and tables made readable, and whether it stands inside a code fence."""
    lines: list[tuple[str, bool]] = []
    header: list[str] | None = None
    fenced = False
    for line in markdown.replace("\r\n", "\n").replace(_BOLD_HELD, "").split("\n"):
        if _FENCE.match(line):
            fenced = not fenced
            lines.append((_RAIL, True))
            continue
        if fenced:
            lines.append((line, True))
            continue
        row = _TABLE_ROW.match(line)
        if row is None:
            header = None
            lines.append((_BULLET.sub(r"\1• ", line), False))
        elif _TABLE_RULE.match(line):
            continue
        elif header is None:
            header = _cells(row[1])
            lines.append((" · ".join(f"**{cell}**" for cell in header if cell), False))
        else:
            lines.append((_row(header, _cells(row[1])), False))
    if fenced:
        lines.append((_RAIL, True))
    return lines


def _cells(row: str) -> list[str]:
    return [cell.strip().replace("\\|", "|") for cell in _CELL_EDGE.split(row)]


def _row(header: list[str], cells: list[str]) -> str:
    """One table row as a list item that reads alone: "• Monday: 9 to 12 · Ward: B"."""
    first, *others = cells
    named = [f"{name}: {cell}" if name else cell for name, cell in zip(header[1:], others, strict=False) if cell]
    named += [cell for cell in others[len(header) - 1 :] if cell]
    return "• " + " · ".join([first, *named] if first else named)


def _inline(text: str) -> str:
    heading = _HEADING.match(text)
    if heading is not None and heading[1]:
        return f"*{escape(_without_marks(heading[1]))}*"
    quoted = _QUOTE.match(text)
    body = text[quoted.end() :] if quoted else text
    marked = "".join(part if part.startswith("`") else _marks(part) for part in _CODE_SPAN.split(escape(body)))
    return f"&gt; {marked}" if quoted else marked


def _marks(text: str) -> str:
    text = _BOLD.sub(rf"{_BOLD_HELD}\2{_BOLD_HELD}", text)
    text = _ITALIC.sub(r"_\1_", text)
    text = _STRIKE.sub(r"~\1~", text)
    return text.replace(_BOLD_HELD, "*")


def _without_marks(text: str) -> str:
    heading = _HEADING.match(text)
    text = _QUOTE.sub("", heading[1] if heading else text)
    text = _BOLD.sub(r"\2", text)
    text = _ITALIC.sub(r"\1", text)
    return _STRIKE.sub(r"\1", text).replace("`", "")
