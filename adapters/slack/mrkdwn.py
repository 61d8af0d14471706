"""Light Markdown to Slack's mrkdwn, and to plain text for notifications.

Whatever goes in, nothing that comes out is a control sequence: Slack reads mentions, links, channels and dates only
between `<` and `>`, and both are always escaped. Words such as "@here" stay words as long as the text object is
`verbatim` and the message is sent with `link_names` off.
Source: docs.slack.dev, "Formatting message text".
"""

from __future__ import annotations

import re

from adapters.readable import RAIL, readable_lines

_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(.*?)\s*#*\s*$")
_QUOTE = re.compile(r"^\s{0,3}>\s?")
_CODE_SPAN = re.compile(r"(`[^`\n]+`)")
_BOLD = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")
_ITALIC = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]+?)(?<=[^\s*])\*(?![\w*])")
_STRIKE = re.compile(r"~~(?=\S)(.+?)(?<=\S)~~")
_BOLD_HELD = "\x00"


def escape(text: str) -> str:
    """`text` as Slack shows it literally: `&`, `<` and `>` become entities."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def unescape(text: str) -> str:
    """What `escape` was given."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def mrkdwn(markdown: str) -> str:
    """Bold, italic, struck, headings, lists, quotes and tables in Slack's own marks; everything else as it stands."""
    return "\n".join(escape(text) if fenced else _inline(text) for text, fenced in _lines(markdown))


def plain(markdown: str) -> str:
    """The words alone, escaped, for places that show no formatting."""
    lines = (text if fenced else _without_marks(text) for text, fenced in _lines(markdown) if text != RAIL)
    return escape("\n".join(lines)).strip()


def _lines(markdown: str) -> list[tuple[str, bool]]:
    return readable_lines(markdown.replace(_BOLD_HELD, ""))


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
