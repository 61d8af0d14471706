"""Whether a statement speaks of what its evidence speaks of at all."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from retrieval.terms import STOP_WORDS, stem, terms, words

if TYPE_CHECKING:
    from collections.abc import Sequence

LEAST = 0.4
"""The share of a statement's informative words that its evidence has to hold; the rest is room to paraphrase."""

_PROSE = 0.2
"""Of prose, more of the words than this are function words of its language."""

_FOREIGN = frozenset(
    """
    de la el los las un una unos unas en que por con para del se es y su sus al como lo muy est et les des du pas une
    dans pour sur au aux ou qui ne sont avec der das und ist nicht ein eine einen mit von zu den dem auf fur im sich
    wird il di che della delle sono con gli nel una em nao uma os dos das pelo het een van niet voor zijn wordt w na
    nie sie jest z ve bir icin ile och att ar inte som pa og er ikke til av och nu este si sau pe
    """.split()  # noqa: SIM905 - a wall of quotes is harder to read and to mend
)
"""Function words of other languages in Latin script, folded, that are no English ones."""


def speaks_of(statement: str, evidence: str, *, about: Sequence[str] = ()) -> bool:
    """Whether enough of the statement's informative words, by their stems, stand in the evidence.

    Words of `about`, the titles over it, may name the subject, but bear nothing: without them the share must be the
    same, and the statement have some word in common with the evidence itself. Only one language can be held against
    itself: a statement in another one than its evidence passes here.
    """
    if is_foreign(statement) != is_foreign(evidence):
        return True
    held, named = ({stem(word) for word in words(text)} for text in (evidence, "\n".join(about)))
    wanted = terms(statement)
    own = [word for word in wanted if word not in named]
    return any(word in held for word in wanted) and sum(word in held for word in own) >= LEAST * len(own)


def is_foreign(text: str) -> bool:
    """Whether the text is plainly in another language than English: by its script, or by its function words."""
    letters = [character for character in text if character.isalpha()]
    latin = sum(unicodedata.name(character, "").startswith("LATIN") for character in letters)
    if 2 * latin < len(letters):
        return True
    found = words(text)
    foreign = sum(word in _FOREIGN for word in found)
    return foreign > _PROSE * len(found) and foreign > sum(word in STOP_WORDS for word in found)
