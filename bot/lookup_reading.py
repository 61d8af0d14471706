"""A question read by one table's own words. What the table has no word for is left over, and nothing is guessed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot import lookup_days as days
from bot.lookup_typo import meant
from bot.lookup_vocabulary import FILLERS, OWN, stemmed, tokens

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from bot.lookup_vocabulary import KeyIndex, Vocabulary

_WHICH = frozenset({"which", "what", "who", "where"})
_STRETCH = 6


@dataclass(slots=True)
class Reading:
    """What the words of a question are to a table.

    `keys` has the values given for each key column, `doubts` those of which several may be meant. `asked` are the
    columns named, in order, `weak` those named by what the table is about, which count where no other is; `unsure` the
    sets of columns between which a word does not tell. `left` are positions of words that the table knows nothing of;
    the last value of a key `ends` before that position.
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
    slips: int = 0
    ends: int = -1
    left: list[int] = field(default_factory=list)


def read(question: str, vocabulary: Vocabulary, today: date) -> Reading:
    """The question in the table's terms."""
    words, found, at, known = tokens(question), Reading(), 0, 0
    for place, word in enumerate(words):
        if not _known(word, vocabulary) and (meant_as := _mended(word, vocabulary)):
            words[place] = meant_as
            found.slips += 1
    while at < len(words):
        size = _take(words, at, vocabulary, today, found=found)
        if not size:
            found.left.append(at)
        at += size or 1
        if sum(map(len, (*found.keys.values(), *found.doubts.values()))) > known:
            known, found.ends = sum(map(len, (*found.keys.values(), *found.doubts.values()))), at
    if not any(column not in vocabulary.keys for column in found.asked):
        found.asked += [column for column in found.weak if column not in found.asked]
    return found


def value_of(words: str, index: KeyIndex, today: date) -> str | None:
    """The one value of a key that these words are, whole; None where there is none or there are several."""
    ahead = tokens(words)
    size, values, whole = _key(ahead, index, today) if ahead else (0, [], False)
    if size != len(ahead) or len(values) != 1 or not (whole or index.tells(values[0], ahead)):
        return None
    return values[0]


def _take(  # noqa: PLR0911 - a list of cases
    words: Sequence[str], at: int, vocabulary: Vocabulary, today: date, *, found: Reading
) -> int:
    """Note what the words from here on are; how many were understood."""
    ahead = list(words[at : at + _STRETCH])
    keys = [(column, *_key(ahead, index, today)) for column, index in vocabulary.keys.items()]
    whole = max((size for _, size, _, is_whole in keys if is_whole), default=0)
    part = max((size for _, size, _, is_whole in keys if not is_whole), default=0)
    named, columns, about = _named(ahead, vocabulary)
    if whole and whole >= max(named, part):
        best = [(column, values) for column, size, values, is_whole in keys if is_whole and size == whole]
        found.torn |= len(best) > 1 or (named == whole and not set(columns) <= {best[0][0]})
        [(column, values), *_] = best
        _note_key(found, column, values, sure=len(values) == 1)
        return whole
    if named and named >= part:
        _note_name(found, columns, about=about, which=bool(at and words[at - 1] in _WHICH))
        return named
    if several := vocabulary.shared.get((stemmed(ahead[0]),)):
        found.unsure.append(several)
        return 1
    if ahead[0] in OWN:
        found.own = True
        if vocabulary.personal or ahead[0] in FILLERS:
            return 1
    if part and (part > 1 or ahead[0] not in FILLERS):
        best = [(column, values) for column, size, values, is_whole in keys if not is_whole and size == part]
        found.torn |= len(best) > 1
        [(column, values), *_] = best
        sure = len(values) == 1 and vocabulary.keys[column].tells(values[0], ahead[:part])
        _note_key(found, column, values, sure=sure)
        return part
    if ahead[0] == "a" and found.ends == at:
        return 0  # "hepatitis A", not "a"
    return 1 if ahead[0] in FILLERS else 0


def _note_key(found: Reading, column: str, values: list[str], *, sure: bool) -> None:
    into = found.keys if sure else found.doubts
    there = into.setdefault(column, [])
    there += [value for value in values if value not in there]


def _note_name(found: Reading, columns: frozenset[str], *, about: bool, which: bool) -> None:
    found.about |= about
    into = found.weak if about else found.asked
    for column in sorted(columns):
        if which:
            found.which.add(column)
        if column not in into:
            into.append(column)


def _key(ahead: Sequence[str], index: KeyIndex, today: date) -> tuple[int, list[str], bool]:
    if index.kind == "weekday":
        size, values = days.weekday(ahead, today)
        return size, values, True
    if index.kind == "date":
        size, values = days.day(ahead, today)
        return size, values, True
    size, values, whole = index.run(ahead)
    if size:
        return size, values, whole
    for other in (ahead[0][:-1] if ahead[0].endswith("s") else f"{ahead[0]}s", "".join(ahead[:2])):
        if len(other) > 3 and (run := index.run([other, *ahead[1:]]))[0]:
            two = other == "".join(ahead[:2])
            if not two:
                return run
            size, values, whole = index.run([other, *ahead[2:]])
            return size + 1, values, whole
    return 0, [], False


def _named(ahead: Sequence[str], vocabulary: Vocabulary) -> tuple[int, frozenset[str], bool]:
    stems = tuple(stemmed(word) for word in ahead[: vocabulary.longest])
    for size in range(len(stems), 0, -1):
        name = stems[:size]
        if name in vocabulary.columns or name in vocabulary.about:
            return size, vocabulary.columns.get(name, frozenset()), name in vocabulary.about
    return 0, frozenset(), False


def _mended(word: str, vocabulary: Vocabulary) -> str:
    """What a slip of the finger was meant as, where that is one word only."""
    found = meant(word, lambda one: _known(one, vocabulary))
    return found.pop() if len(found) == 1 else ""


def _known(word: str, vocabulary: Vocabulary) -> bool:
    dated = any(index.kind in {"weekday", "date"} for index in vocabulary.keys.values())
    return (
        word in FILLERS
        or word in vocabulary.known
        or stemmed(word) in vocabulary.stems
        or (dated and word in days.NAMES)
        or any(word in index.by_word for index in vocabulary.keys.values())
    )
