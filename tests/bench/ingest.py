"""How long documents take to be found: by words, and then by meaning."""

from __future__ import annotations

import asyncio
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from adapters.app import build
from adapters.documents import take_in
from retrieval.document import PUBLIC
from retrieval.local import MINILM, MINILM_DIMENSIONS, LocalEmbedder, installed_folder
from retrieval.onnx_encoder import OnnxEncoder
from retrieval.vectors import fill
from scripts.public_sets import rows
from tests.bench.report import Goal, Table, goals
from tests.bench.sets import CORPUS, PROGRESS, keyless

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.embed import Vector
    from tests.bench.sets import Sets

SAMPLE = 1000
"""Passages that are embedded; they lie scattered over all documents."""


class Clocked:
    """The product's encoder, with the seconds spent in it: a text's way to tokens, and the model."""

    def __init__(self) -> None:
        folder = installed_folder()
        self._encoder = OnnxEncoder(folder / "onnx" / "model.onnx", folder / "tokenizer.json")
        self.seconds = 0.0

    def run(self, texts: Sequence[str]) -> Vector:
        """As the encoder does."""
        began = time.perf_counter()
        vectors = self._encoder.run(texts)
        self.seconds += time.perf_counter() - began
        return vectors


async def measured(sets: Sets, sample: int = SAMPLE) -> list[Table]:
    """The table and the goals."""
    sections = sum(1 for _ in rows(sets.data / CORPUS / "sections.jsonl"))
    with tempfile.TemporaryDirectory() as home:
        app = await build(keyless(Path(home)))
        PROGRESS.print(f"taking in {sections:,} sections")
        began, used = time.perf_counter(), time.process_time()
        await take_in(app, [sets.data / CORPUS / "docs"], collection=PUBLIC, prune=False)
        by_words, used = time.perf_counter() - began, time.process_time() - used
        status = await app.index.status()
        PROGRESS.print(f"embedding {sample:,} of {status.passages:,} passages")
        clocked, stop = Clocked(), asyncio.Event()
        embedder = LocalEmbedder(MINILM, MINILM_DIMENSIONS, lambda: clocked)

        def enough(done: int, _: int) -> None:
            if done >= sample:
                stop.set()

        began = time.perf_counter()
        filled = await fill(app.index, embedder, on_progress=enough, stop=stop)
        spent = time.perf_counter() - began
        await app.close()
    share, rate = clocked.seconds / spent, filled / spent
    table = Table(
        f"{status.documents:,} documents, {sections:,} sections, {status.passages:,} passages",
        ("step", "figure"),
        [
            ("all searchable by words after, s", f"{by_words:.1f}"),
            ("processor time of that, s", f"{used:.1f}"),
            ("passages embedded and stored a second", f"{rate:.1f}"),
            ("share of that time inside the model and its tokenizer", f"{share:.1%}"),
            ("all searchable by meaning after, at that speed, min", f"{(by_words + status.passages / rate) / 60:.1f}"),
        ],
    )
    reached = [
        Goal("5,000 sections searchable by words in under 60 s", f"{by_words:.1f} s", by_words < 60),
        Goal("over 90 % of the time for vectors inside the model", f"{share:.1%}", share > 0.9),
    ]
    return [table, goals(reached)]
