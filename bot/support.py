"""Whether a statement speaks of what its evidence speaks of at all."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bot.language import in_latin_letters
from bot.opposites import has_opposite
from bot.units import unit
from retrieval.terms import STOP_WORDS, stem, terms, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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
_PARTS = re.compile(r"[.!?,;:]\s|\s[\u2013\u2014-]\s|\b(?:and|or|but|so|then)\b", re.IGNORECASE)
_NUMBERS = frozenset({"two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"})
"""As figures they are compared by their value."""
_MEASURED = frozenset({"times", "degree", "degrees", "celsius", "fahrenheit"})
_SURE = 3
"""So many words tell the language of a question."""


def speaks_of(statement: str, evidence: str, *, about: Sequence[str] = (), asked: str = "") -> bool:
    """Whether enough of the statement's informative words, by their stems, stand in the evidence.

    Words of `about`, the titles over it, may name the subject, but bear nothing: without them the share must be the
    same, and what says no more than they do must stand in the evidence whole. A title that asks names nothing, since
    its words are not yet an answer. Each of the sentences is held to that, and of what they string together each part
    has a word there or in the titles, so that none rides on another.
    Only one language can be held against itself: a statement in another one than its evidence passes here, unless it
    was `asked` for in English and no language was named. Nobody but the person decides that an answer is in French.
    """
    if is_foreign(statement) != is_foreign(evidence) and not (is_foreign(statement) and _expects_english(asked)):
        return True
    asking = [title for title in about if title.rstrip(" *_").endswith("?")]
    held, named = _stems([evidence]), _stems(title for title in about if title not in asking)
    if held.isdisjoint(terms(statement)):
        return False
    told = [wanted for one in _ENDS.split(statement) if (wanted := _telling(one))] or [terms(statement)]
    return all(_borne(wanted, held, named, _stems(asking)) for wanted in told) and not any(
        part and (held | named).isdisjoint(part) for part in map(_naming, _PARTS.split(statement))
    )


def _borne(wanted: Sequence[str], held: set[str], named: set[str], asking: set[str]) -> bool:
    own = [word for word in wanted if word not in named]
    if asking.union(named).issuperset(wanted):
        return held.issuperset(own or wanted)
    return sum(word in held for word in own) >= LEAST * len(own)


def _telling(text: str) -> list[str]:
    """The stems of its informative words, none if it has none."""
    return [stem(word) for word in words(text) if word not in STOP_WORDS]


def _naming(text: str) -> list[str]:
    """The same without figures and what has an opposite, which are held against the evidence's elsewhere."""
    found = (word for word in words(text) if word.isalpha() and word not in STOP_WORDS | _NUMBERS | _MEASURED)
    return [stem(word) for word in found if not has_opposite(word) and not unit(word)]


def _stems(texts: Iterable[str]) -> set[str]:
    return {stem(word) for text in texts for word in words(text)}


def is_foreign(text: str) -> bool:
    """Whether the text is plainly in another language than English: by its script, or by its function words."""
    if not in_latin_letters(text):
        return True
    found = words(text)
    foreign = sum(word in _FOREIGN for word in found)
    return foreign > _PROSE * len(found) and foreign > sum(word in STOP_WORDS for word in found)


def _expects_english(asked: str) -> bool:
    found = words(asked)
    english = sum(word in STOP_WORDS for word in found) > _PROSE * len(found)
    return len(found) >= _SURE and english and _LANGUAGES.isdisjoint(found)
