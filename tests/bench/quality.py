"""How well each stage finds what answers, and what is declined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval.evidence import Grade, Query
from scripts.figures import MEASURES, means
from scripts.public_sets import ABSTRACTS, KINDS, WORDINGS
from tests.bench.report import Goal, Table, goals
from tests.bench.sets import CORPUS, PROGRESS, judged_id

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from adapters.app import Application
    from retrieval.evidence import Hit
    from scripts.public_sets import Question
    from tests.bench.sets import Sets

DEPTH = 50
"""Passages of each list that are looked at; 20 documents are among them."""

STAGES = ("by words", "by meaning", "fused", "reranked")
NAMES = {
    "scifact": "SciFact, test",
    "pubmedqa": "PubMedQA",
    "text": "health questions, the message as written",
    "summary": "health questions, the library's summary",
    "paraphrase": "health questions, a paraphrase",
}


@dataclass(frozen=True, slots=True)
class Found:
    """One question's documents in order, by stage, and whether the search would have it declined."""

    question: Question
    documents: Mapping[str, Sequence[str]]
    declined: bool


async def measured(sets: Sets) -> list[Table]:
    """The tables, of every question and of those on which nothing was fitted, and the goals."""
    found: list[Found] = []
    for name in (*ABSTRACTS, CORPUS):
        app = await sets.opened(name)
        asked = [one for one in sets.asked(name) if one.group in {*NAMES, *KINDS}]
        PROGRESS.print(f"{name}: {len(asked)} questions")
        found += [await search(app, name, question) for question in asked]
        await app.close()
    unseen = [one for one in found if set_aside(one.question)]
    return [
        ranked("All questions", found),
        ranked("Questions that nothing was fitted on", unseen),
        declined(found, unseen),
        goals(reached(found, unseen)),
    ]


def set_aside(question: Question) -> bool:
    """Whether nothing was fitted on this question: all test claims of SciFact, half of every other group."""
    return question.group == "scifact" or not question.fitted


async def search(app: Application, name: str, question: Question) -> Found:
    """What each stage finds; the last is the product's own search, whole."""
    assert app.embedder is not None
    text, vector = question.text, await app.embedder.embed_query(question.text)
    evidence = await app.searcher.search(Query(text, text), k=DEPTH)
    lists: tuple[Sequence[Hit], ...] = (
        await app.index.search(text, None, k=DEPTH),
        await app.index.search("", vector, k=DEPTH),
        await app.index.search(text, vector, k=DEPTH),
        evidence.hits,
    )
    documents = [list(dict.fromkeys(judged_id(name, hit.document) for hit in hits)) for hits in lists]
    return Found(question, dict(zip(STAGES, documents, strict=True)), evidence.grade is Grade.INCORRECT)


def figures(found: Sequence[Found], stage: str) -> dict[str, float]:
    """The means over questions that have an answer."""
    return means([(one.documents[stage], one.question.gold) for one in found])


def ranked(title: str, found: Sequence[Found]) -> Table:
    """A line for each group and stage."""
    rows = []
    for group, name in NAMES.items():
        some = [one for one in found if one.question.group == group]
        for stage in STAGES:
            cells = [f"{figure:.3f}" for figure in figures(some, stage).values()]
            rows.append((name if stage == STAGES[0] else "", stage, str(len(some)), *cells))
    return Table(title, ("set", "stage", "questions", *MEASURES), rows)


def declined(found: Sequence[Found], unseen: Sequence[Found]) -> Table:
    """The share declined of each group, of all questions and of those set aside."""
    rows = []
    for name, groups in (
        *((NAMES[group], (group,)) for group in WORDINGS),
        ("answerable, together", WORDINGS),
        *((kind.replace("_", " "), (kind,)) for kind in KINDS),
        ("unanswerable, together", KINDS),
    ):
        cells = []
        for one in (found, unseen):
            count, share = _declined(one, groups)
            cells += [str(count), f"{share:.1%}"]
        rows.append((name, *cells))
    return Table("Declined", ("questions", "all", "declined", "set aside", "declined"), rows)


def reached(found: Sequence[Found], unseen: Sequence[Found]) -> list[Goal]:
    """The figures that are to be reached; what is fitted counts on questions that were set aside."""
    by_group = {group: [one for one in found if one.question.group == group] for group in NAMES}
    aside = {group: [one for one in unseen if one.question.group == group] for group in NAMES}
    reranked = figures(by_group["scifact"], "reranked")["nDCG@10"]
    fused = figures(by_group["scifact"], "fused")["nDCG@10"]
    wanted, unwanted = _declined(unseen, KINDS)[1], _declined(unseen, WORDINGS)[1]
    return [
        Goal("SciFact test, nDCG@10 reranked at least .75", f"{reranked:.4f}", reranked >= 0.75),
        Goal("SciFact test, nDCG@10 fused at least .72", f"{fused:.4f}", fused >= 0.72),
        *(_fused_holds(name, by_group[group]) for group, name in NAMES.items()),
        _recalls(by_group["summary"], aside["summary"], "summary", 0.85),
        _recalls(by_group["text"], aside["text"], "text", 0.75),
        Goal("Unanswerable questions declined at least 90 % (set aside)", f"{wanted:.1%}", wanted >= 0.9),
        Goal("Answerable questions declined at most 10 % (set aside)", f"{unwanted:.1%}", unwanted <= 0.1),
    ]


def _fused_holds(name: str, some: Sequence[Found]) -> Goal:
    words, meaning, fused = (figures(some, stage)["nDCG@10"] for stage in STAGES[:3])
    measured = f"{fused:.3f} ({words:.3f}, {meaning:.3f})"
    return Goal(f"Fused at or above the better list, nDCG@10: {name}", measured, fused >= max(words, meaning))


def _recalls(some: Sequence[Found], aside: Sequence[Found], group: str, least: float) -> Goal:
    whole, unseen = (figures(one, "reranked")["recall@20"] for one in (some, aside))
    measured = f"{whole:.3f} ({unseen:.3f} of those set aside)"
    return Goal(f"recall@20 at least {least:.2f}: {NAMES[group]}", measured, whole >= least)


def _declined(found: Sequence[Found], groups: Sequence[str]) -> tuple[int, float]:
    some = [one.declined for one in found if one.question.group in groups]
    return len(some), sum(some) / max(1, len(some))
