"""Whether a sentence is the evidence's own, but for a word put for another one, or for two that changed places."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from bot.clauses import sentences
from bot.opposites import has_opposite
from bot.quantities import quantities
from bot.units import unit
from retrieval.terms import STOP_WORDS, stem, terms, words

if TYPE_CHECKING:
    from collections.abc import Sequence

_CLOSE = 2.0
"""So much of the same wording before and behind a word says that it stands in the other one's place."""
_FUNCTION = 0.25
"""What a function word counts of that; a telling word counts one."""
_PHRASE = 2
"""So many words may be put for so many."""
_LONGEST = 80
"""Words of a sentence that are compared."""
_STEM = 4
"""A stem of so many letters that begins another one is of the same word: "treat" and "treatment"."""
_SAME = [
    {stem(word) for word in group.split()}
    for group in (
        "doctor gp physician clinician",
        "medicine medication drug",
        "illness disease condition disorder",
        "people person patient individual",
        "child kid",
        "baby infant",
        "relieve ease soothe",
        "happen occur",
        "advise recommend suggest",
        "call phone ring telephone contact",
        "vaccine vaccination immunisation jab",
        "visit attend",
        "large big",
        "small little",
        "provide offer",
        "contain hold",
        "require need",
        "stomach tummy belly",
        "kidney renal",
        "liver hepatic",
        "buy purchase",
        "show indicate",
        "appear develop",
        "obtain receive",
        "assist aid",
        "normal usual",
    )
]
_TURN = re.compile(r"\b(rather than|instead of|than|before|after|until|causes?|leads? to)\b", re.IGNORECASE)
"""What stands before these and what stands behind are not one for the other."""


def replaced(statement: str, evidence: str, named: str) -> bool:
    """Whether a sentence puts a telling word that neither the evidence nor its titles (`named`) have for one it has.

    "Hypothyroidism is treated with tablets" does so with "Hyperthyroidism is treated with tablets". A word of the same
    meaning, as far as a short list knows, is none; and who says the same quite otherwise says other words around it.
    """
    known = {_spelled(stem(word)) for word in words(f"{evidence}\n{named}")}
    said, held = ([words(one)[:_LONGEST] for one in sentences(text)] for text in (statement, evidence))
    return any(_strange(one, other, known) for one in said for other in held)


def reordered(statement: str, evidence: str) -> bool:
    """Whether a sentence has two words of the evidence's in each other's place, or what stands before "than" behind.

    "Paracetamol is safer than ibuprofen" is not "Ibuprofen is safer than paracetamol", nor is "ask before you stop"
    "stop before you ask".
    """
    lines = sentences(evidence)
    return any(_changed_places(one, lines) or _turned_round(one, lines) for one in sentences(statement))


def _strange(said: Sequence[str], held: Sequence[str], known: set[str]) -> bool:
    stems = [[stem(word) for word in some] for some in (said, held)]
    if len(set(stems[0]) & set(stems[1])) < _PHRASE:
        return False
    steps = SequenceMatcher(None, stems[0], stems[1], autojunk=False).get_opcodes()
    for at, (tag, i, j, k, m) in enumerate(steps):
        if tag != "replace" or max(j - i, m - k) > _PHRASE:
            continue
        around = [steps[near] for near in (at - 1, at + 1) if 0 <= near < len(steps)]
        alike = sum(_weight(word) for kind, a, b, *_ in around if kind == "equal" for word in said[a:b])
        if alike >= _CLOSE and all(kind == "equal" for kind, *_ in around) and _stranger(said[i:j], held[k:m], known):
            return True
    return False


def _weight(word: str) -> float:
    return _FUNCTION if word in STOP_WORDS else 1.0


def _stranger(said: Sequence[str], held: Sequence[str], known: set[str]) -> bool:
    new, old = ([stem(word) for word in some if _tells(word)] for some in (said, held))
    return bool(old) and any(_spelled(one) not in known and not any(_akin(one, other) for other in old) for one in new)


def _tells(word: str) -> bool:
    return word.isalpha() and word not in STOP_WORDS and not has_opposite(word) and not (quantities(word) or unit(word))


def _akin(one: str, other: str) -> bool:
    short, long = sorted((_spelled(one), _spelled(other)), key=len)
    return (len(short) >= _STEM and long.startswith(short)) or any({one, other} <= group for group in _SAME)


def _spelled(word: str) -> str:
    """British and American alike."""
    return word.replace("ae", "e").replace("oe", "e").replace("our", "or").replace("s", "z")


def _changed_places(sentence: str, lines: Sequence[str]) -> bool:
    said = words(sentence)
    found = [held for line in lines if sorted(held := words(line)) == sorted(said)]
    return bool(found) and all(_crossed(said, held) for held in found)


def _crossed(said: Sequence[str], held: Sequence[str]) -> bool:
    apart = [at for at, pair in enumerate(zip(said, held, strict=True)) if pair[0] != pair[1]]
    if len(apart) != 2 or all(said[at] in STOP_WORDS for at in apart):
        return False
    return not {"and", "or"}.issuperset(said[apart[0] + 1 : apart[1]])


def _turned_round(sentence: str, lines: Sequence[str]) -> bool:
    said = _sides(sentence)
    if said is None:
        return False
    overlaps = [
        (straight, crossed)
        for line in lines
        if (held := _sides(line)) and held[0] == said[0]
        for straight in [len(said[1] & held[1]) + len(said[2] & held[2])]
        for crossed in [len(said[1] & held[2]) + len(said[2] & held[1])]
    ]
    most = max(map(sum, overlaps), default=0)
    return most > 1 and all(one[1] > one[0] for one in overlaps if sum(one) == most)


def _sides(sentence: str) -> tuple[str, set[str], set[str]] | None:
    """The turning word where there is just one, and the telling words before and behind it as they belong to it."""
    before, *rest = _TURN.split(sentence)
    if len(rest) != 2:
        return None
    turn, behind = rest
    if not words(before):
        behind, _, before = behind.partition(",")
    return stem(turn.lower()), set(terms(before)), set(terms(behind))
