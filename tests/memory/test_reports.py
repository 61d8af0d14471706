from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from memory.file import MemoryFile
from memory.reports import Declined, MarkedDown, Ratings, Reports
from memory.sqlite import SqliteMemory
from memory.turn import TurnKind
from tests.memory.histories import NOON, THREAD, a_source, a_turn

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path


@pytest.fixture
async def file(tmp_path: Path) -> AsyncIterator[MemoryFile]:
    """With a turn of each kind, a minute after the other."""
    file = MemoryFile(tmp_path / "memory.db")
    for minutes, kind in enumerate(TurnKind):
        sources = (a_source(2), a_source(1)) if kind is TurnKind.FACT else ()
        await SqliteMemory(file).record(a_turn(kind.value, kind=kind, minutes=minutes, sources=sources))
    yield file
    await file.close()


async def rate(file: MemoryFile, kind: TurnKind, author: str, *, good: bool) -> bool:
    return await SqliteMemory(file).rate(f"trace-{kind.value}", place=THREAD.place, author=author, good=good)


async def test_only_declines_are_what_the_documents_lack(file: MemoryFile) -> None:
    at = NOON + timedelta(minutes=list(TurnKind).index(TurnKind.UNGROUNDED))
    reports = Reports(file)
    assert list(await reports.declined()) == [Declined("standalone ungrounded", at)]
    assert list(await reports.declined(at)) == [Declined("standalone ungrounded", at)]
    assert list(await reports.declined(at + timedelta(seconds=1))) == []


async def test_what_was_marked_down_comes_with_its_passages_in_order(file: MemoryFile) -> None:
    await rate(file, TurnKind.FACT, "ben", good=False)
    await rate(file, TurnKind.FACT, "cleo", good=True)
    await rate(file, TurnKind.UNGROUNDED, "ben", good=True)
    reports = Reports(file)
    assert list(await reports.marked_down()) == [
        MarkedDown("trace-fact", "standalone fact", TurnKind.FACT, NOON, ("flu#2", "flu#1"))
    ]
    assert list(await reports.marked_down(NOON + timedelta(seconds=1))) == []
    assert await reports.ratings() == Ratings(good=2, bad=1)
    assert await reports.ratings(NOON + timedelta(seconds=1)) == Ratings(good=1, bad=0)


async def test_a_rating_goes_with_its_turn_with_its_author_and_when_it_is_taken_back(file: MemoryFile) -> None:
    reports, memory = Reports(file), SqliteMemory(file)
    for author in ("ben", "cleo"):
        await rate(file, TurnKind.FACT, author, good=False)
    await rate(file, TurnKind.FACT, "ben", good=True)
    assert await reports.ratings() == Ratings(good=1, bad=1)
    assert await memory.forget(author="ben") == 0
    assert await reports.ratings() == Ratings(good=0, bad=1)
    await memory.record(a_turn("fact", text="anew"))
    assert await reports.ratings() == Ratings(good=0, bad=0)
    await rate(file, TurnKind.UNGROUNDED, "ben", good=False)
    await memory.forget(conversation=THREAD)
    assert await reports.ratings() == Ratings(good=0, bad=0)
