"""Times a search in the SQLite index: `python -m tests.bench.search_speed [--passages 27000] [--index FILE]`.

Passages are stretches of real abstracts (scifact, pubmedqa) with random unit vectors, questions those of scifact.
CPU time counts the whole process, so it holds on a busy machine; wall time does not.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import re
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Console

from retrieval.document import Document, Passage
from retrieval.sqlite_index import SqliteIndex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retrieval.embed import Vector

CONSOLE = Console(width=140, highlight=False)
DIMENSIONS = 384
PASSAGES_A_DOCUMENT = 20
SENTENCES_A_PASSAGE = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, default=27_000)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--index", type=Path, help="keep the index in this file and use it again")
    parser.add_argument(
        "--shared", type=Path, default=os.environ.get("SHARED_DATA", Path(__file__).resolve().parents[3] / "shared")
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = options.index or Path(folder) / "index.db"
        asyncio.run(measure(path, Path(options.shared) / "data", options.passages, options.questions))


async def measure(path: Path, data: Path, passages: int, questions: int) -> None:
    draw = np.random.default_rng(0)
    index = await SqliteIndex.open(path, embedder=("random", DIMENSIONS))
    if (await index.status()).embedded < passages:
        await fill(index, data, passages, draw)
    asked = [json.loads(line)["text"] for line in (data / "scifact" / "queries.jsonl").open()][:questions]
    vectors = unit(draw, len(asked))
    began = time.perf_counter()
    await index.search(asked[0], vectors[0], k=10)
    CONSOLE.print(f"first search, loading the vectors: {1000 * (time.perf_counter() - began):.0f} ms")
    for label, words, meaning, collections in (
        ("words and vector", True, True, None),
        ("words", True, False, None),
        ("vector", False, True, None),
        ("words and vector, one collection of two", True, True, {"even"}),
        ("words and vector, both collections named", True, True, {"even", "odd"}),
    ):
        wall, cpu = [], []
        for question, vector in zip(asked, vectors, strict=True):
            began, cpu_began = time.perf_counter(), time.process_time()
            await index.search(question if words else "", vector if meaning else None, k=10, collections=collections)
            wall.append(1000 * (time.perf_counter() - began))
            cpu.append(1000 * (time.process_time() - cpu_began))
        CONSOLE.print(f"{label:42} wall {spread(wall)}   cpu {spread(cpu)}")
    await index.close()


async def fill(index: SqliteIndex, data: Path, passages: int, draw: np.random.Generator) -> None:
    began = time.perf_counter()
    texts = list(itertools.islice(stretches(data), passages))
    for start in range(0, len(texts), PASSAGES_A_DOCUMENT):
        some = texts[start : start + PASSAGES_A_DOCUMENT]
        number = start // PASSAGES_A_DOCUMENT
        document = Document(f"d{number}", some[0][0], f"/d{number}", ("even", "odd")[number % 2], str(number))
        await index.replace(document, [passage(document, at, *one) for at, one in enumerate(some)])
    CONSOLE.print(f"{len(texts)} passages in: {time.perf_counter() - began:.1f} s")
    began = time.perf_counter()
    while waiting := await index.unembedded(256):
        await index.add_vectors([one.id for one in waiting], unit(draw, len(waiting)))
    CONSOLE.print(f"vectors in: {time.perf_counter() - began:.1f} s")


def passage(document: Document, ordinal: int, title: str, text: str) -> Passage:
    return Passage(f"{document.id}:{ordinal}", document.id, ordinal, text, f"{title}.", (title,), (0, len(text)))


def stretches(data: Path) -> Iterator[tuple[str, str]]:
    """Titles with five sentences in a row, at every offset in turn, until there are enough."""
    abstracts = [json.loads(line) for name in ("scifact", "pubmedqa") for line in (data / name / "corpus.jsonl").open()]
    for offset in itertools.count():
        for abstract in abstracts:
            sentences = re.split(r"(?<=[.?!])\s+", abstract["text"])
            for start in range(offset % SENTENCES_A_PASSAGE, len(sentences), SENTENCES_A_PASSAGE):
                yield abstract["title"], " ".join(sentences[start : start + SENTENCES_A_PASSAGE])


def unit(draw: np.random.Generator, rows: int) -> Vector:
    drawn = draw.standard_normal((rows, DIMENSIONS), dtype=np.float32)
    return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True), np.float32)


def spread(milliseconds: list[float]) -> str:
    p50, p95 = np.percentile(milliseconds, [50, 95])
    return f"p50 {p50:5.1f} ms, p95 {p95:5.1f} ms"


if __name__ == "__main__":
    main()
