"""The small corpora that the grade is fitted on beside the large one, and the questions put to each."""

from __future__ import annotations

import random
import sqlite3
import tomllib
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from retrieval.sqlite_index import SqliteIndex
from retrieval.sqlite_rows import read_document, read_passage
from scripts.public_sets import WORDINGS, Question

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retrieval.document import Document, Passage
    from retrieval.embed import Embedder, Vector

    Stored: TypeAlias = tuple[Document, list[tuple[Passage, Vector]]]
    """A document with its passages and their vectors."""

OWN = Path(__file__).with_suffix(".toml")
DRAWN_SIZES = (12, 12, 12, 40, 40, 150, 150, 400)
"""Documents in the small corpora drawn from the whole, one of each for either half of the questions."""


def own(name: str, group: str, *, answerable: bool = False) -> list[Question]:
    """Questions of the file beside this one."""
    return [Question(group, text, text, answerable) for text in tomllib.loads(OWN.read_text(encoding="utf-8"))[name]]


def drawn(questions: Sequence[Question], documents: Sequence[str]) -> Iterator[tuple[set[str], list[Question]]]:
    """Small corpora, by the documents in them, with what they can answer and what they cannot."""
    for number, size in enumerate(DRAWN_SIZES):
        for fitted in (True, False):
            chance = random.Random(2 * number + fitted)
            half = [question for question in questions if question.fitted is fitted]
            gold = sorted(set().union(*(question.gold for question in half if question.group in WORDINGS)))
            some = chance.sample(gold, min(len(gold), max(4, size // 6)))
            chosen = dict.fromkeys(some + chance.sample(sorted(documents), size))
            corpus = set(list(chosen)[:size])
            yield corpus, [placed for question in half if (placed := _placed(question, corpus, chance))]


def _placed(question: Question, corpus: set[str], chance: random.Random) -> Question | None:
    """The question as one to a small corpus; None where the answer is not sure, or there are enough like it."""
    if question.group in {*WORDINGS, "heading"}:
        if question.gold & corpus:
            return replace(question, group="drawn" if question.group in WORDINGS else "drawn heading")
        if question.group in WORDINGS and not question.related & corpus and chance.random() < 0.4:
            return replace(question, group="not drawn", answerable=False)
    if not question.answerable and chance.random() < 0.1:
        return replace(question, group="declined, drawn")
    return None


def read_index(path: Path) -> list[Stored]:
    """Every document of an index's file with its passages and vectors."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        connection.row_factory = sqlite3.Row
        found: dict[Document, list[tuple[Passage, Vector]]] = {}
        for row in connection.execute("SELECT r.*, v.vector FROM records r JOIN vectors v ON v.passage = r.number"):
            passages = found.setdefault(read_document(row), [])
            passages.append((read_passage(row), np.frombuffer(row["vector"], "<f4")))
    return list(found.items())


async def small_index(path: Path, documents: Sequence[Stored], embedder: Embedder) -> SqliteIndex:
    """An index in this new file of these documents alone, with their vectors."""
    index = await SqliteIndex.open(path, embedder=(embedder.name, embedder.dimensions))
    for document, passages in documents:
        await index.replace(document, [passage for passage, _ in passages])
    embedded = [(passage.id, vector) for _, passages in documents for passage, vector in passages]
    await index.add_vectors([id_ for id_, _ in embedded], np.stack([vector for _, vector in embedded]))
    return index
