"""What a question asks of look-ups, and what of it is for documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.lookup_beside import parted
from bot.lookup_choice import Chosen, choose, is_unknown

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from bot.lookup import Lookup
    from bot.lookup_choice import Choice
    from bot.lookup_vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Heard:
    """How `question` is read: `choice` is what look-ups make of its `part`, and documents are asked the `rest`."""

    question: str
    choice: Choice | None
    part: str
    rest: str = ""

    @property
    def proposed(self) -> bool:
        """Whether it is a model's reading: then documents are asked all of it."""
        return self.rest == self.part

    def completed(self, by: str, ready: Sequence[tuple[Lookup, Vocabulary]], today: date) -> Heard:
        """The same, where the next message says what was missing."""
        part = f"{self.part} {by}"
        return Heard(f"{self.question} {by}", choose(part, ready, today), part, self.rest)


def hear(question: str, ready: Sequence[tuple[Lookup, Vocabulary]], today: date) -> Heard:
    """Read in two parts, where one is for look-ups and has all that they understand of the whole; else whole."""
    whole = choose(question, ready, today)
    for part, rest in parted(question):
        choice = choose(part, ready, today)
        if choice is None or is_unknown(choice) or not _covers(choice, whole):
            continue
        other = choose(rest, ready, today)
        if other is None or is_unknown(other):  # documents go before what a table does not have
            return Heard(question, choice, part, rest)
    return Heard(question, whole, question)


def _covers(part: Choice, whole: Choice | None) -> bool:
    if whole is None or is_unknown(whole):
        return True
    return isinstance(part, Chosen) and isinstance(whole, Chosen) and part.keys == whole.keys
