"""Takes out of a sentence what it says of its source, where the document does not say so itself."""

from __future__ import annotations

import re

from retrieval.terms import STOP_WORDS, words

_NAMED = (
    r"(?:\([^()\n]{2,80}\)|\[[^\[\]\n]{2,80}\]|(?:(?:a|an|the|one|some|recent|new|several|many|most)\s){0,3}"
    r"(?:[A-Z\u00c0-\u00de][^,;:.\n]{1,80}|(?:stud|guideline|guidance|leaflet|document|source|passage|expert|research|report|review|"
    r"evidence|data|article|paper|author)[^,;:.\n]{0,60}))"
)
_BEFORE = re.compile(rf"\A((?:[-*\u2022]|\d{{1,3}}[.)])\s+)?(?i:according to|as per|as stated by)\s{_NAMED},\s+(?=\S)")
_BEHIND = re.compile(rf"[,;]?\s+(?i:according to|as stated by|as reported by)\s{_NAMED}(?=[.!?]?\s*\Z)")
_CITED = re.compile(
    r"\s?(?:\([^()\n]{0,120}?(?:\bet al\b\.?|\b(?:19|20)\d\d[a-z]?)[^()\n]{0,40}\)"
    r"|\[[^\[\]\n]{0,120}?(?:\bet al\b\.?|\b(?:19|20)\d\d[a-z]?)[^\[\]\n]{0,40}\])"
)
_RAISED = re.compile(r"(?<=[^\W\d_]{4})([.,]?)[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]+(?=[\s.,;:]|\Z)")


def without_attribution(text: str, evidence: str) -> str:
    """The sentence without "according to ...", "(Smith et al., 2019)" and raised note numbers that are made up.

    What the evidence says too, word for word, stays: it is the document's own.
    """
    held = set(words(evidence))

    def own(match: re.Match[str]) -> str | None:
        said = {word for word in words(match[0]) if word not in STOP_WORDS}
        return match[0] if said <= held else None

    before = _BEFORE.match(text)
    if before and not own(before):
        rest = text[before.end() :]
        text = (before[1] or "") + rest[:1].upper() + rest[1:]
    text = _BEHIND.sub(lambda match: own(match) or "", text)
    text = _CITED.sub(lambda match: own(match) or "", text)
    return _RAISED.sub(lambda match: match[0] if match[0] in evidence else match[1], text)
