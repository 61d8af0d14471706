"""Citewell beside what a user would pick instead: the time of a search, and how well each finds."""

from __future__ import annotations

import tempfile
import time
from collections import defaultdict
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from retrieval.evaluate import ndcg, recall
from retrieval.evidence import Query
from tests.bench.many import filled, many, mixed_questions
from tests.bench.report import Goal, Table, goals
from tests.bench.sets import PROGRESS
from tests.bench.stacks import HYBRID, STACKS, K, embed
from tests.bench.timing import by_turns

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from adapters.app import Application
    from tests.bench.report import Times
    from tests.bench.sets import Passages, Sets
    from tests.bench.stacks import Search, Stack
    from tests.bench.timing import Timed

PASSAGES = 27_000
WHOLE, ALONE, FUSED, WORDS, EMBED = (
    "Citewell, whole search: fused, reranked, graded",
    "the same, before the others are loaded",
    "Citewell, fused lists alone",
    "Citewell, words alone",
    "the embedding of the question, which is in all but “words alone”",
)


async def measured(sets: Sets, count: int = PASSAGES) -> list[Table]:
    """The tables and the goals. Stacks that are not installed are named and left out."""
    there = [stack for stack in STACKS if stack.versions()]
    for stack in STACKS:
        if stack not in there:
            PROGRESS.print(f"not installed, and left out: {stack.name} ({', '.join(stack.packages)})")
    quality = await found_of(sets, there)
    app = await filled(sets, count)
    questions, steps = mixed_questions(sets), defaultdict[str, list[float]](list)
    alone = await by_turns({ALONE: own(app, steps)[WHOLE]}, questions)
    with made(there, await many(sets, count)) as others:
        timed = {**{name: _awaited(search) for name, search in others.items()}, **own(app), EMBED: _embedding()}
        PROGRESS.print(f"{count:,} passages: {len(timed)} searches by turns")
        times = {**alone, **await by_turns(timed, questions)}
    await app.close()
    return [speeds(times, count), stages(steps), quality, versions(there), goals(reached(times))]


def own(app: Application, steps: Mapping[str, list[float]] | None = None) -> dict[str, Timed]:
    """The product's searches: as a question gets it, and less of it; `steps` collects each stage's milliseconds."""
    embedder = app.embedder
    assert embedder is not None

    async def whole(question: str) -> None:
        evidence = await app.searcher.search(Query(question, question), k=K)
        if steps is not None:
            for stage in evidence.stages:
                steps[f"{stage.name} ({stage.backend})"].append(stage.milliseconds)

    async def fused(question: str) -> None:
        await app.index.search(question, await embedder.embed_query(question), k=K)

    async def words(question: str) -> None:
        await app.index.search(question, None, k=K)

    return {WHOLE: whole, FUSED: fused, WORDS: words}


@contextmanager
def made(stacks: Sequence[Stack], passages: Passages) -> Iterator[dict[str, Search]]:
    """The stacks over these passages, in a folder that is gone afterwards."""
    model = embed()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        searches = {}
        for stack in stacks:
            began = time.perf_counter()
            searches[stack.name] = stack.make(passages, model, Path(folder) / stack.make.__name__)
            PROGRESS.print(f"{stack.name}: {len(passages.ids):,} passages in {time.perf_counter() - began:.0f} s")
        yield searches


async def found_of(sets: Sets, stacks: Sequence[Stack]) -> Table:
    """How well each finds on SciFact's test claims, of ten documents that it gives."""
    app = await sets.opened("scifact")
    asked = sets.asked("scifact")
    figures = {}
    documents: dict[str, list[Sequence[str]]] = {WHOLE: [], FUSED: [], WORDS: []}
    assert app.embedder is not None
    for question in asked:
        text = question.text
        evidence = await app.searcher.search(Query(text, text), k=K)
        fused = await app.index.search(text, await app.embedder.embed_query(text), k=K)
        for name, hits in ((WHOLE, evidence.hits), (FUSED, fused), (WORDS, await app.index.search(text, None, k=K))):
            documents[name].append([hit.document.id for hit in hits])
    await app.close()
    with made(stacks, await sets.stored("scifact")) as others:
        documents |= {name: [search(one.text) for one in asked] for name, search in others.items()}
    for name, lists in documents.items():
        pairs = list(zip(lists, asked, strict=True))
        figures[name] = (
            float(np.mean([ndcg(found, dict.fromkeys(one.gold, 1), k=K) for found, one in pairs])),
            float(np.mean([recall(found, one.gold, k=K) for found, one in pairs])),
        )
    rows = [(name, *(f"{figure:.3f}" for figure in both)) for name, both in figures.items()]
    return Table(f"SciFact, {len(asked)} test claims", ("stack", "nDCG@10", "recall@10"), rows)


def speeds(times: Mapping[str, Times], count: int) -> Table:
    """A line a search, slowest first."""
    whole = times[WHOLE].p50
    order = sorted(times, key=lambda name: -times[name].p50)
    rows = [(name, *times[name].cells, f"{times[name].p50 / whole:.2f}") for name in order]
    columns = ("search", "p50, ms", "p95, ms", "processor p50, ms", "p50 over Citewell's whole search")
    return Table(f"{count:,} passages, the ten best; every search embeds the question itself", columns, rows)


def stages(steps: Mapping[str, Sequence[float]]) -> Table:
    """Where the time of the whole search goes."""
    rows = [(name, *(f"{np.percentile(some, percent):.1f}" for percent in (50, 95))) for name, some in steps.items()]
    return Table(
        "Stages of Citewell's whole search, before the others are loaded", ("stage", "p50, ms", "p95, ms"), rows
    )


def versions(stacks: Sequence[Stack]) -> Table:
    """What was compared."""
    rows = [(stack.name, stack.versions() or "") for stack in stacks]
    rows += [(stack.name, "not installed, left out") for stack in STACKS if stack not in stacks]
    return Table("Compared", ("stack", "versions"), rows)


def reached(times: Mapping[str, Times]) -> list[Goal]:
    """The figures that are to be reached, in this one run."""
    whole, alone = times[WHOLE].p50, times[ALONE].p50
    found = [Goal("p50 of a whole search under 30 ms on an idle machine", f"{alone:.1f} ms", alone < 30)]
    for stack in HYBRID:
        if stack.name in times:
            factor, most = whole / times[stack.name].p50, 0.5 if stack.name == "LanceDB hybrid" else 1.0
            wanted = f"p50 of a whole search at most {most:g} times that of {stack.name}"
            found.append(Goal(wanted, f"{factor:.2f} times", factor <= most))
    return found


def _awaited(search: Search) -> Timed:
    async def awaited(question: str) -> None:
        search(question)

    return awaited


def _embedding() -> Timed:
    model = embed()

    async def embedding(question: str) -> None:
        model(question)

    return embedding
