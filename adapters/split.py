"""Long text in parts that fit a limit, cut where a reader would pause."""

from __future__ import annotations

import re

_PAUSES = (re.compile(r"\n\s*\n"), re.compile(r"\n"), re.compile(r"(?<=[.!?…])\s+"), re.compile(r"\s+"))
_FIGURE = re.compile(r"[+-]?\d[\d.,:/-]*\Z")
_GOES_ON = re.compile(r"[.,:/-]?\d")
_OPEN_ENTITY = re.compile(r"&[a-z]{0,4}$")


def split(text: str, limit: int) -> list[str]:
    """Parts of at most `limit` characters, none empty: at paragraphs, else lines, else sentences, else words.

    A word longer than the limit is cut, but never inside an entity such as `&amp;`. Only white space is lost.
    `limit` is at least 8, so that an entity fits.
    """
    parts: list[str] = []
    rest = text.strip()
    while len(rest) > limit:
        part, rest = _cut(rest, limit)
        parts.append(part)
    return [*parts, rest] if rest else parts


def cut(text: str, limit: int) -> str:
    """`text` if it fits, else as much as fits with an ellipsis for the rest. For text without entities.

    A figure comes whole or not at all: "12…" could be read as 12.
    """
    return text if len(text) <= limit else f"{_without_half(text, limit - 1).rstrip()}…"


def cut_escaped(text: str, limit: int) -> str:
    """The same for text with entities: none is cut through. `limit` is at least 8."""
    return text if len(text) <= limit else _OPEN_ENTITY.sub("", _without_half(text, limit - 1)).rstrip() + "…"


def _without_half(text: str, at: int) -> str:
    """What stands before there, less the beginning of a figure that goes on behind it."""
    return _FIGURE.sub("", text[:at]) if _GOES_ON.match(text, at) else text[:at]


def _cut(text: str, limit: int) -> tuple[str, str]:
    window = text[: limit + 1]
    for pause in _PAUSES:
        places = [match for match in pause.finditer(window) if 0 < match.start() <= limit]
        if places and places[-1].start() >= limit // 4:
            return text[: places[-1].start()].rstrip(), text[places[-1].end() :].lstrip()
    at = limit - len(found[0]) if (found := _OPEN_ENTITY.search(text[:limit])) else limit
    return text[:at].rstrip(), text[at:].lstrip()
