"""Everyday words where they are none: elsewhere they change nothing, and here they change what is asked."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_VERBS = frozenset({"call", "called", "get", "gets", "give", "go", "goes", "need", "use", "used", "using", "want"})
_MODALS = frozenset({"can", "could", "shall", "should", "will", "would"})
_WISHES = frozenset({"could", "shall", "should", "would"})
_ASKERS = frozenset({"i", "we", "you"})
_OTHERS = frozenset({"our", "someone", "their", "them", "they", "us", "we", "your"})
_TELLING = frozenset({"check", "give", "help", "let", "show", "tell"})
_POLITE = _TELLING | {"find", "kindly", "look", "please", "say", "see"}
_ASKING = frozenset({"ask", "check", "find", "know", "look", "please", "see"})
_COUNTING = frozenset({"many", "much"})
_NAMING = frozenset({"of", "for"})
_GOING_ON = frozenset({"and", "are", "at", "for", "has", "have", "in", "is", "on", "or", "to"})
_LINKS = frozenset({"and", "or"})


def changes(words: Sequence[str], at: int, *, personal: bool) -> bool:
    """Whether the everyday word there changes what is asked.

    "How many do we need" is not how many there are, "what should it be" not what it is, "who called the doctor" not
    who is on call; and what "they" have is not the asking person's own.
    """
    word, before = words[at], words[at - 1] if at else ""
    if word in _VERBS or word in _MODALS:
        if _counted(words[:at]) and not _polite(words, at):
            return True
        if word in _VERBS and (before == "who" or (before in _MODALS and words[at - 2 : at - 1] == ["who"])):
            return True
        if (not at and word in {"shall", "should"}) or (word in _WISHES and _is_wished(words, at)):
            return True
    if not personal:
        return False
    if word in _MODALS and words[at + 1 : at + 2] == ["i"]:  # "when should I start my leave?"
        return _ASKING.isdisjoint(words[at + 2 : at + 3])
    return word in _OTHERS or (word == "you" and before not in _MODALS | {"do", "thank"})


def speaks_of_oneself(words: Sequence[str], at: int) -> bool:
    """Whether "me" and the like there is more than in "tell me"."""
    return words[at] != "me" or not at or words[at - 1] not in _TELLING


def is_name(words: Sequence[str], at: int, capitals: frozenset[str]) -> bool:
    """Whether an everyday word that is a value of a key too, as "A", "IT" or "Will", is that value there.

    It is with its capital, and in "of a" and "for it" where nothing comes that "a" could belong to.
    """
    if words[at] in capitals:
        return True
    return bool(at) and words[at - 1] in _NAMING and (at + 1 == len(words) or words[at + 1] in _GOING_ON)


def linked(between: Sequence[str]) -> bool:
    """Whether words between two values make a list of them."""
    return not between or (len(between) == 1 and between[0] in _LINKS)


def spans(between: Sequence[str]) -> bool:
    """Whether words between two values make a stretch of them, of which a table's rows do not tell what lies within."""
    return "to" in between


def _is_wished(words: Sequence[str], at: int) -> bool:
    """Whether it is asked how something should be, as in "what should the temperature be", and not what to do."""
    return _ASKERS.isdisjoint([*words[max(at - 1, 0) : at], *words[at + 1 : at + 2]])


def _counted(before: Sequence[str]) -> bool:
    return not _COUNTING.isdisjoint(before) or ("number", "of") in pairwise(before)


def _polite(words: Sequence[str], at: int) -> bool:
    """As in "can you tell me" and "I need to know"."""
    after = [*words[at + 1 : at + 3]]
    return after == ["to", "know"] or (after[:1] == ["you"] and after[-1] in _POLITE)
