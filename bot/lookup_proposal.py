"""What a model may propose, and what becomes of it: nothing that the question's own words do not bear."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from bot.lookup_choice import ASKS_OTHERWISE, Chosen, Missing, fits
from bot.lookup_reading import read, value_of
from bot.lookup_vocabulary import capitals, tokens

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from bot.lookup import Card, Lookup
    from bot.lookup_heard import Heard
    from bot.lookup_reading import Reading
    from bot.lookup_vocabulary import Vocabulary

_NEGATED = re.compile(r"n['’]t\b", re.IGNORECASE)
_SIGNS = frozenset("<>≤≥%")


@dataclass(frozen=True, slots=True)
class Proposal:
    """A look-up by its name, and arguments: each name with the words by which the question gives its value."""

    lookup: str
    arguments: tuple[tuple[str, str], ...]


class Proposer(Protocol):
    """A model that proposes."""

    @property
    def name(self) -> str:
        """As traces name it."""
        ...

    async def propose(self, question: str, earlier: str, cards: Sequence[Card]) -> Proposal | None:
        """Which of these answers the question, and with what; None where none does. Raises `CitewellError`."""
        ...


@dataclass(frozen=True, slots=True)
class Candidate:
    """A look-up that a question may be for, though not every word of it is understood."""

    lookup: Lookup
    vocabulary: Vocabulary
    reading: Reading


def candidates(question: str, ready: Sequence[tuple[Lookup, Vocabulary]], today: date) -> list[Candidate]:
    """Those one of whose keys the question names, or whose rows are the person's own and it asks for them.

    None where what is not understood may change what is asked: a negation, a comparison, the past, a figure, a name.
    """
    words, found = tokens(question), []
    if _NEGATED.search(question):
        return []
    for lookup, any_question in ready:
        vocabulary = any_question.facing(question)
        reading = read(question, vocabulary, today)
        own = vocabulary.personal and reading.own and bool(reading.asked or reading.about)
        if reading.torn or vocabulary.personal is not reading.own or not (own or reading.keys):
            continue
        left = {words[at] for at in reading.left}
        if left & capitals(question) or left & (_SIGNS | ASKS_OTHERWISE) or any(not word.isalpha() for word in left):
            continue
        found.append(Candidate(lookup, vocabulary, reading))
    return found


def confirmed(
    proposal: Proposal, question: str, earlier: str, among: Sequence[Candidate], today: date
) -> Chosen | Missing | None:
    """The proposal where it can be relied on: it is of one of these, and its arguments are the values that the question
    has, all of them, or that the earlier question had.

    A key that none is given for is asked back, since a word that was not understood may be one; and whole rows are
    shown, so that no column is the model's choice.
    """
    one = next((one for one in among if one.lookup.card.name == proposal.lookup), None)
    proposed = None if one is None else _arguments(proposal, one, earlier, today)
    if one is None or proposed is None:
        return None
    vocabulary, keys = one.vocabulary, one.lookup.card.keys
    asked = [column for column in one.reading.asked if column not in keys]
    if not fits(asked, vocabulary, tokens(question)):
        return None
    unclear = dict(one.reading.doubts)
    for column in _needed(vocabulary):
        if column not in proposed:
            unclear.setdefault(column, list(vocabulary.keys[column].values))
    if vocabulary.single:
        unclear |= {column: values for column, values in proposed.items() if len(values) > 1}
    for column, known in unclear.items():
        others = {name: values for name, values in proposed.items() if name != column}
        return Missing(one.lookup, column, tuple(known), sure=False, keys=others)
    return Chosen(one.lookup, proposed, (), one.reading.taken)


def completed(pending: Heard, by: str, vocabulary: Vocabulary, today: date) -> Heard | None:
    """What was asked back after a proposal, where the next message is the value that was missing and nothing else."""
    missing = pending.choice
    if not isinstance(missing, Missing):
        return None
    vocabulary = vocabulary.facing(by)
    reading, keys = read(by, vocabulary, today), missing.keys
    if reading.left or reading.torn or reading.doubts or reading.keys.keys() != {missing.column}:
        return None
    given = keys | reading.keys
    if not {*_needed(vocabulary)} <= given.keys() or (vocabulary.single and any(len(of) > 1 for of in given.values())):
        return None
    return replace(
        pending, question=f"{pending.question} {by}", choice=Chosen(missing.lookup, given, (), reading.taken)
    )


def _needed(vocabulary: Vocabulary) -> list[str]:
    """The keys that have to be given: those without which nothing is run, and all whose values are known."""
    return [name for name, index in vocabulary.keys.items() if name in vocabulary.required or index.values]


def _arguments(proposal: Proposal, one: Candidate, earlier: str, today: date) -> dict[str, list[str]] | None:
    """The values that are proposed, where the questions have them; None where any other is, or one is left out."""
    vocabulary, reading = one.vocabulary, one.reading
    proposed: dict[str, list[str]] = {}
    for name, words in proposal.arguments:
        value = value_of(words, vocabulary.keys[name], today) if name in vocabulary.keys else None
        if value is None:
            return None
        proposed.setdefault(name, []).append(value)
    if any(sorted(proposed.get(name, ())) != sorted(values) for name, values in reading.keys.items()):
        return None
    added = proposed.keys() - reading.keys.keys()
    before = read(earlier, vocabulary, today).keys if added else {}
    return None if any(before.get(name) != proposed[name] for name in added) else proposed
