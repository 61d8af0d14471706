"""The tensors of the bundled model, all-MiniLM-L6-v2, read where they lie in its weights file.

The layout is that of the one file whose sha256 `retrieval.local` checks: all tensors in this order, without gaps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

LAYERS = 6
WIDTH, INNER, HEADS = 384, 1536, 12
WEIGHTS_FILE = "onnx/model.onnx_data"

WORDS, KINDS, POSITIONS = (f".model.embeddings.{kind}_embeddings.weight" for kind in ("word", "token_type", "position"))
FIRST_NORM = "model.layers.-1.embeddings_norm_layernorm"

Shape = tuple[int, ...]

_EMBEDDINGS: dict[str, Shape] = {
    WORDS: (30_522, WIDTH),
    KINDS: (2, WIDTH),
    POSITIONS: (512, WIDTH),
    f"{FIRST_NORM}.weight": (WIDTH,),
    f"{FIRST_NORM}.bias": (WIDTH,),
}
_LAYER: dict[str, Shape] = {
    **{f"attn.{part}_proj.MatMul.weight": (WIDTH, WIDTH) for part in "qkv"},
    **{f"attn.{part}_proj.Add.bias": (WIDTH,) for part in "qkv"},
    "attn.o_proj.MatMul.weight": (WIDTH, WIDTH),
    "attn.o_proj.Add.bias": (WIDTH,),
    "attention_output_norm_layernorm.weight": (WIDTH,),
    "attention_output_norm_layernorm.bias": (WIDTH,),
    "mlp.fc1.MatMul.weight": (WIDTH, INNER),
    "mlp.fc1.Add.bias": (INNER,),
    "mlp.fc2.MatMul.weight": (INNER, WIDTH),
    "mlp.fc2.Add.bias": (WIDTH,),
    "mlp_output_norm_layernorm.weight": (WIDTH,),
    "mlp_output_norm_layernorm.bias": (WIDTH,),
}
LAYER_TENSORS: dict[str, Shape] = {
    f"model.layers.{number}.{name}": shape for number in range(LAYERS) for name, shape in _LAYER.items()
}
"""The name and shape of each tensor of the six layers, in the file's order."""


def tensors(folder: Path) -> dict[str, NDArray[np.float32]]:
    """Every tensor of the model in this folder by its name in the graph, mapped and not read.

    OSError where the file is missing, ValueError where it is shorter than it should be.
    """
    data = np.memmap(folder / WEIGHTS_FILE, np.float32, "r")
    found: dict[str, NDArray[np.float32]] = {}
    place = 0
    for name, shape in (_EMBEDDINGS | LAYER_TENSORS).items():
        size = int(np.prod(shape))
        found[name] = data[place : place + size].reshape(shape)
        place += size
    return found
