"""English words sorted into classes of like meaning, for the classifier of the safety gate.

The local embedding model says which words are alike, once, when the classifier is fitted; only the classes ship.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from bot.safety_features import WordClasses
from retrieval.local import installed_folder
from retrieval.onnx_encoder import OnnxEncoder

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

CLASSES = 400
DIMENSIONS = 100
ROUNDS = 12
BATCH = 32


def word_classes(own: Collection[str], frequent: Collection[str]) -> WordClasses:
    """Classes for the model's own vocabulary and for `own` words; each `frequent` one is a class of its own."""
    folder = installed_folder()
    vocabulary = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    wanted = sorted({word for word in (*vocabulary, *own, *frequent) if _plain(word)})
    hashes = np.array([crc32(word.encode()) for word in wanted], np.uint32)
    hashes, first = np.unique(hashes, return_index=True)
    encoder = OnnxEncoder(folder / "onnx" / "model.onnx", folder / "tokenizer.json")
    words = [wanted[number] for number in first]
    vectors = np.concatenate([encoder.run(words[at : at + BATCH]) for at in range(0, len(words), BATCH)])
    classes = _nearest_centres(_reduced(vectors))
    alone = np.flatnonzero(np.isin(words, sorted(frequent)))
    classes[alone] = CLASSES + np.arange(len(alone))
    return WordClasses(hashes, classes.astype(np.uint16))


def _plain(word: str) -> bool:
    return word.isascii() and word.isalpha() and word.islower()


def _reduced(vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    centred = vectors.astype(np.float64) - vectors.mean(0)
    _, directions = np.linalg.eigh(centred.T @ centred)
    return _unit(centred @ directions[:, -DIMENSIONS:])


def _unit(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    lengths: NDArray[np.float64] = np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    return np.divide(rows, lengths)


def _nearest_centres(rows: NDArray[np.float64]) -> NDArray[np.int64]:
    """K-means on the sphere."""
    centres = rows[np.random.default_rng(0).choice(len(rows), CLASSES, replace=False)]
    nearest = np.zeros(len(rows), np.int64)
    for _ in range(ROUNDS):
        nearest = np.concatenate([(rows[at : at + 2000] @ centres.T).argmax(1) for at in range(0, len(rows), 2000)])
        sums = np.zeros_like(centres)
        np.add.at(sums, nearest, rows)
        centres = _unit(sums)
    return nearest
