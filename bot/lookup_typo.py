"""Slips of the finger: which known words a word may have been meant as. Only what a finger does, never a likeness."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SHORTEST = 5
_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def _neighbours() -> dict[str, str]:
    found: dict[str, str] = {}
    for y, row in enumerate(_ROWS):
        for x, letter in enumerate(row):
            beside = [row[i] for i in (x - 1, x + 1) if 0 <= i < len(row)]
            for other in (y - 1, y + 1):
                if 0 <= other < len(_ROWS):
                    beside += [_ROWS[other][i] for i in (x - 1, x, x + 1) if 0 <= i < len(_ROWS[other])]
            found[letter] = "".join(beside)
    return found


_BESIDE = _neighbours()


def meant(word: str, known: Callable[[str], bool]) -> set[str]:
    """The known words one slip away: letters swapped, one missing, one too many, or the key beside it pressed.

    The first letter is kept, and a word with a digit in it is never read as another: "ward 3" is not "ward 4". Nor
    is a word that ends otherwise a slip: "officer" is not "office", "closed" not "closes", "Clarke" not "Clark".
    """
    if len(word) < SHORTEST - 1 or not word.isalpha():
        return set()
    return {one for one in _edits(word) if len(one) >= SHORTEST - 1 and one != word and known(one)}


def _edits(word: str) -> Iterator[str]:
    for at in range(1, len(word)):
        head, tail = word[:at], word[at:]
        if len(tail) > 1:
            yield head + tail[1] + tail[0] + tail[2:]
            yield head + tail[1:]
            for letter in _BESIDE.get(tail[0], ""):
                yield head + letter + tail[1:]
        for letter in _LETTERS:
            yield head + letter + tail
