"""Which earlier turns may be seen again, and by whom: clean ones only, within a budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory.turn import TurnKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory.turn import Turn

CHARACTERS_PER_TOKEN = 2.5
"""Anthropic's own figure for English and the tokenizer of its present models; other scripts than Latin have fewer. What
is counted so bounds or estimates a prompt's size, and bills nothing."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One clean turn as a model may see it: what was asked, standing alone, and what was answered."""

    question: str
    answer: str


def replay(turns: Sequence[Turn], *, budget_tokens: int) -> tuple[Exchange, ...]:
    """The latest clean turns that fit the budget together, oldest first; a turn that does not fit ends the window.

    `turns` come oldest first. Refusals, errors, crisis turns, courtesies and declines never appear (promise 5).
    """
    window: list[Exchange] = []
    left = budget_tokens * CHARACTERS_PER_TOKEN
    for turn in reversed(turns):
        if not turn.kind.clean:
            continue
        left -= len(turn.standalone) + len(turn.text)
        if left < 0:
            break
        window.append(Exchange(turn.standalone, turn.text))
    return tuple(reversed(window))


def earlier_questions(turns: Sequence[Turn]) -> tuple[str, ...]:
    """The person's earlier questions, each standing alone, oldest first: answered and declined ones only."""
    return tuple(turn.standalone for turn in turns if turn.kind in {TurnKind.FACT, TurnKind.UNGROUNDED})
