"""The real data that is measured on: documents, questions with their right documents, and the index of each set."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console

from adapters.app import build
from adapters.documents import fill_in, take_in
from adapters.settings import Settings
from retrieval.context import context_sentence
from retrieval.document import PUBLIC, Document, Passage
from scripts.grade_questions import Question, name_of, public

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from adapters.app import Application
    from retrieval.embed import Vector

CORPUS = "corpus"
"""The set of whole pages, taken in as a user would."""

ABSTRACTS = ("scifact", "pubmedqa")
"""Sets of abstracts, one passage each, as others measure them."""

PROGRESS = Console(stderr=True, highlight=False)


@dataclass(frozen=True, slots=True)
class Passages:
    """What every stack that is compared gets: the same texts, with the same vectors, one row each."""

    ids: Sequence[str]
    texts: Sequence[str]
    vectors: Vector


@dataclass(frozen=True, slots=True)
class Sets:
    """The sets under `data`, with an index each under `homes`, where it is kept: to embed them takes many minutes."""

    data: Path
    homes: Path

    async def opened(self, name: str) -> Application:
        """The product on the index of this set, which is made where it is not there yet, or brought up to date."""
        app = await self.app(name)
        if name == CORPUS:
            await take_in(app, [self.data / CORPUS / "docs"], collection=PUBLIC, prune=True)
        elif not (await app.index.status()).passages:
            for document, passage in self._abstracts(name):
                await app.index.replace(document, [passage])
        status = await app.index.status()
        if status.embedded < status.passages:
            PROGRESS.print(f"{name}: {status.passages - status.embedded} passages to embed, once; this takes minutes")
            (await fill_in(app)).end_if_stopped()
        return app

    async def app(self, name: str) -> Application:
        """The product without keys, on the index of this name."""
        return await build(keyless(self.homes / name))

    def asked(self, name: str) -> list[Question]:
        """The test questions of a set, each with the documents that are right; none are where it has no answer."""
        if name == CORPUS:
            return public(self.data)
        right: dict[str, set[str]] = {}
        for line in (self.data / name / "qrels" / "test.tsv").read_text(encoding="utf-8").splitlines()[1:]:
            question, document, score = line.split("\t")
            if int(score) > 0:
                right.setdefault(question, set()).add(document)
        texts = {row["_id"]: row["text"] for row in rows(self.data / name / "queries.jsonl")}
        return [Question(name, id_, texts[id_], True, frozenset(found)) for id_, found in right.items()]

    async def stored(self, name: str) -> Passages:
        """Every passage of a set's index with its vector, by the document's id."""
        await (await self.opened(name)).close()
        with closing(sqlite3.connect(f"file:{self.homes / name / 'index.db'}?mode=ro", uri=True)) as connection:
            found = connection.execute(
                "SELECT d.id, p.context, p.text, v.vector FROM passages p JOIN documents d ON d.number = p.document "
                "JOIN vectors v ON v.passage = p.number ORDER BY p.number"
            ).fetchall()
        texts = [f"{context}\n{text}" if context else text for _, context, text, _ in found]
        return Passages([row[0] for row in found], texts, np.stack([np.frombuffer(row[3], "<f4") for row in found]))

    def _abstracts(self, name: str) -> Iterator[tuple[Document, Passage]]:
        """Each abstract as one document of one passage; what is searched is its title and itself."""
        for row in rows(self.data / name / "corpus.jsonl"):
            title, text = row.get("title") or "", row["text"]
            context, headings = (context_sentence(title, ()), (title,)) if title else ("", ())
            document = Document(row["_id"], title, f"/{name}/{row['_id']}", PUBLIC, "1")
            yield document, Passage(f"{document.id}:0", document.id, 0, text, context, headings, (0, len(text)))


def keyless(home: Path) -> Settings:
    """The settings of the product as it comes, with no key, on the index of this home; the environment is not read."""
    return Settings.model_construct(home=home)


def judged_id(name: str, document: Document) -> str:
    """The id by which a set's judgements name a document."""
    return name_of(document) if name == CORPUS else document.id


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSON-lines file."""
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)
