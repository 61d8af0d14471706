"""A question read by one table's own words. What the table has no word for is left over, and nothing is guessed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot import lookup_days as days
from bot.lookup_everyday import changes, is_name, linked, spans, speaks_of_oneself
from bot.lookup_typo import meant
from bot.lookup_vocabulary import FILLERS, OWN, capitals, forms, tokens

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from bot.lookup_vocabulary import KeyIndex, Vocabulary

_WHICH = frozenset({"which", "what", "who", "where"})
_STRETCH = 6
_SHORTEST = 3
_PLAINEST = 6
"""So many letters an everyday word has that a slip may have been meant as: "lost" is no "list"."""


@dataclass(slots=True)
class Reading:
    """What the words of a question are to a table.

    `keys` has the values given for each key column, `doubts` those of which several may be meant. `asked` are the
    columns named, in order, `weak` those named by what the table is about, which count where no other is; `unsure` the
    sets of columns between which a word does not tell. `left` are positions of words that the table knows nothing of;
    the last value of a key `ends` before that position. `torn` where a word can be read in two ways. `mended` has the
    words that were taken for others, `taken` what was typed for values of keys that are written otherwise.
    """

    keys: dict[str, list[str]] = field(default_factory=dict)
    doubts: dict[str, list[str]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    weak: list[str] = field(default_factory=list)
    which: set[str] = field(default_factory=set)
    unsure: list[frozenset[str]] = field(default_factory=list)
    about: bool = False
    own: bool = False
    torn: bool = False
    mended: dict[int, str] = field(default_factory=dict)
    taken: dict[str, str] = field(default_factory=dict)
    ends: dict[str, int] = field(default_factory=dict)
    left: list[int] = field(default_factory=list)


def read(question: str, vocabulary: Vocabulary, today: date) -> Reading:
    """The question in the table's terms."""
    return _Reader(question, vocabulary, today).read()


def value_of(words: str, index: KeyIndex, today: date) -> str | None:
    """The one value of a key that these words are, whole; None where there is none or there are several."""
    ahead = tokens(words)
    size, values, whole = _key(ahead, index, today) if ahead else (0, [], False)
    if size != len(ahead) or len(values) != 1 or not (whole or index.tells(values[0], ahead)):
        return None
    return values[0]


@dataclass(slots=True)
class _Match:
    """A stretch of words that names `values` of a key column, by their `whole` names or by a part of them."""

    column: str
    size: int
    values: list[str]
    whole: bool


