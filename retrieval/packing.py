"""Putting texts into requests that a hosted model takes, without its tokenizer at hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

EXTRA_TOKENS = 32
"""What a model may add to each text: marks of its start and end, and a sentence that says what it is for."""


def most_tokens(text: str) -> int:
    """No tokenizer makes more tokens of a text than it has bytes: the vocabularies in use are built up from bytes.

    English has some four bytes a token, so requests measured by this are smaller than they may be, and never larger.
    """
    return len(text.encode(errors="replace")) + EXTRA_TOKENS


def cut(text: str, tokens: int) -> str:
    """The beginning of a text, at most so many tokens long by `most_tokens`."""
    return text.encode(errors="replace")[: max(0, tokens - EXTRA_TOKENS)].decode(errors="ignore")


def packed(sizes: Sequence[int], *, room: int, items: int) -> Iterator[range]:
    """Consecutive stretches, each of at most `items` and with sizes of at most `room` in all, that cover everything.

    What is larger than the room stands alone.
    """
    start = filled = 0
    for at, size in enumerate(sizes):
        if at > start and (filled + size > room or at - start >= items):
            yield range(start, at)
            start, filled = at, 0
        filled += size
    if start < len(sizes):
        yield range(start, len(sizes))
