"""Greetings, thanks, goodbyes and calls for help: answered at once, without a search."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Literal, TypeAlias

from bot.safety_text import END, fold, words

CourtesyKind: TypeAlias = Literal["help", "thanks", "goodbye", "greeting"]
"""The names of the texts in the wording's section `courtesy`."""

_FIRST: tuple[CourtesyKind, ...] = ("help", "thanks", "goodbye", "greeting")
"""Of several in one message, the first of these is answered."""

LONGEST = 80
"""Characters; anything longer is about something."""


def courtesy(text: str) -> CourtesyKind | None:
    """What a message is, where it is nothing but a courtesy; None where a single word of it may be about something."""
    if len(text) > LONGEST:
        return None
    known = _phrases()
    longest = max(map(len, known))
    left = _plain(text)
    found: set[str] = set()
    while left:
        size = next((size for size in range(longest, 0, -1) if left[:size] in known), 0)
        if not size:
            return None
        found.add(known[left[:size]])
        left = left[size:]
    kinds = (kind for kind in _FIRST if kind in found)
    return next(kinds, "thanks" if "acknowledgements" in found else None)


def _plain(text: str) -> tuple[str, ...]:
    return tuple(word for word in words(fold(text)) if word != END)


@cache
def _phrases() -> dict[tuple[str, ...], str]:
    """The list that each phrase of the file stands in, by the phrase's words."""
    lists = tomllib.loads(resources.files("bot").joinpath("data", "courtesy.toml").read_text(encoding="utf-8"))
    return {_plain(phrase): name for name, phrases in lists.items() for phrase in phrases}