class _Reader:
    """One question and one table."""

    def __init__(self, question: str, vocabulary: Vocabulary, today: date) -> None:
        self._vocabulary = vocabulary
        self._today = today
        self._words = tokens(question)
        self._typed = [*self._words]
        self._capitals = capitals(question)
        self._found = Reading()

    def read(self) -> Reading:
        found, at = self._found, 0
        for place, word in enumerate(self._words):
            if _known(word, self._vocabulary):
                continue
            if several := _inflected(word, self._vocabulary):
                if word not in self._capitals:  # "Roberts" is no Robert
                    self._words[place] = several
            elif meant_as := _mended(word, self._vocabulary):
                self._words[place] = found.mended[place] = meant_as
        while at < len(self._words):
            size = self._take(at)
            if not size:
                found.left.append(at)
            at += size or 1
        if not any(column not in self._vocabulary.keys for column in found.asked):
            found.asked += [column for column in found.weak if column not in found.asked]
        return found

    def _take(self, at: int) -> int:  # noqa: PLR0911 - a list of cases
        """Note what the words from here on are; how many were understood."""
        found, vocabulary, word = self._found, self._vocabulary, self._words[at]
        ahead = self._words[at : at + _STRETCH]
        if word == "may" and ahead[1:2] in (["i"], ["we"]):
            return 1
        matches = [_Match(column, *_key(ahead, index, self._today)) for column, index in vocabulary.keys.items()]
        whole = max((one.size for one in matches if one.whole), default=0)
        part = max((one.size for one in matches if not one.whole), default=0)
        named, columns, about = vocabulary.names(ahead)
        best = [one for one in matches if one.whole and one.size == whole]
        if whole and whole >= max(named, part) and not self._is_plain(best[0], at):
            torn = named == whole and not {*columns} <= {best[0].column} and not self._is_followed(best[0], at)
            found.torn |= torn or len(best) > 1
            return self._note_key(best[0], at, sure=len(best[0].values) == 1)
        if named and named >= part:
            self._note_name(columns, about=about, which=bool(at and self._words[at - 1] in _WHICH))
            return named
        for several in (vocabulary.shared.get((form,)) for form in forms(word)):
            if several:
                found.unsure.append(several)
                return 1
        if word in OWN:
            found.own |= speaks_of_oneself(self._words, at)
            if vocabulary.personal or word in FILLERS:
                return 1
        if part and (part > 1 or word not in FILLERS):
            best = [one for one in matches if not one.whole and one.size == part]
            found.torn |= len(best) > 1
            [value, *others] = best[0].values
            sure = not others and vocabulary.keys[best[0].column].tells(value, ahead[:part])
            return self._note_key(best[0], at, sure=sure)
        if word == "a" and at in found.ends.values():
            return 0  # "hepatitis A", not "a"
        if word in FILLERS:
            found.torn |= changes(self._words, at, personal=vocabulary.personal)
            return 1
        return 0

    def _is_plain(self, match: _Match, at: int) -> bool:
        """Whether a word that is a value of a key is an everyday word or a quantity there, and no value."""
        word = self._words[at]
        if word == "am" and self._words[at - 1] == "i":
            return True
        text = self._vocabulary.keys[match.column].kind == "text"  # "today" is always a day
        if not text or match.size > 1 or not (word in FILLERS or word.isdecimal()):
            return False
        announced = self._is_announced(match.column, at)
        if self._is_followed(match, at) or (announced and self._words[max(at - 2, 0)] not in _WHICH):
            return False
        if word in FILLERS:
            return not is_name(self._words, at, self._capitals)
        behind = self._words[at + 1 : at + 2]
        named_next = bool(behind) and behind[0] not in FILLERS and _known(behind[0], self._vocabulary)
        return named_next and not announced

    def _is_followed(self, match: _Match, at: int) -> bool:
        """Whether a value's column stands behind it, as in "day shift"."""
        behind = self._words[at + match.size : at + match.size + 1]
        return match.column in self._vocabulary.names(behind)[1]

    def _is_announced(self, column: str, at: int) -> bool:
        """Whether what stands before says that a value of this column comes, as in "room 3" and "group A"."""
        for before in range(max(at - self._vocabulary.longest, 0), at):
            size, columns, about = self._vocabulary.names(self._words[before:at])
            if size == at - before and (about or column in columns):
                return True
        return False

    def _note_key(self, match: _Match, at: int, *, sure: bool) -> int:
        found, words, column = self._found, self._words, match.column
        if self._vocabulary.keys[column].kind != "text":
            found.torn |= words[max(at - 1, 0)] == "by"  # "by Friday" is any day before it
        if (end := found.ends.get(column)) is not None:
            found.torn |= spans(words[end:at])
        if match.size == 1 and words[at].isdecimal() and not self._is_announced(column, at):
            listed = end is not None and linked(words[end:at])
            found.torn |= column in found.ends and not listed
            sure = sure and listed
        into = found.keys if sure else found.doubts
        there = into.setdefault(column, [])
        there += [value for value in match.values if value not in there]
        found.ends[column] = at + match.size
        mended = any(place in found.mended for place in range(at, at + match.size))
        other = match.size == 1 and self._typed[at] != words[at]
        if sure and self._vocabulary.keys[column].kind == "text" and (mended or other):
            found.taken[" ".join(self._typed[at : at + match.size])] = match.values[0]
        return match.size

    def _note_name(self, columns: frozenset[str], *, about: bool, which: bool) -> None:
        found = self._found
        found.about |= about
        into = found.weak if about else found.asked
        for column in sorted(columns):
            if which:
                found.which.add(column)
            if column not in into:
                into.append(column)


def _key(ahead: Sequence[str], index: KeyIndex, today: date) -> tuple[int, list[str], bool]:
    """How many of the first words name values, these, and whether by their whole name."""
    if index.kind == "weekday":
        return *days.weekday(ahead, today), True
    if index.kind == "date":
        return *days.day(ahead, today), True
    size, values, whole = index.run(ahead)
    joined = "".join(ahead[:2])
    if not size and len(joined) > _SHORTEST and (run := index.run([joined, *ahead[2:]]))[0]:
        return run[0] + 1, run[1], run[2]
    return size, values, whole


def _inflected(word: str, vocabulary: Vocabulary) -> str:
    """A word of a key that this is one or several of."""
    other = word[:-1] if word.endswith("s") else f"{word}s"
    return other if len(other) > _SHORTEST and _is_of_key(other, vocabulary) else ""


def _mended(word: str, vocabulary: Vocabulary) -> str:
    """What a slip of the finger was meant as, where that is one word only."""
    found = meant(word, lambda one: _known(one, vocabulary))
    if len(found) != 1:
        return ""
    [one] = found
    return "" if one in FILLERS and len(one) < _PLAINEST else one


def _known(word: str, vocabulary: Vocabulary) -> bool:
    dated = any(index.kind in {"weekday", "date"} for index in vocabulary.keys.values())
    return (
        word in FILLERS
        or not vocabulary.known.isdisjoint(forms(word))
        or (dated and word in days.NAMES)
        or _is_of_key(word, vocabulary)
    )


def _is_of_key(word: str, vocabulary: Vocabulary) -> bool:
    """Whether another word may be read as this one of a key."""
    return any(word in index.by_word for index in vocabulary.keys.values() if not index.exact)
