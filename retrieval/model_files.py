"""The files of a model that an operator put into a folder: which they are, what they are called, what is wrong."""

from __future__ import annotations

import hashlib
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval.errors import RetrievalError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """An ONNX graph, with its weights in it or beside it, and its tokenizer."""

    model: Path
    tokenizer: Path

    @classmethod
    def within(cls, folder: Path) -> ModelFiles:
        """The one `model.onnx` and the one `tokenizer.json`, at any depth. RetrievalError for none or several."""
        return cls(_only(folder, "model.onnx"), _only(folder, "tokenizer.json"))

    def fingerprint(self, *also: str) -> str:
        """Eight hex digits of the graph, the weights that may lie beside it, the tokenizer, and what else counts."""
        hashes = [sha256(path) for path in [*sorted(self.model.parent.glob("model.onnx*")), self.tokenizer]]
        return hashlib.sha256("\n".join([*hashes, *also]).encode()).hexdigest()[:8]

    @contextmanager
    def used_as(self, what: str) -> Iterator[None]:
        """Whatever loading or trying them raises, as a RetrievalError that says what they are not."""
        try:
            yield
        except Exception as error:
            msg = (
                f"Not a usable ONNX {what} with its tokenizer: {self.model}, {self.tokenizer} "
                f"({type(error).__name__}: {error}). Name another folder."
            )
            raise RetrievalError(msg) from error


def sha256(path: Path) -> str:
    """The file's hash in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _only(folder: Path, name: str) -> Path:
    found = sorted(folder.rglob(name))
    if len(found) == 1:
        return found[0]
    had = f"has {len(found)} of them" if found else "has none"
    msg = f"A model's folder holds exactly one {name}, at any depth; {folder} {had}. Name another folder."
    raise RetrievalError(msg)
