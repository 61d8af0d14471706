"""The only two good endings of a question: a fact, or an honest "not in the documents"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Sentence:
    """One statement and what bears it: a passage of this turn, and a verbatim stretch of that passage's raw text.

    `text` is one sentence, one list item (it starts with "- " or "1. "), or one table row. `new_paragraph` sets it
    apart from what stands before it.
    """

    text: str
    passage_id: str
    quote: str
    new_paragraph: bool = False


@dataclass(frozen=True, slots=True)
class Fact:
    """An answer in sentences, in reading order, each with its evidence."""

    sentences: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class Ungrounded:
    """The documents do not say. `missing` names what they lack, in the question's own words; it may be empty."""

    missing: str = ""


Answer: TypeAlias = Fact | Ungrounded
