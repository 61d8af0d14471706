"""The sentence that places a passage in its document: made of title and headings, or a model's after a check."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST = 200
"""Characters a context sentence has at most, so that the passage itself has room in the embedding model's window."""

LONGEST_SENTENCE = 300
"""Characters that a model's sentence has at most; it is asked for about half of that."""

_LONGEST_TITLE = 90

_COMMANDING = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode categories of what breaks a line, commands a terminal or turns text around, and of halves of characters."""

_JOINERS = "\u200c\u200d"
"""Of these, what words of Persian, Hindi and others are written with."""

_MARKUP = re.compile(r"<\s*[/!?]?\s*[^\W\d_]|[`*_#|{}\[\]\\]|\w://|\bwww\.")
"""Tags, Markdown, JSON and addresses; "<5 mg" is none of them."""


def context_sentence(title: str, headings: Sequence[str], columns: Sequence[str] = ()) -> str:
    """From “title”, under outer > inner (columns: one, two).

    A heading that only says the title again is left out; where it gets too long, outer headings go first, then columns.
    """
    kept = [heading for heading in headings if heading.casefold() != title.casefold()]
    named = ", ".join(filter(None, columns))
    tail = f" (columns: {named})" if named else ""
    start = f"From “{_cut(title, _LONGEST_TITLE)}”"
    while kept and len(start) + len(tail) + len(" > ".join(kept)) + 8 > LONGEST:
        if len(kept) > 1:
            kept = kept[1:]
        elif tail:
            tail = ""
        else:
            kept = [_cut(kept[0], LONGEST - len(start) - 8)]
    under = f", under {' > '.join(kept)}" if kept else ""
    sentence = _cut(" ".join((start + under + tail).split()), LONGEST - 1)
    return sentence if sentence.endswith((".", "?", "!", "…")) else f"{sentence}."


def checked_sentence(written: str) -> str | None:
    """What a model wrote, if it is fit to be stored: words on one line, no more than a sentence or two, no markup."""
    sentence = written.strip()
    plain = all(char in _JOINERS or unicodedata.category(char) not in _COMMANDING for char in sentence)
    fit = plain and len(sentence) <= LONGEST_SENTENCE and any(map(str.isalpha, sentence))
    return sentence if fit and not _MARKUP.search(sentence) else None


def _cut(text: str, length: int) -> str:
    """The text up to a word's end within the length, with an ellipsis if any of it is gone."""
    if len(text) <= length:
        return text
    return f"{text[: length - 1].rsplit(' ', 1)[0].rstrip(' ,;:')}…"
