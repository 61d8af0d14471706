"""Measures what a made-up passage and a second search do to finding and declining, with stand-ins for a model.

    python -m scripts.search_helpers SHARED INDEX

SHARED and INDEX are those of `scripts.fit_grade`. For a made-up passage stands the text of a hit of the plain search,
graded by the likeness to the question, as the product does, and by that to what was searched with. For other words
stand rules, tried as if every question were ambiguous. The product has none of them, since none finds more than it
costs.
"""

from __future__ import annotations

import argparse
import asyncio
import re
from collections import Counter
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from retrieval.corrective import ScriptedQueryRewriter
from retrieval.evidence import Evidence, Grade, Query
from retrieval.fitted_rerank import FittedReranker
from retrieval.grade import Grader
from retrieval.hyde import ScriptedWriter
from retrieval.local import LocalEmbedder
from retrieval.rerank import RERANKED
from retrieval.search import Searcher
from retrieval.sqlite_index import SqliteIndex
from retrieval.terms import STOP_WORDS, stem, terms, words
from scripts.figures import MEASURES, means
from scripts.public_sets import KINDS, WORDINGS, Question, name_of, public
from scripts.remembering import Remembering

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from datetime import date

    from retrieval.embed import Embedder, Vector
    from retrieval.evidence import Hit

PATIENCE = 600.0
"""Seconds: on a busy machine, no stage is to be left out for having been slow."""
STAND_INS = {"1st hit made up": 0, "3rd hit made up": 2, "20th hit made up": 19}


class Grading(SqliteIndex):
    """An index whose hits keep their likeness to what was searched with, if `by_search` says so."""

    by_search = False
    _searched: Mapping[str, float | None] = {}

    async def search(
        self,
        words: str,
        vector: Vector | None,
        *,
        k: int,
        collections: Collection[str] | None = None,
        today: date | None = None,
        context: bool = True,
    ) -> Sequence[Hit]:
        hits = await super().search(words, vector, k=k, collections=collections, today=today, context=context)
        self._searched = {hit.passage.id: hit.cosine for hit in hits}
        return hits

    async def cosines(self, ids: Collection[str], vector: Vector) -> Mapping[str, float]:
        if not self.by_search:
            return await super().cosines(ids, vector)
        return {id_: cosine for id_ in ids if (cosine := self._searched[id_]) is not None}


class Unsure(Grader):
    """Finds everything ambiguous, so that all is searched for twice."""

    def grade(self, strength: float) -> Grade:  # noqa: ARG002 - however strong
        return Grade.AMBIGUOUS


def last_asked(question: str, _: Sequence[Hit]) -> str:
    sentences = [one for one in re.split(r"(?<=[.?!])\s+", question) if one.strip()]
    return next((one for one in reversed(sentences) if one.endswith("?")), sentences[-1])


def best_title(question: str, hits: Sequence[Hit]) -> str:
    return f"{hits[0].document.title}: {question}"


def shared_headings(question: str, hits: Sequence[Hit]) -> str:
    return _widened(question, [" ".join([hit.document.title, *hit.passage.headings]) for hit in hits[:5]], 2)


def shared_texts(question: str, hits: Sequence[Hit]) -> str:
    return _widened(question, [hit.passage.text for hit in hits[:5]], 3)


def _widened(question: str, texts: Sequence[str], least: int) -> str:
    """The question with up to four words that so many of the texts share, the most shared first."""
    asked = set(terms(question))
    told = [{stem(word): word for word in words(text) if word.isalpha() and word not in STOP_WORDS} for text in texts]
    shared = Counter(term for one in told for term in one if term not in asked)
    spelt = {term: word for one in told for term, word in one.items()}
    return " ".join([question, *(spelt[term] for term, count in shared.most_common(4) if count >= least)])


RULES: dict[str, Callable[[str, Sequence[Hit]], str]] = {
    "last question": last_asked,
    "best hit's title": best_title,
    "shared headings": shared_headings,
    "shared text": shared_texts,
}


@dataclass(frozen=True, slots=True)
class Row:
    """One question's search, under one way of searching."""

    way: str
    question: Question
    evidence: Evidence


