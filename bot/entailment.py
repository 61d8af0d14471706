"""The port to a second opinion: whether a sentence follows from what it quotes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.verify import Statement

Opinion: TypeAlias = Literal["yes", "no", "unsure"]
"""Only "no" costs a sentence its place."""


class Entailment(Protocol):
    """Judges statements that have passed every other check."""

    @property
    def name(self) -> str:
        """The backend, as traces name it."""
        ...

    async def follows(self, statement: Statement, question: str) -> Opinion:
        """Whether the statement follows from its quote; `question` is what it answers. Raises `CitewellError`."""
        ...


@dataclass(slots=True)
class ScriptedEntailment:
    """A fake: `judge` gives the opinion, or raises. `asked` keeps the texts of the statements, in order."""

    judge: Callable[[Statement], Opinion] = lambda _: "yes"
    name: str = "scripted"
    asked: list[str] = field(default_factory=list)

    async def follows(self, statement: Statement, question: str) -> Opinion:
        """What `judge` makes of it."""
        del question
        self.asked.append(statement.text)
        return self.judge(statement)
