"""Whether a statement speaks of what its evidence speaks of at all."""

from __future__ import annotations

from retrieval.terms import STOP_WORDS, stem, terms, words

LEAST = 1 / 3
"""The share of a statement's informative words that its evidence has to hold; the rest is room to paraphrase."""

_ENGLISH = 0.2
"""Of English prose, more of the words than this are function words; of other languages, hardly any are English ones."""


def speaks_of(statement: str, evidence: str) -> bool:
    """Whether enough of the statement's informative words, by their stems, stand in the evidence.

    Only English can be held against English: a statement in another language than its evidence passes here.
    """
    if not (_is_english(statement) and _is_english(evidence)):
        return True
    wanted = terms(statement)
    held = {stem(word) for word in words(evidence)}
    return sum(word in held for word in wanted) >= LEAST * len(wanted)


def _is_english(text: str) -> bool:
    found = words(text)
    return sum(word in STOP_WORDS for word in found) > _ENGLISH * len(found)
