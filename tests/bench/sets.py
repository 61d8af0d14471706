"""The real data that is measured on: documents, questions with their right documents, and the index of each set."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Console

from adapters.app import build
from adapters.documents import fill_in, take_in
from adapters.settings import Settings
from retrieval.document import PUBLIC
from scripts.public_sets import abstracts, name_of, of_abstracts, public

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from adapters.app import Application
    from retrieval.document import Document
    from retrieval.embed import Vector
    from scripts.public_sets import Question

CORPUS = "corpus"
"""The set of whole pages, taken in as a user would."""

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
            for document, passage in abstracts(self.data, name):
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
        return public(self.data) if name == CORPUS else of_abstracts(self.data, name)

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


def keyless(home: Path) -> Settings:
    """The settings of the product as it comes, with no key, on the index of this home; the environment is not read."""
    return Settings.model_construct(home=home)


def judged_id(name: str, document: Document) -> str:
    """The id by which a set's judgements name a document."""
    return name_of(document) if name == CORPUS else document.id
