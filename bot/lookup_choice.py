"""Which look-up a question means and with which arguments, or what has to be asked back. No model, and no guessing."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from bot.lookup_reading import Reading, read
from bot.lookup_vocabulary import tokens

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from bot.lookup import Lookup
    from bot.lookup_vocabulary import Vocabulary

_LONGEST_UNKNOWN = 3
ASKS_OTHERWISE = frozenset(
    """
    additional after afterwards average before below between both but cannot did dont double each earliest eight
    else ever every except extra fewer fewest first five former four further had half happened highest instead last
    latest least less lowest maximum minimum minus more most my negative never next nine no none nor not old only
    other over past per plus positive previous second seven six ten than third three together total twice two until
    was were where why without
    """.split()  # noqa: SIM905 - as a list it is read more easily
)
"""Words that ask something else of a table than one of its values, or for another row, and are no value of a key."""
_ASKING = frozenset({"call", "called", "door", "doors", "go", "goes", "number", "use", "used", "using"})
"""Everyday words that beside keys alone may ask for what the table does not have, as in "the number of Northgate"."""
_NUMBERS = frozenset({"integer", "number"})
_TIMES = frozenset({"date", "time", "weekday"})
_WHAT_TIME = frozenset({("what", "time"), ("which", "time")})


@dataclass(frozen=True, slots=True)
class Chosen:
    """Run this one with these values of its keys, and show these columns; none means all.

    `taken` has the values that are written otherwise in the question, by what stands there.
    """

    lookup: Lookup
    keys: dict[str, list[str]]
    columns: tuple[str, ...]
    taken: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Missing:
    """A value of this key column has to be asked for; `known` are those there are, or those that may be meant.

    `unknown` where one was given that the table does not have. `sure` where the question is the table's own all the
    same, whatever documents may say. `keys` are those that a model proposed and the question bears out.
    """

    lookup: Lookup
    column: str
    known: tuple[str, ...]
    unknown: bool = False
    sure: bool = True
    weight: int = 0
    keys: dict[str, list[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Either:
    """Several columns of one look-up, or several look-ups, are equally near; `names` are what people call them."""

    names: tuple[str, ...]


Choice: TypeAlias = Chosen | Missing | Either


def is_unknown(choice: Choice | None) -> bool:
    """Whether it is a value of a key that the table does not have, which other readings go before."""
    return isinstance(choice, Missing) and choice.unknown


def choose(question: str, lookups: Sequence[tuple[Lookup, Vocabulary]], today: date) -> Choice | None:
    """The one reading under which every word of the question is understood; None where there is none.

    Of two such the one without slips and with more of the table's own names goes first; two that are equally near are
    `Either`. An unknown value of a key comes last, and only where one table alone has it to be unknown in.
    """
    whole: list[tuple[int, int, Choice]] = []
    unknown: list[Missing] = []
    words = tokens(question)
    for lookup, any_question in lookups:
        vocabulary = any_question.facing(question)
        reading = read(question, vocabulary, today)
        choice = _choice(lookup, vocabulary, reading, words)
        if isinstance(choice, Missing) and choice.unknown:
            unknown.append(choice)
        elif choice is not None:
            named = len(reading.asked) + reading.about + sum(map(len, reading.keys.values()))
            whole.append((-len(reading.mended), named, choice))
    if whole:
        best = max((slips, named) for slips, named, _ in whole)
        nearest = [choice for slips, named, choice in whole if (slips, named) == best]
        return nearest[0] if len(nearest) == 1 else Either(_titles(nearest))
    if unknown:
        most = max(one.weight for one in unknown)
        nearest_unknown = [one for one in unknown if one.weight == most]
        return nearest_unknown[0] if len(nearest_unknown) == 1 else None
    return None


def _titles(choices: Sequence[Choice]) -> tuple[str, ...]:
    return tuple(
        dict.fromkeys(
            title for one in choices for title in (one.names if isinstance(one, Either) else (one.lookup.card.title,))
        )
    )


def _choice(  # noqa: PLR0911 - a list of cases
    lookup: Lookup, vocabulary: Vocabulary, reading: Reading, words: Sequence[str]
) -> Choice | None:
    card, keys = lookup.card, reading.keys
    if reading.torn or (vocabulary.personal and not reading.own):
        return None
    values = [column for column in reading.asked if column not in card.keys]
    named = bool(reading.asked or reading.unsure) or reading.about
    given = {*keys, *reading.doubts}
    missing = [column for column in vocabulary.required if column not in given and column not in reading.which]
    if reading.left:
        return _unknown(lookup, vocabulary, reading, words, named=bool(values) or reading.about)
    if not named and (sum(map(len, keys.values())) < 2 or not _ASKING.isdisjoint(words)):
        return None
    if not fits(values, vocabulary, words):
        return None
    for several in reading.unsure:
        if several.isdisjoint(reading.asked):
            return Either(tuple(card.columns[column] for column in card.columns if column in several))
    if reading.doubts:
        column, meant = next(iter(reading.doubts.items()))
        return Missing(lookup, column, tuple(meant))
    if missing:
        known = tuple(vocabulary.keys[missing[0]].values)
        return Missing(lookup, missing[0], known, sure=bool(given) or bool(values))
    if vocabulary.single and (several_of := next((key for key, of in keys.items() if len(of) > 1), None)):
        return Missing(lookup, several_of, tuple(keys[several_of]))
    if not given and not vocabulary.personal and not reading.which:
        return None
    asked = [*(column for column in reading.asked if column in reading.which and column not in keys), *values]
    return Chosen(lookup, keys, tuple(dict.fromkeys(asked if values else ())), reading.taken)


def _unknown(
    lookup: Lookup, vocabulary: Vocabulary, reading: Reading, words: Sequence[str], *, named: bool
) -> Missing | None:
    """One short stretch that is left over may be a value of a key that the table does not have."""
    left = reading.left
    open_keys = [
        column for column in (*reading.doubts, *vocabulary.required, *lookup.card.keys) if column not in reading.keys
    ]
    short = left[-1] - left[0] < _LONGEST_UNKNOWN and left == list(range(left[0], left[-1] + 1))
    if not named or not short or not open_keys or any(words[at] in ASKS_OTHERWISE for at in left):
        return None
    column = open_keys[0]
    if not vocabulary.keys[column].values:  # there is nothing to say of what it has
        return None
    weight = len(reading.asked) + reading.about + len(reading.keys)
    return Missing(lookup, column, tuple(vocabulary.keys[column].values), unknown=True, sure=False, weight=weight)


def fits(values: Sequence[str], vocabulary: Vocabulary, words: Sequence[str]) -> bool:
    """Whether a column named is of a type that the question's words ask for; `values` are none where none is named.

    A whole row tells when, if anything in it does, and never who.
    """
    columns = values or [column for column in vocabulary.types if column not in vocabulary.keys]
    types = {vocabulary.types[column] for column in columns}
    if not types:
        return True
    if "many" in words or "much" in words:
        return types <= _NUMBERS if values else bool(types & _NUMBERS)
    if "who" in words or "whom" in words:
        return bool(values) and "text" in types
    if "when" in words or _asks_the_time(words):
        return bool(types & _TIMES) or not vocabulary.timely.isdisjoint(columns)
    return True


def _asks_the_time(words: Sequence[str]) -> bool:
    return any(pair in _WHAT_TIME for pair in pairwise(words))
