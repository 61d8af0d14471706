"""Whether a model's rewriting of a follow-up keeps to what was said: no figure, name or drug changed, added or lost."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bot.followup_words import ELSEWHERE_SMALL, GROUPS
from bot.opposites import turned
from bot.polarity import negated
from bot.quantities import quantities, unborne
from bot.topic import is_general, spans
from bot.units import unit
from retrieval.terms import stem, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_POSSESSIVE = re.compile(r"['\u2019]s\b")
_GROUPS = frozenset(stem(word) for word in GROUPS)


def faithful(rewritten: str, question: str, earlier: Sequence[str]) -> bool:
    """Whether the rewriting keeps to the words of the question and the `earlier` ones.

    Every figure in it was asked about, and the question's own are still there. So it is with words: but for function
    words and what can be asked of anything ("treatment", "safe"), each stands in one of the questions, and each of the
    question's own is kept. It says no where the question does, and not where none of them did. It has no
    opposite of a word of the question's, and is about the last thing that was asked about, not about one before. There
    is no list of drugs and names to go by, so every word that could be one counts as one.
    """
    if rewritten == question:
        return True
    asked = "\n".join([question, *earlier])
    if unborne(rewritten, asked) or unborne(question, rewritten):
        return False
    if turned(rewritten, question) or _of_an_older(rewritten, question, earlier):
        return False
    added = _stems(_telling(rewritten)) - _stems([asked])
    lost = _stems(_telling(question)) - _stems([rewritten])
    if added or lost:
        return False
    return negated(question) <= negated(rewritten) <= negated(asked)


def _of_an_older(rewritten: str, question: str, earlier: Sequence[str]) -> bool:
    """Whether it takes what an older question is about, and nothing of the last one that is about anything."""
    said = _stems([rewritten]) - _stems([question])
    named = ([word for word in _telling(one) if not (quantities(word) or unit(word))] for one in earlier)
    topics = [topic for some in named if (topic := _stems(some) - _GROUPS)]
    return len(topics) > 1 and said.isdisjoint(topics[-1]) and any(not said.isdisjoint(one) for one in topics[:-1])


def _telling(text: str) -> list[str]:
    """The words that say what it is about, whom and when: all that are not known to say nothing of it."""
    found = [match[0] for match in spans(_POSSESSIVE.sub("", text))]
    return [word for word in found if not is_general(word) and word.lower() not in ELSEWHERE_SMALL]


def _stems(texts: Iterable[str]) -> set[str]:
    return {stem(word) for text in texts for word in words(_POSSESSIVE.sub("", text))}
