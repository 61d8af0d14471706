"""Stretches of a text that nobody reads: embedded files, and long runs of signs that are no words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST_RUN = 200
"""Characters between two spaces that may be a word, an address or a chemical's name."""

_DATA = r"data:[a-z]+/[\w.+-]+[;,][^\s()<>\"']*"
_RUN = r"[^\s,;|\u0e00-\U0010ffff]"
"""A sign of a script that puts spaces or commas between its words."""

_JUNK = re.compile(
    rf"""
      !?\[[^\[\]\n]{{0,300}}\]\([ ]*<?{_DATA}[^()\n]{{0,300}}\)   # a Markdown image or link
    | \[[^\[\]\n]{{1,300}}\]:[ ]*<?{_DATA}>?                      # what a Markdown image refers to
    | <img\b[^<>]*?{_DATA}[^<>]*>
    | {_DATA}
    | (?-i:(?<!{_RUN}){_RUN}{{{LONGEST_RUN + 1},}})               # K is also the Kelvin sign in any case, beyond 0e00
    """,
    re.IGNORECASE | re.VERBOSE,
)


def without_junk(text: str, span: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """The stretches of a span that lie between data: URIs and unbroken runs; the whole span where it has none.

    What is left between two of those and holds no letter or digit is left out too.
    """
    at, end = span
    found = [(start + at, stop + at) for start, stop in (match.span() for match in _JUNK.finditer(text[at:end]))]
    if not found:
        yield span
        return
    for start, stop in [*found, (end, end)]:
        if any(map(str.isalnum, text[at:start])):
            yield at, start
        at = stop
