"""What a message asks of the last answer itself, by fixed phrases: more, simpler words, a language, its sources."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, TypeAlias

from bot.safety_text import END, fold, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

LONGEST = 80
"""Characters; anything longer says more than these phrases."""

WHAT_ELSE = "What else?"
"""What stands for every message that asks for more, in whatever words, when it is made to stand alone."""

_Phrase: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class More:
    """What the documents say beside what was shown."""


@dataclass(frozen=True, slots=True)
class Simpler:
    """The same in plainer words."""


@dataclass(frozen=True, slots=True)
class InLanguage:
    """The same in another language, by its ISO 639 code; "other" where there is none here."""

    code: str


@dataclass(frozen=True, slots=True)
class OfSources:
    """What stood behind it: all sources, or the one with number `n`, where -1 is the last."""

    n: int | None = None


AskingOn: TypeAlias = More | Simpler | InLanguage | OfSources


@dataclass(frozen=True, slots=True)
class _Known:
    """The file, with every phrase as its words."""

    beside: tuple[frozenset[_Phrase], frozenset[_Phrase]]
    phrases: Mapping[str, frozenset[_Phrase]]
    words: Mapping[str, tuple[frozenset[str], frozenset[str]]]
    numbers: Mapping[_Phrase, int]
    languages: Mapping[_Phrase, InLanguage]


def asking_on(text: str) -> AskingOn | None:
    """What the message asks of the answer before it; None where any word of it may be about something else."""
    if len(text) > LONGEST:
        return None
    known = _known()
    said = _bare(_plain(text), known)
    for kind, made in (("more", More()), ("simpler", Simpler()), ("sources", OfSources())):
        if _is(kind, said, known):
            return made
    for start in range(len(said)):
        for end in range(start + 1, len(said) + 1):
            named, n = said[start:end], _number(said[start:end], known)
            if n is not None and _is("source", (*said[:start], "{n}", *said[end:]), known):
                return OfSources(n)
            language = known.languages.get(named)
            if language and _is("language", (*said[:start], "{language}", *said[end:]), known):
                return language
    return None


def _is(kind: str, said: _Phrase, known: _Known) -> bool:
    """Whether it is a phrase of this kind, or made of its words alone and at least one of its keys.

    A question whether something "is" so is no such thing: "is it simple?".
    """
    if said in known.phrases[kind]:
        return True
    keys, beside = known.words[kind]
    asks_whether = said[:1] in {("is",), ("are",), ("was",), ("does",)} and kind != "language"
    return not asks_whether and not keys.isdisjoint(said) and keys | beside >= set(said)


def _bare(said: _Phrase, known: _Known) -> _Phrase:
    """Without what may stand before and after, as long as words are left and they are not themselves a phrase."""
    before, after = known.beside
    whole = frozenset[_Phrase]().union(*known.phrases.values())
    while said not in whole:
        cut = next((said[n:] for n in range(min(3, len(said) - 1), 0, -1) if said[:n] in before), None) or next(
            (said[:-n] for n in range(min(4, len(said) - 1), 0, -1) if said[-n:] in after), None
        )
        if cut is None:
            break
        said = cut
    return said


def _number(named: _Phrase, known: _Known) -> int | None:
    word = named[0]
    if len(named) == 1 and word.isdecimal() and len(word) < 4:
        return int(word)
    return known.numbers.get(named)


def _plain(text: str) -> _Phrase:
    """The words, with one for all that mean the answer: it, this, that."""
    return tuple("it" if word in {"this", "that"} else word for word in words(fold(text)) if word not in {END, "/"})


@cache
def _known() -> _Known:
    file = tomllib.loads(resources.files("bot").joinpath("data", "asking_on.toml").read_text(encoding="utf-8"))
    kinds = ("more", "simpler", "language", "sources", "source")
    return _Known(
        (_phrases(file["before"]), _phrases(file["after"])),
        {kind: _phrases(file[kind]) for kind in kinds},
        {kind: _vocabulary(file["words"][kind], file["words"]["any"]) for kind in kinds},
        {_plain(name): int(n) for n, names in file["numbers"].items() for name in names},
        {_plain(name): InLanguage(code) for code, names in file["languages"].items() for name in names},
    )


def _vocabulary(of_kind: Mapping[str, str], of_any: str) -> tuple[frozenset[str], frozenset[str]]:
    return frozenset(of_kind["keys"].split()), frozenset(f"{of_kind['beside']} {of_any}".split())


def _phrases(texts: Iterable[str]) -> frozenset[_Phrase]:
    """Each as its words; a slot in braces stays one word."""
    return frozenset(
        tuple(word for part in text.split() for word in ((part,) if part[0] == "{" else _plain(part))) for text in texts
    )
