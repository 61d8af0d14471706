"""One transformer encoder run by onnxruntime: texts in, unit vectors out. Blocking; `retrieval.local` threads it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from retrieval.embed import Vector

MAX_TOKENS = 256
"""Where a text is cut off; what lies behind is not in its vector. MiniLM was trained on no more."""


class OnnxEncoder:
    """A loaded model. Token vectors are averaged over the text's own tokens, then scaled to length 1.

    `threads` None leaves the number to onnxruntime, which takes the physical cores. `run` may be called from several
    threads at once. Loading raises whatever onnxruntime or tokenizers raise for files that are not what they should be.
    """

    def __init__(self, model: Path, tokenizer: Path, *, threads: int | None = None) -> None:
        from onnxruntime import InferenceSession, SessionOptions
        from tokenizers import Tokenizer

        options = SessionOptions()
        options.intra_op_num_threads = threads or 0
        options.inter_op_num_threads = 1
        # Batches differ in shape: an arena would keep the largest of each for ever, and spinning burns an idle core.
        options.enable_cpu_mem_arena = False
        options.enable_mem_pattern = False
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session = InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        self._inputs = {node.name for node in self._session.get_inputs()}
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        padding = self._tokenizer.padding or {}
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._tokenizer.enable_padding(pad_id=padding.get("pad_id", 0), pad_token=padding.get("pad_token", "[PAD]"))

    def run(self, texts: Sequence[str]) -> Vector:
        """One row of length 1 a text, float32, in order. `texts` is one batch, padded to its longest."""
        encodings = self._tokenizer.encode_batch(list(texts))
        mask = np.array([encoding.attention_mask for encoding in encodings], np.int64)
        offered = {
            "input_ids": np.array([encoding.ids for encoding in encodings], np.int64),
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(mask),
        }
        output: Any = self._session.run(None, {name: offered[name] for name in offered.keys() & self._inputs})[0]
        return _unit(output if output.ndim == 2 else _mean(output, mask))


def _mean(tokens: NDArray[np.float32], mask: NDArray[np.int64]) -> NDArray[np.float32]:
    weights = mask[:, :, None].astype(np.float32)
    mean: NDArray[np.float32] = (tokens * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1.0)
    return mean


def _unit(rows: NDArray[np.float32]) -> Vector:
    norms = np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.float32(1e-12))
    unit: Vector = (rows / norms).astype(np.float32, copy=False)
    return unit
