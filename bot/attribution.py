"""Takes out of a sentence what it says of its source, where the document does not say so itself."""

from __future__ import annotations

import re

from bot.quantities import quantities
from retrieval.terms import STOP_WORDS, fold, stem, words

_STUDIES = (
    r"stud(?:y|ies)|guidelines?|guidance|leaflets?|documents?|sources?|passages?|experts?|research(?:ers)?|reports?|reviews?|evidence|data|"
    r"articles?|papers?|authors?|scientists?|trials?"
)
_NAMED = (
    r"(?:\([^()\n]{2,80}\)|\[[^\[\]\n]{2,80}\]|(?:(?:a|an|the|one|some|recent|new|several|many|most|our)\s){0,3}"
    rf"(?:[A-Z\u00c0-\u00de][^,;:.\n]{{1,80}}|(?:{_STUDIES})\b[^,;:.\n]{{0,60}}))"
)
_SAY = (
    r"(?:sa(?:y|id)|states?|stated|notes?|noted|shows?|showed|shown|finds?|found|recommends?|recommended|advises?|advised|reports?|"
    r"reported|suggests?|suggested|writes?|confirms?|confirmed|explains?|concludes?|concluded)s?"
)
_FROM = (
    r"(?:according to|as per|per|as (?:stated|reported|recommended|advised|quoted) by|based on|in the words of|quoting"
    r"|citing)"
)
_BEFORE = re.compile(
    rf"\A((?:[-*\u2022]|\d{{1,3}}[.)])\s+)?(?:(?i:{_FROM})\s{_NAMED},\s+|(?i:as)\s{_NAMED}\s{_SAY},\s+"
    rf"|(?i:(?:the|a|an|some|recent|many|several|new|large)\s){{0,3}}(?:[A-Z][\w.&-]*\s(?:(?:of|for|and|the)\s)*){{0,6}}"
    rf"(?:(?i:{_STUDIES})\s)?(?:(?:has|have)\s)?{_SAY}(?:\sthat|:)\s+)(?=\S)"
)
_BEHIND = re.compile(
    rf"(?:[,;]?\s+(?i:{_FROM})\s{_NAMED}|,\s(?:(?i:as)\s{_NAMED}\s{_SAY}|{_SAY}\s{_NAMED})"
    r"|\s[\u2013\u2014-]\s(?:(?:[A-Z][\w.&'-]*|of|for|and|the)[ ]?){1,8})(?=[.!?]?\s*\Z)"
)
_NAME = r"(?:the\s)?[A-Z][\w.&'-]*(?:\s(?:[A-Z][\w.&'-]*|of|for|and|the|guid\w+|website|leaflet|study))*"
_BRACKETED = re.compile(rf"\s?(?:\({_NAME}\)|\[{_NAME}\]|\[[a-z]\])")
_CITED = re.compile(
    r"\s?(?:\([^()\n]{0,120}?(?:\bet al\b\.?|\b(?:19|20)\d\d[a-z]?)[^()\n]{0,40}\)"
    r"|\[[^\[\]\n]{0,120}?(?:\bet al\b\.?|\b(?:19|20)\d\d[a-z]?)[^\[\]\n]{0,40}\])"
)
_RAISED = re.compile(r"(?<=[^\W\d_]{4})([.,]?)[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]+(?=[\s.,;:]|\Z)")

_PROPER = re.compile(r"(?:(?<=[a-z,;]\s)|(?<=[a-z]\s\())(?:[A-Z][a-z]{2,}|[A-Z]{2,}s?)\b")
_NO_NAMES = frozenset({"GP", "GPs", "OK", "Celsius", "Fahrenheit", "English"})


def without_attribution(text: str, evidence: str) -> str:
    """The sentence without "according to ...", "says ...", "(Mayo Clinic)" and raised note numbers that are made up.

    What the evidence says too, word for word, stays: it is the document's own.
    """
    held = set(words(evidence))

    def own(match: re.Match[str]) -> str | None:
        said = {word for word in words(match[0]) if word not in STOP_WORDS}
        own = said <= held if said else match[0].strip() in evidence
        return match[0] if own else None

    before = _BEFORE.match(text)
    if before and not own(before):
        rest = text[before.end() :]
        text = (before[1] or "") + rest[:1].upper() + rest[1:]
    text = _BEHIND.sub(lambda match: own(match) or "", text)
    text = _BRACKETED.sub(lambda match: own(match) or "", text)
    text = _CITED.sub(lambda match: own(match) or "", text)
    return _RAISED.sub(lambda match: match[0] if match[0] in evidence else match[1], text)


def names_another(text: str, evidence: str) -> bool:
    """Whether a name stands inside one of its sentences that the evidence has nowhere: "the Mayo Clinic", "Tylenol"."""
    held = {stem(word) for word in words(evidence) if word not in STOP_WORDS}
    return any(
        not quantities(name) and name not in evidence and name not in _NO_NAMES and stem(fold(name)) not in held
        for name in _PROPER.findall(text)
    )
