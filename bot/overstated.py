"""Whether a statement says surely, always or of all what its evidence says with a reserve or on a condition."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bot.clauses import ALIKE, clauses, likeness, sentences, weights
from retrieval.terms import terms, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)


_MAY = (
    r"may|might|could|can|possib\w+|perhaps|probabl\w+|potential\w*|likely|unlikely|seems?|appears?|"
    r"thought|thinks?|believe[sd]?|claim(?:s|ed)?|sometimes|some|few|risks?|chances?"
)
_RESERVES = [
    (_words(r"(?<!you\s)(?:may|might|could|can(?!\s?not|['\u2019]t))|possibly|perhaps|probably|claim(?:s|ed)?|think|believe"),
     _words(_MAY)),
    (_words(r"some|(?<!quite\s)a\sfew"), _words(rf"{_MAY}|certain|many|often|several|most")),
    (_words(r"used\sto(?=\s[a-z]+\b)(?<!\bis\sused\sto)(?<!are\sused\sto)(?<!be\sused\sto)|formerly|previously"
            r"|(?<!at\s)(?<!more\sthan\s)once(?=\s[a-z]+ed\b)"),
     _words(r"used\sto|formerly|previously|once|was|were|no\slonger|\w+ed\sin\sthe\spast")),
    (_words(r"(?<!not\s)only"), _words(r"(?<!not\s)(?:only|just|solely|alone|nobody|no\sone)")),
]  # fmt: skip
"""What a clause has, and what one that is much like it has to have too."""
_MODELS = _words(r"mice|mouse|rats?|rabbits?|animals?|in\svitro|lab(?:oratory)?|cell\slines?")
"""Where nothing was tried on people."""
_CONDITION = re.compile(
    r"^\W*(?:(?:and|but)\s)?(?:only\s)?(?:if|unless|provided|as\slong\sas|except)\b|\bonly\s(?:if|when|under)\b",
    re.IGNORECASE,
)


_CLAIMED = re.compile(
    r"^.{0,60}\b(?:claim(?:s|ed)?|thinks?|thought|believe[sd]?|sa(?:y|id)|"
    r"(?:not|\w+n['\u2019]t)\s(?:known|clear|certain|proven|true))\s"
    r"(?:that|whether|if)\s",
    re.IGNORECASE,
)


def overstated(statement: str, evidence: str, asked: str = "") -> bool:
    """Whether a clause of the statement is one of the evidence without "may", "some", "only", "in mice" or its "if".

    A condition that the person has said of themselves (`asked`) need not be said again. English only.
    """
    held = [(clause, weights(clause)) for clause in clauses(evidence)]
    for clause in clauses(statement):
        shares = [(likeness(weights(clause), other), whole) for whole, other in held]
        most = max((share for share, _ in shares), default=0.0)
        nearest = [whole for share, whole in shares if share == most]
        if most >= ALIKE and all(_without_reserve(clause, other) for other in nearest):
            return True
    return any(_without_condition(one, sentences(evidence), asked) for one in sentences(statement))


def _without_reserve(clause: str, other: str) -> bool:
    return any(has.search(other) and not keeps.search(clause) for has, keeps in _RESERVES)


def _without_condition(sentence: str, lines: Sequence[str], asked: str) -> bool:
    """Whether the sentence is one of the lines without its condition, that some claim it, or that it is of animals."""
    said = weights(sentence)
    found = [left_out for line in lines for left_out in _left_out(sentence, said, line, asked)]
    return bool(found) and all(found)


def _spaced(text: str) -> str:
    return f" {' '.join(words(text))} "


def _left_out(sentence: str, said: Mapping[str, float], line: str, asked: str) -> Iterator[bool]:
    """For each part of the line that the sentence is: whether it does without what the line says of it."""
    if claimed := _CLAIMED.search(line):
        if likeness(said, weights(line[claimed.end() :])) >= ALIKE:
            yield not _CLAIMED.search(sentence)
        return
    parts = clauses(line)
    known = {*terms(sentence), *terms(asked)}
    own = _spaced(sentence)
    for at, part in enumerate(parts):
        if likeness(said, weights(part)) >= ALIKE:
            near = parts[max(0, at - 1) : at + 2]
            # "If you had one" has words of no weight alone: whether it is said is told by all of them.
            beside = [one for one in near if _CONDITION.search(one) and _spaced(one) not in own]
            lost = [one for one in beside if set(terms(one)) - {*terms(sentence)} and known.isdisjoint(terms(one))]
            on_animals = bool(_MODELS.search(line)) and not _MODELS.search(sentence)
            yield on_animals or (bool(lost) and not _CONDITION.search(sentence))
