"""The words that a table is asked with: its keys' values, the names of its columns, what it is about."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import chain, product
from typing import TYPE_CHECKING, Literal, TypeAlias

from bot.lookup_days import SPAN
from retrieval.terms import fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Kind: TypeAlias = Literal["text", "integer", "number", "date", "time", "weekday"]

_WORD = re.compile(r"(?<![\w)])-\d+(?:\.\d+)*|\d+(?:\.\d+)+|[^\W_]+(?:\+|-(?!\w))?|[<>≤≥%]")
"""With the sign of "A-" and "-5", so that they are neither "A+" nor "5", and "0.5" whole."""
_NUMBERS = re.compile(r"(?<![\w.-])(\d+)\s?[-‐–−]\s?(\d+)(?![\w-])")
_UNIT = re.compile(r"(?<=\d)(?=(?:mg|mcg|μg|g|kg|ml|l|mm|cm|iu)\b)")
_CAPITAL = re.compile(r"(?<![.?!:]\s)(?<!^)\b[A-Z]\w*")
_POSSESSIVE = re.compile(r"['’]s\b")
_AROUND = "?!.,;:()[]\"'“”‘’"
_LONGEST_MATCH = 80

FILLERS = frozenset(
    """
    a about again all also an and any are ask asking at be by call called can check could currently day days do does
    door doors exactly find for from get gets give go goes good has have hello help hey hi how i if in is it its
    just kindly know let like list listed look looking lookup many me morning much need now number of on or our
    please present presently question quick quickly right say says see shall should show so some someone tell
    thank thanks that the their them there these they thing this time those to today us use used using want we what
    whats when which who whom will with would wonder wondering you your
    """.split()  # noqa: SIM905 - a list of a hundred words is read more easily so
)
"""Words that change nothing about which value is meant. Negations, comparisons, the past and "my" are none of them."""

_MEANT = 50
_SHORT = 2
_INFLECTED = 3

OWN = frozenset({"my", "i", "me", "mine", "am"})


def tokens(text: str) -> list[str]:
    """The words of a text, folded, without possessive endings; "5mg" is `5`, `mg`, and "3-5" `3`, `to`, `5`."""
    apart = _UNIT.sub(" ", _POSSESSIVE.sub("", fold(text)))
    return _WORD.findall(SPAN.sub(r"\1 to \2", _NUMBERS.sub(r"\1 to \2", apart)))


def capitals(text: str) -> frozenset[str]:
    """The words that have a capital and do not begin a sentence, folded; none where all is in capitals."""
    if text.isupper():
        return frozenset()
    return frozenset(word for match in _CAPITAL.finditer(text) for word in tokens(match[0]))


def forms(word: str) -> list[str]:
    """The word, and it as one, as several and as what is being done, by which names of columns are compared.

    Nothing wider: an "officer" is no office, a "consultation" no consultant, and what is "closed" does not close.
    """
    bases = [word]
    if len(word) < _INFLECTED:
        return bases
    if word.endswith("ies"):
        bases.append(f"{word[:-3]}y")
    if word.endswith("s") and not word.endswith("ss"):
        bases += [word[:-1], *([word[:-2]] if word.endswith("es") else [])]
    if word.endswith("ing"):
        bases += [word[:-3], f"{word[:-3]}e"]
    several = [f"{base[:-1]}ies" for base in bases if base.endswith("y")]
    return [*bases, *(f"{base}{end}" for base in bases for end in ("s", "es")), *several]


@dataclass(slots=True)
class KeyIndex:
    """The values of one key column, found by their words; no other word is taken for a slip of an `exact` one's."""

    kind: Kind
    exact: bool = False
    values: list[str] = field(default_factory=list)
    whole: dict[tuple[str, ...], list[int]] = field(default_factory=dict)
    by_word: dict[str, set[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, kind: Kind, values: Iterable[str], *, exact: bool = False) -> KeyIndex:
        """Of values as they are written; those that differ in capitals alone are one."""
        index = cls(kind, exact)
        spelt: dict[str, str] = {}
        for value in values:
            spelt.setdefault(value.casefold(), value)
        for at, value in enumerate(spelt.values()):
            words = tuple(tokens(value))
            index.values.append(value)
            index.whole.setdefault(words, []).append(at)
            for word in words:
                index.by_word.setdefault(word, set()).add(at)
        return index

    def run(self, words: Sequence[str]) -> tuple[int, list[str], bool]:
        """How many of the first words name values together, those values, and whether that is all of such a name."""
        best: set[int] = set()
        length, whole = 0, 0
        while length < len(words) and (ids := self.by_word.get(words[length])):
            joined = ids if not length else best & ids
            if not joined:
                break
            best, length = joined, length + 1
            if tuple(words[:length]) in self.whole:
                whole = length
        if whole:  # a whole name goes before a longer stretch of others
            return whole, [self.values[at] for at in self.whole[tuple(words[:whole])]], True
        return length, [self.values[at] for at in sorted(best)[:_MEANT]], False

    def tells(self, value: str, words: Sequence[str]) -> bool:
        """Whether these words are enough of a value's name: it begins with them, and others too have what is left out.

        "Northgate" is the only Northgate Health Centre; "hepatitis" may be another one than hepatitis B.
        """
        own = tokens(value)
        rest = own[len(words) :]
        return own[: len(words)] == list(words) and all(
            len(word) > _SHORT and word.isalpha() and len(self.by_word[word]) > 1 for word in rest
        )


@dataclass(slots=True)
class Vocabulary:
    """What one table is asked with. `columns` gives the columns that a name stands for, by its words;
    `shared` those in whose names a word stands, which does not tell which of them is meant. The values of a key in
    `patterns` are not known beforehand: they are the words of a question that match. With `single`, a key has one.
    `timely` are the columns of text that tell times or days.
    """

    keys: dict[str, KeyIndex]
    required: tuple[str, ...]
    columns: dict[tuple[str, ...], frozenset[str]]
    shared: dict[tuple[str, ...], frozenset[str]]
    about: frozenset[tuple[str, ...]]
    personal: bool = False
    types: dict[str, Kind] = field(default_factory=dict)
    known: frozenset[str] = frozenset()
    longest: int = 1
    patterns: dict[str, re.Pattern[str]] = field(default_factory=dict)
    single: bool = False
    timely: frozenset[str] = frozenset()

    def names(self, words: Sequence[str]) -> tuple[int, frozenset[str], bool]:
        """How many of the first words are a name, the columns that it names, and whether the table is about it."""
        known = [[one for one in forms(word) if one in self.known] for word in words[: self.longest]]
        for size in range(len(known), 0, -1):
            named = [name for name in product(*known[:size]) if name in self.columns or name in self.about]
            if (typed := tuple(words[:size])) in self.columns:  # "price" is the column, where "prices" is the table
                named = [typed]
            if named:
                columns = frozenset[str]().union(*(self.columns.get(name, ()) for name in named))
                return size, columns, any(name in self.about for name in named)
        return 0, frozenset(), False

    def facing(self, question: str) -> Vocabulary:
        """The same, with the values of keys that this question has by their patterns."""
        if not self.patterns:
            return self
        words = [bare for word in question.split() if len(bare := word.strip(_AROUND)) <= _LONGEST_MATCH]
        found = {
            name: KeyIndex.of("text", (word for word in words if pattern.fullmatch(word)))
            for name, pattern in self.patterns.items()
        }
        return replace(self, keys=self.keys | found)

    @classmethod
    def of(
        cls,
        keys: dict[str, KeyIndex],
        names: dict[str, Sequence[str]],
        about: Iterable[str],
        *,
        types: dict[str, Kind],
        required: Sequence[str],
        personal: bool = False,
        patterns: dict[str, re.Pattern[str]] | None = None,
        single: bool = False,
        timely: Iterable[str] = (),
    ) -> Vocabulary:
        """Of each column's names and synonyms, and phrases that the table is about."""
        columns: dict[tuple[str, ...], frozenset[str]] = {}
        for column, given in names.items():
            for name in given:
                words = tuple(tokens(name))
                columns[words] = columns.get(words, frozenset()) | {column}
        shared = _shared(columns)
        subjects = frozenset(tuple(tokens(name)) for name in about)
        plain = {word for name in (*chain.from_iterable(names.values()), *about) for word in tokens(name)}
        longest = max((len(one) for one in (*columns, *subjects)), default=1)
        return cls(
            keys,
            tuple(required),
            columns,
            shared,
            subjects,
            personal,
            types,
            frozenset(plain),
            longest,
            patterns or {},
            single,
            frozenset(timely),
        )


def _shared(columns: dict[tuple[str, ...], frozenset[str]]) -> dict[tuple[str, ...], frozenset[str]]:
    """Words that stand in the names of several columns: they mean one of these, and do not tell which."""
    found: dict[tuple[str, ...], frozenset[str]] = {}
    for name, stands_for in columns.items():
        for word in (one for one in name if len(name) > 1 and one not in FILLERS):
            found[word,] = found.get((word,), frozenset()) | stands_for
    return {word: stands_for for word, stands_for in found.items() if len(stands_for) > 1 and word not in columns}
