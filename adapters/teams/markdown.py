"""Light Markdown as Teams shows it, with nothing in it that leads anywhere.

Teams reads Markdown and some HTML in a message's text. Bold and italic are kept; every other sign that it could read as
markup is escaped, and so is every bracket but those of our own `[n]` markers. An address in a text is shown, and is no
link: the client makes one of "https://" and "www." unless something that shows nothing stands within.
Source: learn.microsoft.com, "Format your bot messages"; lists, headings and tables are not drawn on every device.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from adapters.readable import RAIL, readable_lines

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(.*?)\s*#*\s*$")
_QUOTE = re.compile(r"^\s{0,3}>\s?")
_BOLD = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")
_ITALIC = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]+?)(?<=[^\s*])\*(?![\w*])")
_MARKER = re.compile(r"\[(\d{1,3})\](?![(\[:])")
_SIGN = re.compile(r"[\\`*_\[\]|~]")
_AT_LINE_START = re.compile(r"^()([-+=#])|^(\d{1,9})([.)])(?=\s|$)")
_LINKED = re.compile(r"(?<=:)(?=//)|(?i:(?<=(?<![^\W_])www)(?=\.))")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_JOINER = "\u2060"
_BOLD_HELD, _ITALIC_HELD, _OPEN_HELD, _CLOSE_HELD = "\x00", "\x01", "\x02", "\x03"
_HELD = str.maketrans({_BOLD_HELD: "**", _ITALIC_HELD: "*", _OPEN_HELD: "[", _CLOSE_HELD: "]"})
_LINK_HELD = "\x04"
_LINK = re.compile(rf"{_LINK_HELD}(\d+){_LINK_HELD}")
_PARAGRAPH = "\n\n"
"""Between lines too: a line break within a paragraph is not shown by every client."""


def readable(markdown: str) -> str:
    """Lists and tables in lines that read well as text, for `teams_markdown`, split before it where they are long."""
    text = _CONTROL.sub("", markdown.replace("\r\n", "\n").replace("\r", "\n"))
    return "\n".join(line for line, _ in readable_lines(text) if line != RAIL).strip()


def teams_markdown(text: str, markers: Collection[int] = (), addresses: Sequence[str] = ()) -> str:
    """`readable` text for a message.

    Of `[n]`, those whose numbers are among `markers` stay markers. Of addresses, those that are given become links:
    ours, from the reviewed file, never a document's or a model's.
    """
    lines = (_line(line, markers, addresses) for line in _CONTROL.sub("", text).split("\n"))
    return _PARAGRAPH.join(line for line in lines if line)


def link(label: str, url: str) -> str:
    """A link of ours: `label` is escaped already, `url` is one that a button may open."""
    destination = url.replace("(", "%28").replace(")", "%29").replace("[", "%5B").replace("]", "%5D")
    return f"[{label}]({destination})"


def escape(text: str) -> str:
    """`text` as Teams shows it literally."""
    entities = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    signs = _SIGN.sub(r"\\\g<0>", entities)
    return _LINKED.sub(_JOINER, _AT_LINE_START.sub(r"\1\3\\\2\4", signs))


def _line(line: str, markers: Collection[int], addresses: Sequence[str]) -> str:
    heading = _HEADING.match(line)
    if heading is not None and not _without_bold(heading[1]).strip():
        return ""
    body = _QUOTE.sub("", line).strip() if heading is None else f"{_BOLD_HELD}{_without_bold(heading[1])}{_BOLD_HELD}"
    body = _BOLD.sub(rf"{_BOLD_HELD}\2{_BOLD_HELD}", body) if heading is None else body
    body = _ITALIC.sub(rf"{_ITALIC_HELD}\1{_ITALIC_HELD}", body)
    body = _MARKER.sub(
        lambda found: f"{_OPEN_HELD}{found[1]}{_CLOSE_HELD}" if int(found[1]) in markers else found[0], body
    )
    for at, address in enumerate(addresses):
        body = re.sub(rf"(?<![\w/:.]){re.escape(address)}(?=[).,;:]*(?:\s|$))", f"{_LINK_HELD}{at}{_LINK_HELD}", body)
    shown = escape(body).translate(_HELD)
    return _LINK.sub(lambda found: link(addresses[int(found[1])], addresses[int(found[1])]), shown)


def _without_bold(text: str) -> str:
    return _BOLD.sub(r"\2", text)
