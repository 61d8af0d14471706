"""The sentence that places a passage in its document, made without a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST = 200
"""Characters a context sentence has at most, so that the passage itself has room in the embedding model's window."""

_LONGEST_TITLE = 90


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
    sentence = _cut(start + under + tail, LONGEST - 1)
    return sentence if sentence.endswith((".", "?", "!", "…")) else f"{sentence}."


def _cut(text: str, length: int) -> str:
    """The text up to a word's end within the length, with an ellipsis if any of it is gone."""
    if len(text) <= length:
        return text
    return f"{text[: length - 1].rsplit(' ', 1)[0].rstrip(' ,;:')}…"
