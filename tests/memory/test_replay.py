from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from memory.file import MemoryFile
from memory.ram import RamMemory
from memory.replay import (
    CHARACTERS_PER_TOKEN,
    Exchange,
    Said,
    earlier_questions,
    overdue,
    replay,
    room_for_summary,
)
from memory.sqlite import SqliteMemory
from memory.summary import Summary
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
PLACES = (THREAD, SIBLING, ELSEWHERE)


def exchanges(shown: Sequence[Said]) -> list[Exchange]:
    return [said for said in shown if isinstance(said, Exchange)]


def size(shown: Sequence[Said]) -> int:
    return sum(len(said.text) if isinstance(said, Summary) else len(said.question) + len(said.answer) for said in shown)


@st.composite
def summarised(draw: st.DrawFn) -> tuple[list[Turn], int, Summary]:
    """A history, a budget, and a summary of some of its first clean turns that keeps to its room."""
    history, budget = draw(marked_histories), draw(budgets)
    clean = [turn.trace_id for turn in history if turn.kind.clean]
    covered = draw(st.integers(0, len(clean)))
    text = draw(st.text(max_size=room_for_summary(budget)))
    return history, budget, Summary(text, tuple(clean[:covered]))


@given(marked_histories, budgets)
def test_no_word_of_an_unclean_turn_is_replayed(history: list[Turn], budget: int) -> None:
    clean = {(turn.standalone, turn.text) for turn in history if turn.kind is TurnKind.FACT}
    assert {(said.question, said.answer) for said in exchanges(replay(history, budget_tokens=budget))} <= clean


@given(marked_histories, budgets)
def test_the_window_holds_the_budget(history: list[Turn], budget: int) -> None:
    assert size(replay(history, budget_tokens=budget)) <= budget * CHARACTERS_PER_TOKEN


@given(marked_histories, budgets)
def test_the_window_is_the_end_of_the_clean_turns_in_their_order(history: list[Turn], budget: int) -> None:
    clean = [Exchange(turn.standalone, turn.text) for turn in history if turn.kind is TurnKind.FACT]
    window = list(replay(history, budget_tokens=budget))
    assert window == clean[len(clean) - len(window) :]


@given(marked_histories)
def test_a_budget_that_is_large_enough_replays_every_clean_turn(history: list[Turn]) -> None:
    assert len(replay(history, budget_tokens=10_000)) == sum(turn.kind is TurnKind.FACT for turn in history)


@given(summarised(), st.integers(0, 200))
def test_a_summary_of_any_length_leaves_the_budget_as_it_is(drawn: tuple[list[Turn], int, Summary], long: int) -> None:
    history, budget, summary = drawn
    for one in (summary, Summary("x" * long, summary.covers), Summary("x" * long, ())):
        assert size(replay(history, budget_tokens=budget, summary=one)) <= budget * CHARACTERS_PER_TOKEN


@given(summarised())
def test_a_summary_comes_first_and_no_turn_that_it_covers_after_it(drawn: tuple[list[Turn], int, Summary]) -> None:
    history, budget, summary = drawn
    first, *rest = replay(history, budget_tokens=budget, summary=summary)
    covered = {turn.standalone for turn in history if turn.trace_id in summary.covers}
    assert first == summary
    assert covered.isdisjoint(one.question for one in exchanges(rest))
    assert len(exchanges(rest)) == len(rest)


@given(summarised())
def test_what_is_overdue_is_clean_uncovered_and_older_than_all_that_stays(
    drawn: tuple[list[Turn], int, Summary],
) -> None:
    history, budget, summary = drawn
    due = overdue(history, budget_tokens=budget, summary=summary)
    clean = [turn for turn in history if turn.kind is TurnKind.FACT and turn.trace_id not in summary.covers]
    assert list(due) == clean[: len(due)]


@given(summarised())
def test_once_what_is_overdue_is_covered_every_clean_turn_is_shown_or_covered(
    drawn: tuple[list[Turn], int, Summary],
) -> None:
    history, budget, summary = drawn
    due = overdue(history, budget_tokens=budget, summary=summary)
    grown = Summary(summary.text, (*summary.covers, *(turn.trace_id for turn in due)))
    assert overdue(history, budget_tokens=budget, summary=grown) == ()
    shown = {said.question for said in exchanges(replay(history, budget_tokens=budget, summary=grown))}
    assert all(
        turn.standalone in shown or turn.trace_id in grown.covers for turn in history if turn.kind is TurnKind.FACT
    )


@given(marked_histories)
def test_earlier_questions_are_the_answered_and_the_declined(history: list[Turn]) -> None:
    asked = [turn.standalone for turn in history if turn.kind in {TurnKind.FACT, TurnKind.UNGROUNDED}]
    assert list(earlier_questions(history)) == asked


async def replayed(memory: Memory, budget: int) -> list[tuple[Said, ...]]:
    return [
        replay(await memory.turns(place, limit=6), budget_tokens=budget, summary=await memory.summary(place))
        for place in PLACES
    ]


async def recalled(memory: Memory, history: Sequence[Turn], budget: int) -> list[object]:
    """All that two memories of one history must agree on, a summary kept half-way among it."""
    for turn in history[: len(history) // 2]:
        await memory.record(turn)
    kept = []
    for place in PLACES:
        due = overdue(await memory.turns(place), budget_tokens=budget)
        summary = Summary(f"{len(due)} turns.", tuple(turn.trace_id for turn in due))
        kept.append(bool(due) and await memory.keep_summary(place, summary, instead_of=None))
    for turn in history[len(history) // 2 :]:
        await memory.record(turn)
    return [
        kept,
        await replayed(memory, budget),
        await memory.last_answer(THREAD.place, "ada"),
        await memory.forget(author="ben"),
        await replayed(memory, budget),
        *[tuple(await memory.turns(place)) for place in PLACES],
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
