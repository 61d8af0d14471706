"""The ports to whatever writes: a draft answer from evidence, and a question that stands alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeAlias

from bot.answer import Answer, Sentence, Ungrounded

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memory.replay import Said
    from retrieval.evidence import Evidence

Hear: TypeAlias = "Callable[[Sequence[Sentence]], None]"
"""Is given all sentences of a draft so far, each whole, in the order in which they are written. A draft that is begun
anew is heard from its first sentence on."""


class Answerer(Protocol):
    """Writes a draft from this turn's evidence. The draft is never shown before `bot.verify` has checked it."""

    @property
    def name(self) -> str:
        """The backend, as traces name it ("extractive", a model's name)."""
        ...

    async def answer(
        self, question: str, evidence: Evidence, history: Sequence[Said], hear: Hear | None = None
    ) -> Answer:
        """A draft for a question that stands alone; one that takes its time to write is told to `hear` meanwhile.

        Raises `Transient`, `Permanent` or `Refused`.
        """
        ...


@dataclass(frozen=True, slots=True)
class Asked:
    """One call of an answerer."""

    question: str
    evidence: Evidence
    history: tuple[Said, ...]


@dataclass(slots=True)
class ScriptedAnswerer:
    """A fake: `write` makes the draft, or raises. `asked` keeps every call, to see what a model would have seen."""

    write: Callable[[Asked], Answer] = lambda _: Ungrounded()
    name: str = "scripted"
    asked: list[Asked] = field(default_factory=list)

    async def answer(
        self, question: str, evidence: Evidence, history: Sequence[Said], hear: Hear | None = None
    ) -> Answer:
        """What `write` makes of it."""
        del hear
        call = Asked(question, evidence, tuple(history))
        self.asked.append(call)
        return self.write(call)


class Rewriter(Protocol):
    """Makes a follow-up stand alone."""

    @property
    def name(self) -> str:
        """The backend, as traces name it ("rules", a model's name)."""
        ...

    async def standalone(self, question: str, earlier: Sequence[str]) -> str:
        """The question as it would be asked without its conversation; unchanged where it stands alone already.

        `earlier` are the person's own earlier questions, each standing alone, oldest first. Raises `Transient`,
        `Permanent` or `Refused`.
        """
        ...
