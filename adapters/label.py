"""What a source is called, in one short line, wherever it is named. Titles come from documents, as long as any."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from adapters.split import cut

if TYPE_CHECKING:
    from bot.messages import Source
    from bot.wording import Wording

TITLE_TEXT = 150
LOCATOR_TEXT = 60

_JOINERS = frozenset("\u200c\u200d")


def label_of(number: int, title: str, locator: str) -> str:
    """A source's name in one short line: "[1] Visiting hours · page 3"."""
    return f"[{number}] {name_of(title, locator)}".rstrip()


def name_of(title: str, locator: str) -> str:
    """The same without its number."""
    return joined(cut(one_line(title), TITLE_TEXT), cut(one_line(locator), LOCATOR_TEXT))


def source_label(source: Source, words: Wording) -> str:
    """The name of a source of a reply, and its mark."""
    return joined(label_of(source.n, source.title, source.locator), words.mark(source))


def button_label(source: Source, words: Wording, room: int) -> str:
    """The same in `room` characters: a long name gives way to the mark, which is shown whole."""
    mark = words.mark(source)
    left = room - len(mark) - len(" · ") if mark else room
    return joined(cut(label_of(source.n, source.title, source.locator), left), mark)


def one_line(text: str) -> str:
    """Without line ends, control characters and marks that turn the direction of writing, or show nothing.

    Joiners stay: Persian words and many emoji are written with them.
    """
    start = text[: 100 * TITLE_TEXT]
    seen = "".join(
        " " if unicodedata.category(character) == "Cc" else character
        for character in start
        if character in _JOINERS or unicodedata.category(character) not in {"Cf", "Cs"}
    )
    return " ".join(seen.split())


def joined(*parts: str) -> str:
    """The parts that are not empty, with a dot between them."""
    return " · ".join(filter(None, parts))
