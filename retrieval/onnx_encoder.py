"""A transformer as an encoder: texts in, unit vectors out. Blocking; `retrieval.local` threads it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from retrieval.onnx_model import OnnxModel

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from retrieval.embed import Vector

MAX_TOKENS = 256
"""Where a text is cut off; what lies behind is not in its vector. MiniLM was trained on no more."""


class OnnxEncoder:
    """A loaded model. Token vectors are averaged over the text's own tokens, then scaled to length 1.

    Loading raises what `OnnxModel` raises. `run` may be called from several threads at once.
    """

    def __init__(self, model: Path, tokenizer: Path) -> None:
        self._model = OnnxModel(model, tokenizer, max_tokens=MAX_TOKENS)

    def run(self, texts: Sequence[str]) -> Vector:
        """One row of length 1 a text, float32, in order. `texts` is one batch, padded to its longest."""
        output, mask = self._model.run(texts)
        return _unit(output if output.ndim == 2 else token_mean(output, mask))


def token_mean(tokens: NDArray[np.floating[Any]], mask: NDArray[np.int64]) -> NDArray[np.floating[Any]]:
    """The mean of each text's own token vectors, a row a text."""
    weights = mask[:, :, None].astype(np.float32)
    mean: NDArray[np.floating[Any]] = (tokens * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1.0)
    return mean


def _unit(rows: NDArray[np.floating[Any]]) -> Vector:
    norms = np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.float32(1e-12))
    unit: Vector = (rows / norms).astype(np.float32, copy=False)
    return unit
