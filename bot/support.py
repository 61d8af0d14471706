"""Whether a statement speaks of what its evidence speaks of at all."""

from __future__ import annotations

import re

from retrieval.terms import STOP_WORDS, stem, terms, words

LEAST = 1 / 3
"""The share of a statement's informative words that its evidence has to hold; the rest is room to paraphrase."""

_ENGLISH = 0.2
"""Of English prose, more of the words than this are function words; of other languages, hardly any are English ones."""


_LANGUAGES = frozenset({
    "albanian", "amharic", "arabic", "armenian", "bengali", "bulgarian", "cantonese", "chinese", "croatian",
    "czech", "danish", "dutch", "english", "farsi", "filipino", "finnish", "french", "german", "greek", "gujarati",
    "haitian", "hausa", "hebrew", "hindi", "hmong", "hungarian", "igbo", "indonesian", "italian", "japanese",
    "khmer", "korean", "kurdish", "language", "lao", "latvian", "lithuanian", "malay", "mandarin", "nepali",
    "norwegian", "pashto", "persian", "polish", "portuguese", "punjabi", "romanian", "russian", "serbian",
    "sinhala", "slovak", "somali", "spanish", "swahili", "swedish", "tagalog", "tamil", "telugu", "thai",
    "tigrinya", "translate", "translated", "turkish", "ukrainian", "urdu", "vietnamese", "welsh", "yoruba", "zulu",
})  # fmt: skip
_ENDS = re.compile(r"(?<=[.!?])\s+")
_SURE = 3
"""So many words tell the language of a question."""


def speaks_of(statement: str, evidence: str, asked: str = "") -> bool:
    """Whether enough of the statement's informative words, by their stems, stand in the evidence.

    Each of its sentences that has two or more of them is held to that, so that none rides on another.
    Only English can be held against English: a statement in another language than its evidence passes here, unless it
    was `asked` for in English and no language was named. Nobody but the person decides that an answer is in French,
    or in a cipher.
    """
    if not _is_english(evidence):
        return True
    if not _is_english(statement) and not _expects_english(asked):
        return True
    held = {stem(word) for word in words(evidence)}
    sentences = (terms(one) for one in _ENDS.split(statement))
    told = [wanted for wanted in sentences if len(wanted) > 1] or [terms(statement)]
    return all(sum(word in held for word in wanted) >= LEAST * len(wanted) for wanted in told)


def _is_english(text: str) -> bool:
    found = words(text)
    return sum(word in STOP_WORDS for word in found) > _ENGLISH * len(found)


def _expects_english(asked: str) -> bool:
    found = words(asked)
    return len(found) >= _SURE and _is_english(asked) and _LANGUAGES.isdisjoint(found)
