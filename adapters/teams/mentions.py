"""Who is mentioned in a text, put as people read it: ourselves by nothing, others by their names. Pure."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

_TAG = re.compile(r"</?at(?:\s[^<>]{0,100})?>", re.IGNORECASE)
_WHOLE = re.compile(rf"{_TAG.pattern}([^<>]{{0,500}})</at>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Mention:
    """One that Teams describes: the text that stands for it, which it may leave out, and whether we are meant."""

    text: str | None
    ours: bool


@dataclass(frozen=True, slots=True)
class _Place:
    start: int
    end: int
    ours: bool


def without_tags(text: str, mentions: Sequence[Mention], *, own_names: Collection[str]) -> str:
    """The text with a space, and no comma or colon behind it, where we are mentioned, and "@" before other names.

    A mention is found by its text, wherever that first stands for no other one; ours, where that is nowhere, by one of
    our names between the tags. So our name stays wherever a person wrote it as a word, and another person of our name
    is not taken for us.
    """
    shown: list[str] = []
    at, after_ours = 0, False
    places = sorted(_places(text, mentions, {name.casefold() for name in own_names}), key=lambda place: place.start)
    for place in [*places, _Place(len(text), len(text), ours=False)]:
        between = text[at : place.start]
        shown.append(between.lstrip(" \t\u00a0").lstrip(",:;") if after_ours else between)
        named = _TAG.sub("", text[place.start : place.end])
        shown.append(" " if place.ours else named and f"@{named}")
        at, after_ours = place.end, place.ours
    return _TAG.sub("", "".join(shown))


def _places(text: str, mentions: Sequence[Mention], own_names: Collection[str]) -> Iterator[_Place]:
    taken: dict[int, int] = {}
    lost = 0
    for mention in mentions:
        start = _free(text, mention.text, taken) if mention.text and _TAG.match(mention.text) else None
        if start is not None and mention.text:
            taken[start] = start + len(mention.text)
            yield _Place(start, taken[start], mention.ours)
        elif mention.ours:
            lost += 1
    for found in _WHOLE.finditer(text):
        if lost and html.unescape(found[1]).strip().casefold() in own_names and not _meets(*found.span(), taken):
            lost -= 1
            yield _Place(*found.span(), ours=True)


def _free(text: str, wanted: str, taken: dict[int, int]) -> int | None:
    start = text.find(wanted)
    while start >= 0 and _meets(start, start + len(wanted), taken):
        start = text.find(wanted, start + 1)
    return start if start >= 0 else None


def _meets(start: int, end: int, taken: dict[int, int]) -> bool:
    return any(start < other_end and other < end for other, other_end in taken.items())
