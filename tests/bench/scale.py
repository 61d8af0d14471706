"""How time and memory of a search grow from 27,000 passages to 200,000."""

from __future__ import annotations

import asyncio
import multiprocessing
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retrieval.evidence import Query
from tests.bench.many import COLLECTIONS, filled, mixed_questions
from tests.bench.report import Goal, Table, goals
from tests.bench.sets import PROGRESS
from tests.bench.timing import by_turns

if TYPE_CHECKING:
    from adapters.app import Application
    from tests.bench.report import Times
    from tests.bench.sets import Sets
    from tests.bench.timing import Timed

SMALL, LARGE = 27_000, 200_000
WHOLE = "whole search: fused, reranked, graded"
ONE = "fused, one collection of two"
MODES = (WHOLE, "fused lists alone", "words alone", "meaning alone", ONE)


async def measured(sets: Sets, small: int = SMALL, large: int = LARGE) -> list[Table]:
    """The tables and the goals."""
    counts = small, large
    for count in counts:
        await (await filled(sets, count)).close()
    PROGRESS.print("memory, in a process for each size")
    held = {count: await asyncio.to_thread(_alone, sets, count) for count in counts}
    apps = {count: await filled(sets, count) for count in counts}
    timed = {f"{mode} {count}": search for count, app in apps.items() for mode, search in _searches(app).items()}
    PROGRESS.print(f"{len(timed)} searches by turns")
    times = await by_turns(timed, mixed_questions(sets))
    for app in apps.values():
        await app.close()
    growth = {mode: times[f"{mode} {large}"].p50 / times[f"{mode} {small}"].p50 for mode in MODES}
    linear = f"p50 of a whole search grows no worse than linearly ({large / small:.1f} times as many passages)"
    peak = held[large]["peak"]
    reached = [
        Goal(linear, f"{growth[WHOLE]:.1f} times", growth[WHOLE] <= large / small),
        Goal(f"{large:,} passages work, memory reported", f"{peak:.0f} MB", peak > 0),
    ]
    return [_speeds(times, growth, counts), _memory(sets, held), goals(reached)]


def _searches(app: Application) -> dict[str, Timed]:
    embedder = app.embedder
    assert embedder is not None

    async def search(question: str, collections: set[str] | None = None, *, words: bool = True) -> None:
        vector = await embedder.embed_query(question)
        await app.index.search(question if words else "", vector, k=10, collections=collections)

    async def whole(question: str) -> None:
        await app.searcher.search(Query(question, question), k=10)

    async def fused(question: str) -> None:
        await search(question)

    async def by_words(question: str) -> None:
        await app.index.search(question, None, k=10)

    async def by_meaning(question: str) -> None:
        await search(question, words=False)

    async def in_one(question: str) -> None:
        await search(question, {COLLECTIONS[0]})

    return dict(zip(MODES, (whole, fused, by_words, by_meaning, in_one), strict=True))


def _speeds(times: dict[str, Times], growth: dict[str, float], counts: tuple[int, int]) -> Table:
    columns = ["search"]
    for count in counts:
        columns += [f"{count:,}: p50, ms", "p95, ms", "processor p50, ms"]
    rows = [
        (mode, *(cell for count in counts for cell in times[f"{mode} {count}"].cells), f"{growth[mode]:.1f}")
        for mode in MODES
    ]
    return Table("A search, the embedding of the question included", (*columns, "p50 grows, times"), rows)


def _memory(sets: Sets, held: dict[int, dict[str, float]]) -> Table:
    rows = []
    for count, figures in held.items():
        size = (sets.homes / f"passages-{count}" / "index.db").stat().st_size / 1e6
        rows.append((f"{count:,}", f"{size:.0f}", *(f"{figures[name]:.0f}" for name in ("first", "before", "peak"))))
    columns = ("passages", "index file, MB", "first search, ms", "memory before it, MB", "peak memory, MB")
    return Table("Memory of a process that has just started, and asks each question once", columns, rows)


def _alone(sets: Sets, count: int) -> dict[str, float]:
    """What a process of its own takes."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(_held, sets, count).result()


def _held(sets: Sets, count: int) -> dict[str, float]:
    return asyncio.run(_asked(sets, count))


async def _asked(sets: Sets, count: int) -> dict[str, Any]:
    """The first search reads all vectors in; the model is loaded before it."""
    app = await filled(sets, count)
    assert app.embedder is not None
    first, *others = mixed_questions(sets)
    vector = await app.embedder.embed_query(first)
    before, began = _peak(), time.perf_counter()
    await app.index.search(first, vector, k=10)
    spent = 1000 * (time.perf_counter() - began)
    for question in others:
        await app.searcher.search(Query(question, question), k=10)
    await app.close()
    return {"first": spent, "before": before, "peak": _peak()}


def _peak() -> float:
    """The most memory that this process has held, in MB, as Linux keeps it; not a number elsewhere.

    What `getrusage` tells counts the memory of the parent, too.
    """
    status = Path("/proc/self/status")
    lines = status.read_text(encoding="ascii").splitlines() if status.exists() else []
    return next((int(line.split()[1]) / 1e3 for line in lines if line.startswith("VmHWM")), float("nan"))
