"""The ports to whatever writes: a draft answer from evidence, and a question that stands alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.answer import Answer
    from memory.replay import Exchange
    from retrieval.evidence import Evidence


class Answerer(Protocol):
    """Writes a draft from this turn's evidence. The draft is never shown before `bot.verify` has checked it."""

    @property
    def name(self) -> str:
        """The backend, as traces name it ("extractive", a model's name)."""
        ...

    async def answer(self, question: str, evidence: Evidence, history: Sequence[Exchange]) -> Answer:
        """A draft for a question that stands alone. Raises `Transient`, `Permanent` or `Refused`."""
        ...


class Rewriter(Protocol):
    """Makes a follow-up stand alone."""

    @property
    def name(self) -> str:
        """The backend, as traces name it ("rules", a model's name)."""
        ...

    async def standalone(self, question: str, earlier: Sequence[str], history: Sequence[Exchange]) -> str:
        """The question as it would be asked without its conversation; unchanged where it stands alone already.

        `earlier` are the person's own earlier questions, each standing alone, oldest first; `history` the clean
        exchanges. Raises `Transient`, `Permanent` or `Refused`.
        """
        ...
