"""Greetings, thanks, goodbyes, calls for help and small talk: answered at once, without a search."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from functools import cache
from importlib import resources
from typing import Literal, TypeAlias

from bot.safety_text import END, fold, words

CourtesyKind: TypeAlias = Literal["help", "thanks", "goodbye", "greeting", "chat"]
"""The names of the texts in the wording's section `courtesy`."""

_FIRST: tuple[CourtesyKind, ...] = ("help", "thanks", "goodbye", "greeting", "chat")
"""Of several in one message, the first of these is answered."""

LONGEST = 80
"""Characters; anything longer is about something."""

_NAMED_EMOJI = re.compile(r":[a-z][\w+-]*:|:[+-]1:", re.IGNORECASE)
_DRAWN_OUT = re.compile(r"(\w\w?)\1{2,}")
"""Letters that are there for the tone: "yesss", "hahaha"."""


def courtesy(text: str) -> CourtesyKind | None:
    """What a message is, where it is nothing but a courtesy; None where a single word of it may be about something.

    Emoji alone are small talk: what is meant by them is not known here.
    """
    if len(text) > LONGEST:
        return None
    known = _phrases()
    longest = max(map(len, known))
    left = _plain(text)
    found = {"chat"} if not left and _has_emoji(text) else set[str]()
    while left:
        size = next((size for size in range(longest, 0, -1) if left[:size] in known), 0)
        if not size:
            return None
        found.add(known[left[:size]])
        left = left[size:]
    kinds = (kind for kind in _FIRST if kind in found)
    return next(kinds, "thanks" if "acknowledgements" in found else None)


def _plain(text: str) -> tuple[str, ...]:
    spoken = fold(_NAMED_EMOJI.sub(" ", text))
    return tuple(_DRAWN_OUT.sub(_once, word) for word in words(spoken) if word != END)


def _once(match: re.Match[str]) -> str:
    """One of a letter, two of a syllable."""
    return match[1] if len(match[1]) == 1 or match[1][0] == match[1][1] else match[1] * 2


def _has_emoji(text: str) -> bool:
    return bool(_NAMED_EMOJI.search(text)) or any(unicodedata.category(character) == "So" for character in text)


@cache
def _phrases() -> dict[tuple[str, ...], str]:
    """The list that each phrase of the file stands in, by the phrase's words."""
    lists = tomllib.loads(resources.files("bot").joinpath("data", "courtesy.toml").read_text(encoding="utf-8"))
    return {_plain(phrase): name for name, phrases in lists.items() for phrase in phrases}
