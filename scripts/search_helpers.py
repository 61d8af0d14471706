"""Measures what a made-up passage and a second search do to finding and declining, with stand-ins for a model.

    python scripts/search_helpers.py SHARED INDEX

SHARED and INDEX are those of `fit_grade.py`. For a made-up passage stands the text of a hit of the plain search, graded
by the likeness to the question, as the product does, and by that to what was searched with. For other words stand
rules, tried as if every question were ambiguous. The product has none of them, since none finds more than it costs.
"""

from __future__ import annotations

import argparse
import asyncio
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import grade_questions
import numpy as np
from fit_grade import Found, how_well
from grade_questions import KINDS, WORDINGS, Question, name_of

from retrieval.corrective import ScriptedQueryRewriter
from retrieval.evidence import Evidence, Grade, Query
from retrieval.grade import Grader
from retrieval.hyde import ScriptedWriter
from retrieval.local import LocalEmbedder
from retrieval.search import Searcher
from retrieval.sqlite_index import SqliteIndex
from retrieval.terms import STOP_WORDS, stem, terms, words

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from retrieval.embed import Embedder, Vector
    from retrieval.evidence import Hit

STAND_INS = {"1st hit made up": 0, "3rd hit made up": 2, "20th hit made up": 19}


class Grading(SqliteIndex):
    """An index whose hits keep their likeness to what was searched with, if `by_search` says so."""

    by_search = False
    _searched: Mapping[str, float | None] = {}

    async def search(
        self, words: str, vector: Vector | None, *, k: int, collections: Collection[str] | None = None
    ) -> Sequence[Hit]:
        hits = await super().search(words, vector, k=k, collections=collections)
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


class Remembering:
    """An embedder that embeds each text once."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[str, Vector] = {}
        self.name, self.dimensions = embedder.name, embedder.dimensions

    async def embed_passages(self, texts: Sequence[str]) -> Vector:
        return np.stack([await self.embed_query(text) for text in texts])

    async def embed_query(self, text: str) -> Vector:
        if text not in self._known:
            self._known[text] = await self._embedder.embed_query(text)
        return self._known[text]


def informative(question: str, _: Sequence[Hit]) -> str:
    return " ".join(word for word in words(question) if word not in STOP_WORDS)


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
    "informative words": informative,
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
    fitted, unsure = Grader.fitted(), Unsure.fitted()
    plain = Searcher(index, embedder, fitted)
    rows = []
    for question in questions:
        query = Query(question.text, question.text)
        first = await plain.search(query, k=30)
        rows.append(Row("plain", question, first))
        if not first.hits:
            continue
        for name, at in STAND_INS.items():
            writer = ScriptedWriter(first.hits[min(at, len(first.hits) - 1)].passage.text)
            for index.by_search in (False, True):
                way = f"{name}, by search" if index.by_search else name
                rows.append(
                    Row(way, question, await Searcher(index, embedder, fitted, writer=writer).search(query, k=30))
                )
        index.by_search = False
        for name, rule in RULES.items():
            rewriter = ScriptedQueryRewriter(rule(question.text, first.hits))
            twice = Searcher(index, embedder, unsure, rewriter=rewriter)
            rows.append(Row(f"again: {name}", question, await twice.search(query, k=30)))
    return rows


def report(rows: Sequence[Row]) -> None:
    """For both halves and each way: how well it finds, and what is declined and taken for sure, in percent."""
    grader = Grader.fitted()
    for fitted in (True, False):
        half = "fitted half" if fitted else "half not seen"
        print(
            f"\n{half:28}{'hit@5':>8}{'recall@20':>11}{'MRR':>8}{'declined, correct in %: answerable':>38}{'none':>12}"
        )
        for way in dict.fromkeys(row.way for row in rows):
            some = [row for row in rows if row.way == way and row.question.fitted is fitted]
            found = np.mean([_how_well(row) for row in some if row.question.answerable], axis=0)
            shares = [
                _shares([row for row in some if row.question.answerable is kind], grader) for kind in (True, False)
            ]
            print(f"{way:28}{found[0]:8.3f}{found[1]:11.3f}{found[2]:8.3f}{shares[0]:>38}{shares[1]:>12}")


def _how_well(row: Row) -> tuple[float, float, float]:
    documents = tuple(dict.fromkeys(name_of(hit.document) for hit in row.evidence.hits))
    return how_well(Found(row.question, (), documents))


def _shares(rows: Sequence[Row], grader: Grader) -> str:
    grades = [grader.grade(row.evidence.best) for row in rows]
    shares = [100 * float(np.mean([one is grade for one in grades])) for grade in (Grade.INCORRECT, Grade.CORRECT)]
    return ", ".join(f"{share:.0f}" for share in shares)


async def measure(shared: Path, path: Path) -> None:
    questions = [one for one in grade_questions.public(shared / "data") if one.group in {*WORDINGS, *KINDS}]
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
