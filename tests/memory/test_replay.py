from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from memory.file import MemoryFile
from memory.ram import RamMemory
from memory.replay import CHARACTERS_PER_TOKEN, Exchange, earlier_questions, replay
from memory.sqlite import SqliteMemory
from memory.turn import Turn, TurnKind
from tests.memory.histories import ELSEWHERE, SIBLING, THREAD, a_turn, histories, turns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory.store import Memory


def marked(number: int, turn: Turn) -> Turn:
    """The turn with words that no other turn has."""
    wordless = turn.kind is TurnKind.CRISIS
    return a_turn(f"m{number}", kind=turn.kind, minutes=number, text="" if wordless else f"<{number}>{turn.text}")


marked_histories = st.lists(turns(), max_size=12).map(
    lambda history: [marked(number, turn) for number, turn in enumerate(history)]
)
budgets = st.integers(0, 60)


@given(marked_histories, budgets)
def test_no_word_of_an_unclean_turn_is_replayed(history: list[Turn], budget: int) -> None:
    clean = {(turn.standalone, turn.text) for turn in history if turn.kind is TurnKind.FACT}
    assert {(exchange.question, exchange.answer) for exchange in replay(history, budget_tokens=budget)} <= clean


@given(marked_histories, budgets)
def test_the_window_holds_the_budget(history: list[Turn], budget: int) -> None:
    window = replay(history, budget_tokens=budget)
    assert sum(len(exchange.question) + len(exchange.answer) for exchange in window) <= budget * CHARACTERS_PER_TOKEN


@given(marked_histories, budgets)
def test_the_window_is_the_end_of_the_clean_turns_in_their_order(history: list[Turn], budget: int) -> None:
    clean = [Exchange(turn.standalone, turn.text) for turn in history if turn.kind is TurnKind.FACT]
    window = list(replay(history, budget_tokens=budget))
    assert window == clean[len(clean) - len(window) :]


@given(marked_histories)
def test_a_budget_that_is_large_enough_replays_every_clean_turn(history: list[Turn]) -> None:
    assert len(replay(history, budget_tokens=10_000)) == sum(turn.kind is TurnKind.FACT for turn in history)


@given(marked_histories)
def test_earlier_questions_are_the_answered_and_the_declined(history: list[Turn]) -> None:
    asked = [turn.standalone for turn in history if turn.kind in {TurnKind.FACT, TurnKind.UNGROUNDED}]
    assert list(earlier_questions(history)) == asked


async def recalled(memory: Memory, history: Sequence[Turn], budget: int) -> list[object]:
    for turn in history:
        await memory.record(turn)
    places = (THREAD, SIBLING, ELSEWHERE)
    return [
        *[replay(await memory.turns(place, limit=6), budget_tokens=budget) for place in places],
        await memory.last_answer(THREAD.place, "ada"),
        await memory.forget(author="ben"),
        *[tuple(await memory.turns(place)) for place in places],
    ]


@settings(max_examples=40, deadline=None)
@given(histories, budgets)
async def test_sqlite_and_ram_recall_the_same(history: list[Turn], budget: int) -> None:
    with TemporaryDirectory() as folder:
        sqlite = SqliteMemory(MemoryFile(Path(folder) / "memory.db"))
        try:
            assert await recalled(sqlite, history, budget) == await recalled(RamMemory(), history, budget)
        finally:
            await sqlite.close()
