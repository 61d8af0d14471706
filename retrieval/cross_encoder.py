"""The hits put in order by a cross-encoder on this machine: an ONNX model out of a folder that the operator names."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import numpy as np

from retrieval.model_files import ModelFiles
from retrieval.onnx_model import OnnxModel
from retrieval.packing import alike
from retrieval.scope import EVERYTHING, Scope

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from retrieval.evidence import Hit
    from retrieval.onnx_model import Pair

MAX_TOKENS = 512
"""Where a pair is cut off, always in the passage. The models in use read no more."""

QUESTION_TOKENS = 192
"""What is read of a question: less than half of a pair, so that the longer text, which is cut, is the passage."""

BATCH = 8
"""Pairs run through the model at once. Between two batches a search that no longer waits can end."""


class CrossEncoder:
    """Reads the question beside each passage. Scores are log-odds or logits, as the model gives them.

    A model with one logit a pair gives that, one with two the second less the first. Calls may overlap. Make one with
    `load`.
    """

    def __init__(self, name: str, model: OnnxModel) -> None:
        self._name = name
        self._model = model

    @classmethod
    async def load(cls, folder: Path) -> CrossEncoder:
        """The model of a folder with a `tokenizer.json` and one `model.onnx`, at any depth; tried on one pair.

        It is named after the folder and a hash of its files. RetrievalError where something is missing
        or the model is no cross-encoder.
        """

        def read() -> CrossEncoder:
            files = ModelFiles.within(folder)
            with files.used_as("cross-encoder"):
                model = OnnxModel(files.model, files.tokenizer, max_tokens=MAX_TOKENS)
                _judged(model, [("question", "passage")])
            return cls(f"{folder.resolve().name}-{files.fingerprint()}", model)

        return await asyncio.to_thread(read)

    @property
    def name(self) -> str:
        """The folder's name and a hash, as traces give it."""
        return self._name

    async def scores(self, question: str, hits: Sequence[Hit], scope: Scope = EVERYTHING) -> Sequence[float]:
        """One score a hit, of its context sentence and text; comparable within one model."""
        del scope
        asked = await asyncio.to_thread(self._model.head, question, QUESTION_TOKENS)
        texts = [hit.passage.search_text for hit in hits]
        scores = np.zeros(len(texts))
        for batch in alike(texts, items=BATCH):
            scores[batch] = await asyncio.to_thread(_judged, self._model, [(asked, texts[at]) for at in batch])
        return [float(score) for score in scores]


def _judged(model: OnnxModel, pairs: Sequence[Pair]) -> NDArray[np.floating[Any]]:
    """One number a pair. ValueError if the model gives anything but one or two of them."""
    output, _ = model.run(pairs)
    if output.shape not in {(len(pairs),), (len(pairs), 1), (len(pairs), 2)}:
        msg = f"its output for one pair has the shape {output.shape[1:]}, and a cross-encoder gives one or two numbers"
        raise ValueError(msg)
    logits = output.reshape(len(pairs), -1)
    return logits[:, 0] if logits.shape[1] == 1 else logits[:, 1] - logits[:, 0]
