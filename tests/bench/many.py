"""As many passages as are wanted, of real text, with vectors that lie as real ones do and cost nothing to make.

First come all passages of the three sets with their own vectors, 19,163 of them. After those come stretches of the same
texts, of three sentences in a row and more, each with its passage's vector turned a little by chance. What a search
costs depends on how many passages there are, on their words and on how the vectors lie, not on whether a vector fits.
"""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

import numpy as np

from retrieval.document import PUBLIC, Document, Passage
from retrieval.local import MINILM_DIMENSIONS
from scripts.public_sets import ABSTRACTS
from tests.bench.sets import CORPUS, PROGRESS, Passages

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from adapters.app import Application
    from retrieval.embed import Vector
    from tests.bench.sets import Sets

TURNED = 0.5
"""The length of what is added by chance to a vector of length 1: its cosine with the old one is then about .9."""

COLLECTIONS = (PUBLIC, "other")
"""Every second document is in the second one, so that a search of one of two can be timed."""

SCIFACTS = "s"
"""What the ids of SciFact's abstracts begin with where they stand among PubMedQA's, which would be there twice."""

A_DOCUMENT = 20
BATCH = 4096
QUESTIONS_A_SET = 40


async def many(sets: Sets, count: int) -> Passages:
    """So many passages, always the same, numbered from 0."""
    texts: list[str] = []
    vectors: Vector = np.zeros((0, MINILM_DIMENSIONS), np.float32)
    for name in (CORPUS, *ABSTRACTS):
        found = await sets.stored(name)
        own = [row for row, id_ in enumerate(found.ids) if not (name == "pubmedqa" and id_.startswith(SCIFACTS))]
        texts += [found.texts[row] for row in own]
        vectors = np.concatenate([vectors, found.vectors[own]])
    extra = list(itertools.islice(stretches(texts), max(0, count - len(texts))))
    sources = np.array([source for source, _ in extra], int)
    turned = _turned(vectors[sources], np.random.default_rng(0))
    texts = [*texts, *(text for _, text in extra)][:count]
    return Passages([str(number) for number in range(count)], texts, np.concatenate([vectors, turned])[:count])


def stretches(texts: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Three sentences in a row of each text, at every offset, then four, up to ten; each with its text's place.

    None is given twice, and none that is itself one of the texts.
    """
    sentences = [re.split(r"(?<=[.?!])\s+", text) for text in texts]
    seen = set(texts)
    for size in range(3, 11):
        for offset, (source, some) in itertools.product(range(size), enumerate(sentences)):
            for start in range(offset, len(some), size):
                stretch = " ".join(some[start : start + size])
                if stretch not in seen:
                    seen.add(stretch)
                    yield source, stretch


async def filled(sets: Sets, count: int) -> Application:
    """The product on an index of so many passages, made where it is not there yet."""
    app = await sets.app(f"passages-{count}")
    if (await app.index.status()).embedded < count:
        PROGRESS.print(f"making an index of {count:,} passages, once; this takes a minute or two")
        made = await many(sets, count)
        for start in range(0, count, A_DOCUMENT):
            document = Document(f"d{start}", "", f"/d{start}", COLLECTIONS[start // A_DOCUMENT % 2], str(start))
            numbers = range(start, min(start + A_DOCUMENT, count))
            await app.index.replace(document, [_passage(document, made, number) for number in numbers])
        for start in range(0, count, BATCH):
            await app.index.add_vectors(made.ids[start : start + BATCH], made.vectors[start : start + BATCH])
    return app


def mixed_questions(sets: Sets) -> list[str]:
    """Claims, titles and people's messages in turn, always the same."""
    groups = [
        [one.text for one in sets.asked(name) if one.group in {*ABSTRACTS, "text"}] for name in (*ABSTRACTS, CORPUS)
    ]
    some = [group[:: max(1, len(group) // QUESTIONS_A_SET)][:QUESTIONS_A_SET] for group in groups]
    return [question for turn in zip(*some, strict=False) for question in turn]


def _passage(document: Document, made: Passages, number: int) -> Passage:
    text = made.texts[number]
    return Passage(made.ids[number], document.id, number % A_DOCUMENT, text, "", (), (0, len(text)))


def _turned(vectors: Vector, draw: np.random.Generator) -> Vector:
    noise = draw.standard_normal(vectors.shape, dtype=np.float32)
    moved = vectors + np.float32(TURNED) * noise / np.linalg.norm(noise, axis=1, keepdims=True)
    return np.asarray(moved / np.linalg.norm(moved, axis=1, keepdims=True), np.float32)
