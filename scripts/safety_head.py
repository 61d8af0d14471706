"""The head over sentence vectors that `scripts/fit_safety.py` fits for `bot/safety_meaning.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from retrieval.local import MINILM_DIMENSIONS, installed_folder
from retrieval.onnx_encoder import OnnxEncoder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

SHARE = 0.6
"""How much the head counts beside the classifier: from 0.3 to 1.5 in steps, the best on what was held out."""
RIDGE = 1e-5
STEPS = 25
DIGITS = 4
"""Of each weight: what lies behind differs from run to run."""


def vectors(texts: Sequence[str], chosen: NDArray[np.bool_]) -> NDArray[np.float32]:
    """The vector of each chosen text, nought for the others; always in the same batches."""
    folder = installed_folder()
    encoder = OnnxEncoder(folder / "onnx" / "model.onnx", folder / "tokenizer.json")
    found = np.zeros((len(texts), MINILM_DIMENSIONS), np.float32)
    order = sorted(np.flatnonzero(chosen).tolist(), key=lambda number: (len(texts[number]), number))
    for at in range(0, len(order), 8):
        batch = order[at : at + 8]
        found[batch] = encoder.run([texts[number] for number in batch])
    return np.round(found, 5)


def fit_head(
    x: NDArray[np.float32], y: NDArray[np.bool_], weight: NDArray[np.float64]
) -> tuple[NDArray[np.float32], float]:
    """Logistic regression with a ridge, by Newton's method: the weights and the bias."""
    weight = weight / weight.sum()
    rows = np.hstack([x.astype(np.float64), np.ones((len(x), 1))])
    ridge = np.append(np.full(x.shape[1], RIDGE), 1e-9)
    solution = np.zeros(rows.shape[1])
    for _ in range(STEPS):
        p = 1 / (1 + np.exp(-np.clip(rows @ solution, -30, 30)))
        gradient = rows.T @ (weight * (p - y)) + ridge * solution
        curvature = (rows * (weight * p * (1 - p))[:, None]).T @ rows + np.diag(ridge)
        solution -= np.linalg.solve(curvature, gradient)
    return np.round(solution[:-1], DIGITS).astype(np.float32), round(float(solution[-1]), DIGITS)
