"""What stands where sources are asked for."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

import pytest

from adapters.sources import Sources, heading
from bot.access import by_person
from bot.messages import Author
from bot.turn import Memories
from bot.wording import wording
from memory.ram import RamMemory
from retrieval.ram_index import RamIndex
from tests.memory.histories import THREAD, a_source, a_turn
from tests.retrieval.samples import document, put

if TYPE_CHECKING:
    from typing import Any

WORDS = wording()


def test_no_answer_and_an_answer_that_is_gone_read_differently() -> None:
    assert heading(None, WORDS) == WORDS.sources.none
    assert heading((), WORDS) == WORDS.sources.gone


TODAY = date(2026, 11, 30)
ANN = Author("ada")


async def answered(**dates: Any) -> Sources:
    """What is known of an answer that stood on a document, which has these dates by now."""
    memories, index = Memories(RamMemory(), RamMemory()), RamIndex()
    await put(index, replace(document(), **dates), "zero", "Open on Tuesdays.")
    await memories.durable.record(a_turn(sources=(a_source(1),)))
    return Sources(memories, index, by_person, lambda: TODAY)


@pytest.mark.parametrize("dates", [{"superseded_by": "new"}, {"expires": date(2026, 11, 29)}])
async def test_what_an_answer_stood_on_and_no_longer_holds_is_gone(dates: dict[str, Any]) -> None:
    sources = await answered(**dates)
    assert await sources.of_conversation(THREAD, ANN) == ()
    assert await sources.of_person(THREAD, ANN) == ()
    assert await sources.passage("flu#1", THREAD, ANN) is None


@pytest.mark.parametrize(("due", "mark"), [(TODAY, None), (date(2026, 3, 31), date(2026, 3, 31))])
async def test_a_source_is_marked_by_the_day_on_which_it_is_shown(due: date, mark: date | None) -> None:
    sources = await answered(review_by=due)
    (found,) = await sources.of_conversation(THREAD, ANN) or ()
    assert (found.id, found.review_by) == ("flu#1", mark)
    assert await sources.passage("flu#1", THREAD, ANN) is not None


async def test_what_no_longer_says_what_it_was_quoted_for_is_gone() -> None:
    memories, index = Memories(RamMemory(), RamMemory()), RamIndex()
    sources = Sources(memories, index, by_person, lambda: TODAY)
    await memories.durable.record(a_turn(sources=(a_source(1),)))
    await put(index, document(), "zero", a_source(1).quote)
    assert len(await sources.of_conversation(THREAD, ANN) or ()) == 1
    await put(index, document(), "zero", "Open on Fridays.")
    assert await sources.of_conversation(THREAD, ANN) == ()


async def test_a_source_is_named_as_its_document_is_today() -> None:
    memories, index = Memories(RamMemory(), RamMemory()), RamIndex()
    sources = Sources(memories, index, by_person, lambda: TODAY)
    await memories.durable.record(a_turn(sources=(a_source(1),)))
    await put(
        index, replace(document(), title="Flu jabs", url="https://clinic.example/jabs"), "zero", a_source(1).quote
    )
    (found,) = await sources.of_conversation(THREAD, ANN) or ()
    assert (found.title, found.url) == ("Flu jabs", "https://clinic.example/jabs")