async def gather(index: Grading, embedder: Embedder, questions: Sequence[Question]) -> list[Row]:
    """Every question, searched for in every way."""
    searcher = partial(Searcher, index, embedder, reranker=FittedReranker.fitted(index), patience=PATIENCE)
    fitted, unsure = Grader.fitted(), Unsure.fitted()
    plain = searcher(fitted)
    rows = []
    for question in questions:
        query = Query(question.text, question.text)
        first = await plain.search(query, k=RERANKED)
        rows.append(Row("plain", question, first))
        if not first.hits:
            continue
        for name, at in STAND_INS.items():
            writer = ScriptedWriter(first.hits[min(at, len(first.hits) - 1)].passage.text)
            for index.by_search in (False, True):
                way = f"{name}, by search" if index.by_search else name
                rows.append(Row(way, question, await searcher(fitted, writer=writer).search(query, k=RERANKED)))
        index.by_search = False
        for name, rule in RULES.items():
            twice = searcher(unsure, rewriter=ScriptedQueryRewriter(rule(question.text, first.hits)))
            rows.append(Row(f"again: {name}", question, await twice.search(query, k=RERANKED)))
    return rows


def report(rows: Sequence[Row]) -> None:
    """For both halves and each way: how well it finds, and what is declined and taken for sure, in percent.

    Then how many questions are ambiguous in the plain search, and how many of those each way makes sure of.
    """
    grader = Grader.fitted()
    ways = dict.fromkeys(row.way for row in rows)
    for fitted in (True, False):
        half = "fitted half" if fitted else "half not seen"
        head = "".join(f"{name:>11}" for name in MEASURES)
        print(f"\n{half:28}{head}{'declined, correct in %: answerable':>38}{'none':>12}")
        for way in ways:
            some = [row for row in rows if row.way == way and row.question.fitted is fitted]
            answerable, others = ([row for row in some if row.question.answerable is kind] for kind in (True, False))
            found = "".join(f"{figure:11.3f}" for figure in means([_documents(row) for row in answerable]).values())
            print(f"{way:28}{found}{_shares(answerable, grader):>38}{_shares(others, grader):>12}")
    print(f"\n{'of the ambiguous, correct':28}{'answerable':>12}{'none':>12}")
    unsure = {row.question for row in rows if row.way == "plain" and _grade(row, grader) is Grade.AMBIGUOUS}
    for way in ways:
        some = [row for row in rows if row.way == way and row.question in unsure]
        cells = ([_grade(row, grader) for row in some if row.question.answerable is kind] for kind in (True, False))
        print(f"{way:28}" + "".join(f"{f'{grades.count(Grade.CORRECT)} of {len(grades)}':>12}" for grades in cells))


def _documents(row: Row) -> tuple[list[str], frozenset[str]]:
    """Those found, in order, and those that answer."""
    return list(dict.fromkeys(name_of(hit.document) for hit in row.evidence.hits)), row.question.gold


def _grade(row: Row, grader: Grader) -> Grade:
    """What the strength amounts to, whatever `Unsure` made of it."""
    return grader.grade(row.evidence.best)


def _shares(rows: Sequence[Row], grader: Grader) -> str:
    grades = [_grade(row, grader) for row in rows]
    shares = [100 * float(np.mean([one is grade for one in grades])) for grade in (Grade.INCORRECT, Grade.CORRECT)]
    return ", ".join(f"{share:.0f}" for share in shares)


async def measure(shared: Path, path: Path) -> None:
    questions = [one for one in public(shared / "data") if one.group in {*WORDINGS, *KINDS}]
    embedder = Remembering(LocalEmbedder.minilm())
    index = await Grading.open(path, embedder=(embedder.name, embedder.dimensions))
    assert isinstance(index, Grading)
    report(await gather(index, embedder, questions))
    await index.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shared", type=Path)
    parser.add_argument("index", type=Path)
    options = parser.parse_args()
    asyncio.run(measure(options.shared, options.index))


if __name__ == "__main__":
    main()
