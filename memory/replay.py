"""Which earlier turns may be seen again, and by whom: clean ones only, within a budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from memory.summary import Summary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory.turn import Turn

CHARACTERS_PER_TOKEN = 2.5
"""Anthropic's own figure for English and the tokenizer of its present models; other scripts than Latin have fewer. What
is counted so bounds or estimates a prompt's size, and bills nothing."""

_SUMMARY, _FULL, _KEPT = 0.25, 0.75, 0.5
"""Shares of the budget: a summary's most, what turns may fill beside it, and what stays of them once they are more."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One clean turn as a model may see it: what was asked, standing alone, and what was answered."""

    question: str
    answer: str


Said: TypeAlias = Exchange | Summary
"""What a model may be shown of a conversation."""


def replay(turns: Sequence[Turn], *, budget_tokens: int, summary: Summary | None = None) -> tuple[Said, ...]:
    """The summary of what is older, then the latest clean turns, oldest first, all within the budget.

    `turns` come oldest first. A turn that does not fit ends the window, as one that the summary covers does; a summary
    that does not fit is left out. Refusals, errors, crisis turns, courtesies and declines never appear
    (promise 5), nor do values from tables.
    """
    budget = budget_tokens * CHARACTERS_PER_TOKEN
    shown = () if summary is None or len(summary.text) > budget else (summary,)
    window = _window(_uncovered(turns, summary), budget - sum(len(one.text) for one in shown))
    return (*shown, *(Exchange(turn.standalone, turn.text) for turn in window))


def overdue(turns: Sequence[Turn], *, budget_tokens: int, summary: Summary | None = None) -> tuple[Turn, ...]:
    """The clean turns that a summary should take in now, oldest first.

    None until those it does not cover outgrow the room beside it; then all but the latest, so that a conversation that
    goes on is not summarised anew with each turn.
    """
    budget = budget_tokens * CHARACTERS_PER_TOKEN
    clean = _uncovered(turns, summary)
    if sum(map(_size, clean)) <= budget * _FULL:
        return ()
    return tuple(clean[: len(clean) - len(_window(clean, budget * _KEPT))])


def room_for_summary(budget_tokens: int) -> int:
    """The most characters of a summary."""
    return int(budget_tokens * CHARACTERS_PER_TOKEN * _SUMMARY)


def earlier_questions(turns: Sequence[Turn]) -> tuple[str, ...]:
    """The person's earlier questions, each standing alone, oldest first: answered and declined ones only."""
    return tuple(turn.standalone for turn in turns if turn.kind.looked_up)


def _uncovered(turns: Sequence[Turn], summary: Summary | None) -> list[Turn]:
    covered = frozenset(summary.covers if summary else ())
    return [turn for turn in turns if turn.replayable and turn.trace_id not in covered]


def _window(clean: Sequence[Turn], room: float) -> Sequence[Turn]:
    """The latest of them that fit together."""
    at = len(clean)
    while at and (room := room - _size(clean[at - 1])) >= 0:
        at -= 1
    return clean[at:]


def _size(turn: Turn) -> int:
    return len(turn.standalone) + len(turn.text)
