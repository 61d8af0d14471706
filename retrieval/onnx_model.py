"""A transformer run by onnxruntime, with its tokenizer: texts or pairs of texts in, its first output out. Blocking."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

Pair: TypeAlias = tuple[str, str]

_OFFERED = {"input_ids", "attention_mask", "token_type_ids"}


class OnnxModel:
    """A loaded model. `run` may be called from several threads at once.

    What is longer than `max_tokens` is cut off, in a pair from the longer text. `replaced` holds tensors, by their
    names in the graph, that stand in place of the model's own. It runs on so many `threads`; 0 are all physical
    cores. Loading raises ValueError for a model with other inputs than a text has, and whatever
    onnxruntime or tokenizers raise for files that are not what they should be.
    """

    def __init__(
        self,
        model: Path,
        tokenizer: Path,
        *,
        max_tokens: int,
        threads: int = 0,
        replaced: Mapping[str, NDArray[np.float32]] | None = None,
    ) -> None:
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # its import alone would write a device id and report to Microsoft
        from onnxruntime import InferenceSession, OrtValue, SessionOptions
        from tokenizers import Tokenizer

        options = SessionOptions()
        options.inter_op_num_threads = 1
        options.intra_op_num_threads = threads
        # Batches differ in shape: an arena would keep the largest of each for ever, and spinning burns an idle core.
        options.enable_cpu_mem_arena = False
        options.enable_mem_pattern = False
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        # The session reads these where they lie, for as long as it lives; packed, it would hold a second copy of each.
        self._replaced = {name: OrtValue.ortvalue_from_numpy(tensor) for name, tensor in (replaced or {}).items()}
        if self._replaced:
            options.add_session_config_entry("session.disable_prepacking", "1")
        for name, tensor in self._replaced.items():
            options.add_initializer(name, tensor)
        self._session = InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        self._inputs = {node.name for node in self._session.get_inputs()}
        if "input_ids" not in self._inputs or not self._inputs <= _OFFERED:
            msg = f"its inputs are {sorted(self._inputs)}, and only {sorted(_OFFERED)} can be given"
            raise ValueError(msg)
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        padding = self._tokenizer.padding or {}
        self._tokenizer.enable_truncation(max_tokens)
        self._tokenizer.enable_padding(pad_id=padding.get("pad_id", 0), pad_token=padding.get("pad_token", "[PAD]"))

    def run(self, batch: Sequence[str] | Sequence[Pair]) -> tuple[NDArray[np.floating[Any]], NDArray[np.int64]]:
        """The model's first output, a row a text or pair, in order; and which tokens of each are its own, as 1 or 0.

        A batch is padded to its longest.
        """
        encodings = self._tokenizer.encode_batch(list(batch))
        mask = np.array([encoding.attention_mask for encoding in encodings], np.int64)
        offered = {
            "input_ids": np.array([encoding.ids for encoding in encodings], np.int64),
            "attention_mask": mask,
            "token_type_ids": np.array([encoding.type_ids for encoding in encodings], np.int64),
        }
        return self._session.run(None, {name: offered[name] for name in self._inputs})[0], mask

    def head(self, text: str, tokens: int) -> str:
        """The beginning of a text, so many tokens long."""
        ends = [end for _, end in self._tokenizer.encode(text, add_special_tokens=False).offsets]
        return text if len(ends) <= tokens else text[: ends[tokens - 1]]
