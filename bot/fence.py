"""How texts of others stand in a prompt: between tags that they cannot close or open, as material and not as orders."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bot.quote import find_quote

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retrieval.document import Passage

_INSTEAD = {"link": "\u2026", "bracket": "&lt;", "surrogate": "\ufffd"}
_HIDDEN = re.compile(
    r"(?P<link>\b[a-z][a-z0-9+.-]{1,20}://[^\s<>\[\]()\"']*[^\s<>\[\]()\"'.,;:!?]|\bwww\.[^\s<>\[\]()\"']*[^\s<>\[\]()\"'.,;:!?])"
    r"|(?P<bracket>[<\uff1c\ufe64](?!\s*=?\s*[.,]?\d))"
    r"|(?P<surrogate>[\ud800-\udfff])",
    re.IGNORECASE,
)
"""What a model is not shown: links, a "<" that is no "less than" before a figure, and what cannot be sent at all."""


def shown(text: str) -> str:
    """Text as a model sees it: nothing in it reads as a tag, and where a link stood is an ellipsis."""
    return _HIDDEN.sub(_instead, text)


def as_written(quote: str, raw: str) -> str:
    """The stretch of `raw` that a quote from `shown(raw)` was copied from; the quote itself where there is none."""
    if quote in raw or not _HIDDEN.search(raw):
        return quote
    found = find_quote(quote, shown(raw))
    if found is None:
        return quote
    places: list[tuple[int, int]] = []
    at = 0
    for hidden in _HIDDEN.finditer(raw):
        places += [(place, place + 1) for place in range(at, hidden.start())]
        places += [hidden.span()] * len(_instead(hidden))
        at = hidden.end()
    places += [(place, place + 1) for place in range(at, len(raw))]
    return raw[places[found[0]][0] : places[found[1] - 1][1]]


def fence(tag: str, text: str) -> str:
    """Text as data between tags, as it is `shown`; "<5 mg" stays as it is."""
    return f"<{tag}>{shown(text)}</{tag}>"


def fenced(passages: Mapping[str, Passage]) -> str:
    """Passages with the short ids that a model is to call them by: where each comes from, and its raw text."""
    blocks = (
        f'<passage id="{short}">\n{fence("about", passage.about)}\n{fence("text", passage.text)}\n</passage>'
        for short, passage in passages.items()
    )
    return "\n".join(blocks)


def _instead(hidden: re.Match[str]) -> str:
    return _INSTEAD[str(hidden.lastgroup)]
