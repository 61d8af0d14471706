"""What a question seeks in a text: its telling words, what it asks of its subject, the kind of figure it wants."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.aspect import told
from retrieval.terms import stem, words

if TYPE_CHECKING:
    from collections.abc import Mapping, Set

    from bot.figure import Figure


@dataclass(frozen=True, slots=True)
class Sought:
    """`weights` is the share of the question that each of its stems carries, together 1.

    `figure` is the kind of figure it asks for, if any; `aspects` what it asks of its subject, each with the stems that
    ask for it.
    """

    weights: Mapping[str, float]
    figure: Figure | None = None
    aspects: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def borne(self, text: str) -> frozenset[str]:
        """The question's stems that the text holds, or tells of in words of its own."""
        held = {stem(word) for word in words(text)}
        return frozenset(held.union(*(self.aspects[name] for name in self.told(text)))) & self.weights.keys()

    def told(self, text: str) -> list[str]:
        """What is asked of the subject and told in the text."""
        return told(text, self.aspects)

    def share(self, stems: Set[str]) -> float:
        """How much of the question these carry."""
        return sum(self.weights[one] for one in stems)

    def names_subject(self, stems: Set[str]) -> bool:
        """Whether some of these say what is asked about, beside what is asked of it."""
        asking = frozenset[str]().union(*self.aspects.values())
        return bool(stems - asking if self.weights.keys() - asking else stems)
