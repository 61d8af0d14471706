"""The words in a text that may be marked up with HTML, as Teams sends one that was formatted or pasted. Pure."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_BLOCKS = (
    "address|article|blockquote|br|dd|div|dl|dt|figure|footer|h[1-6]|header|hr|li|ol|pre|p|section|table|td|th|tr|ul"
)
_INLINE = "abbr|a|big|b|cite|code|del|em|font|img|ins|i|kbd|mark|q|small|span|strike|strong|sub|sup|s|tt|u"
_BLOCK = re.compile(_BLOCKS)
_ATTRIBUTE = r"""\s+[\w:-]{1,40}=(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>]+)"""
_LOOSE = re.compile(rf"<(?!/?(?:{_BLOCKS}|{_INLINE})(?:{_ATTRIBUTE}){{0,20}}\s*/?>)", re.IGNORECASE)
_UNCLOSED = re.compile(r"<(?!/?[A-Za-z][^<>]*>)")


def words(text: str, *, marked_up: bool) -> str:
    """The text without its tags, and with what stood as `&lt;` in place; each block begins a line.

    Where nobody said that it is `marked_up`, only whole tags of HTML that format are taken for such, and a "<" that a
    person wrote stays. What begins no whole tag is never taken for one, so no words are lost behind it.
    """
    reader = _Words()
    reader.feed((_UNCLOSED if marked_up else _LOOSE).sub("&lt;", text))
    reader.close()
    return "".join(reader.found)


class _Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._break_at(tag)
        self.found += [value for name, value in attrs if tag == "img" and name == "alt" and value]

    def handle_endtag(self, tag: str) -> None:
        self._break_at(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def set_cdata_mode(self, *_: object, **__: object) -> None:
        """Never: there are no scripts here, and what stands behind such a tag is somebody's words."""

    def handle_data(self, data: str) -> None:
        self.found.append(data)

    def _break_at(self, tag: str) -> None:
        if _BLOCK.fullmatch(tag):
            self.found.append("\n")
