"""Words of passages and questions, folded and stemmed alike, and the identifiers that medicine lives on."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

import snowballstemmer

from retrieval.designator import designated

if TYPE_CHECKING:
    from collections.abc import Callable

_UNITS = "mg|mcg|μg|ug|ng|pg|g|kg|ml|dl|l|mm|cm|mmol|μmol|nmol|mol|meq|iu|units?|mmhg|kcal|kj|bpm|hz|mhz"
_END = r"(?![^\W_])"
_NUMBER = rf"(?<![^\W_])(?<!\d[.,])(?:\d{{1,3}}(?:,\d{{3}})+|\d+)(?:\.\d+)?(?![.,]?\d)(?=(?:{_UNITS})?{_END})"
_WORD = re.compile(rf"[^\W\d_][^\W_]*|{_NUMBER}|[^\W_]+")
_COMMA = re.compile(r",\d")
_DOSE = re.compile(rf"{_NUMBER}\s?(?:{_UNITS}){_END}")
_JOINED = re.compile(r"[^\W_]+(?:[-./‐–−][^\W_]+)*")
_LATER_RULE = re.compile(r"[aeiouy][^aeiou].*(?:bli|logi)$")
_LETTERS_THEN_DIGITS = re.compile(r"([^\W\d_]+)(\d+)")

Phrase: TypeAlias = tuple[str, ...]
"""Folded words that stand one after the other."""

STOP_WORDS = frozenset(
    """
    a able about above across after again against all almost also although always am among an and another any anyone
    anything are aren around as ask at away be became because become been before being below best better between both
    but by came can cannot cant come could couldn did didn do does doesn doing don done down during each either else
    enough even ever every everyone everything explain few find for from further gave get gets getting give given go
    goes going gone got had hadn has hasn have haven having he hello help her here hers herself hi him himself his how
    however i if in into is isn it its itself just know let like ll look made make makes many may maybe me might mine
    more most much must my myself need needs no nor not now of off often on once one only onto or other others our
    ours ourselves out over own per perhaps please quite rather re really regarding s said same say says see seem
    seems shall she should shouldn show since so some someone something still such t take tell than thank thanks that
    the their theirs them themselves then there these they thing things think this those though through thus to together
    too toward towards tried try under until up upon us use used using ve very via want wanted wants was wasn way we
    well were weren what whatever when where whether which while who whom whose why will with within without won would
    wouldn yes yet you your yours yourself yourselves
    """.split()  # noqa: SIM905 - a wall of quotes is harder to read and to mend
)
"""English function words and the words questions are made of, folded. What a question is about is in the others."""

COMMON = 0.2
"""A word that stands in more than this share of passages tells little, and costs the most time to look up."""

RAREST = 12
"""So many words of a long question are searched for, the rarest."""


_FOLDED_APART = re.compile(r"[^\x00-\x7f‘’“”–—•·°®]")
"""What is not ASCII, nor punctuation that folds to itself: most texts hold none of it, and are folded in a moment."""


def is_plain(text: str) -> bool:
    """Whether no letter in it has another spelling, so that small letters are all that folding makes of it."""
    return _FOLDED_APART.search(text) is None


def fold(text: str) -> str:
    """Small letters without accents, ligatures, full-width forms or invisible characters."""
    if is_plain(text):
        return text.lower()
    apart = unicodedata.normalize("NFKD", text.casefold())
    invisible = {one for one in set(apart) if unicodedata.category(one) in {"Mn", "Mc", "Me", "Cf"}}
    bare = "".join(one for one in apart if one not in invisible) if invisible else apart
    return unicodedata.normalize("NFKC", bare.casefold())


def words(text: str) -> list[str]:
    """The folded words in order. `1,000` is `1000`, `0.5` stays one word, and `5mg` is `5`, `mg`."""
    return list(_words(text))


@lru_cache(maxsize=256)
def _words(text: str) -> tuple[str, ...]:
    """Remembered for a while: one turn reranks, grades, quotes and checks the same passages."""
    folded = fold(text)
    found: list[str] = _WORD.findall(folded)
    return tuple(word.replace(",", "") for word in found) if _COMMA.search(folded) else tuple(found)


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The Porter stem of a folded word, as SQLite's `porter` tokenizer makes it.

    That one leaves words under three bytes alone, and has two rules of Porter's later version: -bli to -ble and
    -logi to -log.
    """
    if not 2 < len(word.encode()) < 64:
        return word
    stemmer = snowballstemmer.stemmer("porter")  # one a call: it keeps its state in itself, and threads share this
    stemmed = str(stemmer.stemWord(word))
    if _LATER_RULE.search(stemmed) is None:
        return stemmed
    return stemmed[:-1] if stemmed.endswith("logi") else str(stemmer.stemWord(f"{stemmed[:-3]}ble"))


def terms(text: str) -> list[str]:
    """The stems of a question's informative words, each once, in order; of all its words if none is informative."""
    found = words(text)
    informative = [word for word in found if word not in STOP_WORDS] or found
    return list(dict.fromkeys(stem(word) for word in informative))


def identifiers(text: str) -> list[str]:
    """Names that hold a digit, and doses, folded, each once: `covid-19`, `ser1177`, `e11.9`, `120/80`, `0.5 mg`."""
    folded = fold(text)
    doses = [" ".join(words(match.group())) for match in _DOSE.finditer(folded)]
    joined = [match.group() for match in _JOINED.finditer(_DOSE.sub(" ", folded))]
    return list(dict.fromkeys(doses + [one for one in joined if _names_something(one)]))


def phrases(text: str, share: Callable[[str], float]) -> tuple[list[Phrase], list[Phrase]]:
    """What to search for first, any of which a passage may hold, and what only to fill up the list with.

    First come telling words, and identifiers whole. `share` gives the part of all passages, 0 to 1, in which a stem
    stands: words that stand nowhere or in more than `COMMON` are left out while others remain, and of the rest the
    `RAREST` rarest kept. The numbers and short parts of identifiers come second, so a passage that holds `il-6` ranks
    above one that holds `il` and `6` apart, which still is found. A letter that tells things apart and is a small word
    too is searched for with its noun: "hepatitis A".
    """
    spellings = [_spellings(one) for one in identifiers(text)]
    lettered = [(noun, mark) for noun, mark in designated(text) if mark in STOP_WORDS]
    parts = {word for (whole, *_) in spellings if len(whole) > 1 for word in whole if _says_little_alone(word)}
    found = dict.fromkeys(words(text))
    informative = [word for word in found if word not in parts and word not in STOP_WORDS]
    if not informative and not spellings:
        informative = list(found)
    by_stem = {stem(word): word for word in reversed(informative)}
    shares = {term: share(term) for term in reversed(by_stem)}
    known = [term for term, part in shares.items() if part > 0]
    telling = [term for term in known if shares[term] <= COMMON] or known
    kept = set(sorted(telling, key=shares.__getitem__)[:RAREST])
    first = [(by_stem[term],) for term in known if term in kept] + [run for runs in spellings for run in runs]
    return list(dict.fromkeys([*first, *lettered])), [(word,) for word in found if word in parts]


def _names_something(joined: str) -> bool:
    return any(c.isdigit() for c in joined) and not joined.isdecimal()


def _says_little_alone(word: str) -> bool:
    return len(word) < 3 or not word.isalpha()


def _spellings(identifier: str) -> list[Phrase]:
    """`il-6` is also written `il6`, and the other way round."""
    run = tuple(words(identifier))
    together = _LETTERS_THEN_DIGITS.fullmatch("".join(run)) if len(run) <= 2 else None
    return [run, *([(together[0],), together.groups()] if together else [])]
