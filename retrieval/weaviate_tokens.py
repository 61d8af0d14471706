"""Words as Weaviate's index holds them: our own stems, split at white space, with whole identifiers beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.terms import identifiers, stem, words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.terms import Phrase

_JOIN = "_"
"""No word holds one, so no joined run is taken for a word."""

_LONGEST_RUN = 3


def stored(text: str) -> str:
    """What is indexed of a text: its stems in order, then the runs that phrases with a digit may ask for.

    Runs of two and three words that hold a digit, wherever they stand (`il 6` and `IL-6` alike), and longer
    identifiers as they are written.
    """
    stems = [stem(word) for word in words(text)]
    runs = [
        _JOIN.join(stems[at : at + length])
        for length in range(2, _LONGEST_RUN + 1)
        for at in range(len(stems) - length + 1)
        if _holds_digit(stems[at : at + length])
    ]
    long = [run for one in identifiers(text) if len(run := words(one)) > _LONGEST_RUN]
    return " ".join([*stems, *runs, *(token(run) for run in long)])


def token(phrase: Sequence[str]) -> str:
    """One phrase of folded words, as it stands in the index."""
    return _JOIN.join(stem(word) for word in phrase)


def query(phrases: Sequence[Phrase]) -> str:
    """A query that any of the phrases answers. It holds letters, digits and points only: nothing is syntax."""
    return " ".join(dict.fromkeys(token(phrase) for phrase in phrases))


def _holds_digit(run: Sequence[str]) -> bool:
    return any(character.isdigit() for word in run for character in word)
