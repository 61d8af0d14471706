"""What a user would pick instead, each set up as its own documentation does it, with the embedding model of Citewell.

Each is given texts with their vectors, and returns what answers a question with ids, best first. They embed the
question themselves, by the same code in the same process. None is installed with the product: `make bench` puts them
into an environment of their own, and one that is not there is left out and named.
"""

from __future__ import annotations

import os
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from retrieval.fusion import reciprocal_rank_fusion
from retrieval.local import installed_folder
from retrieval.onnx_encoder import OnnxEncoder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from retrieval.embed import Vector
    from tests.bench.sets import Passages

    Search: TypeAlias = Callable[[str], list[str]]
    Embed: TypeAlias = Callable[[str], Vector]

K = 10
"""Passages that a search returns."""

DEPTH = 50
"""Passages of each list that are fused by hand; Citewell fuses no fewer."""


def embed() -> Embed:
    """The model of the product for questions, called straight, so that a stack pays for nothing but the model."""
    folder = installed_folder()
    encoder = OnnxEncoder(folder / "onnx" / "model.onnx", folder / "tokenizer.json")
    return lambda text: encoder.run([text])[0]


def langchain(passages: Passages, embed: Embed, folder: Path) -> Search:
    """Chroma and rank_bm25 under an EnsembleRetriever of equal weights."""
    os.environ["ANONYMIZED_TELEMETRY"] = "False"
    from langchain_chroma import Chroma
    from langchain_classic.retrievers import EnsembleRetriever
    from langchain_community.retrievers import BM25Retriever
    from langchain_core.embeddings import Embeddings

    class Known(Embeddings):
        def __init__(self) -> None:
            self.rows: Vector = passages.vectors

        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            some, self.rows = self.rows[: len(texts)], self.rows[len(texts) :]
            return [[float(number) for number in row] for row in some]

        def embed_query(self, text: str) -> list[float]:
            return [float(number) for number in embed(text)]

    store = Chroma(embedding_function=Known(), persist_directory=str(folder))
    named = [{"id": id_} for id_ in passages.ids]
    for start in range(0, len(named), 4096):
        some = slice(start, start + 4096)
        store.add_texts(list(passages.texts[some]), metadatas=named[some], ids=list(passages.ids[some]))
    words = BM25Retriever.from_texts(passages.texts, metadatas=named, k=K)
    meaning = store.as_retriever(search_kwargs={"k": K})
    both = EnsembleRetriever(retrievers=[words, meaning], weights=[0.5, 0.5])
    return lambda question: [document.metadata["id"] for document in both.invoke(question)][:K]


def lancedb(passages: Passages, embed: Embed, folder: Path) -> Search:
    """A hybrid query, with the full-text index and the RRFReranker that come with it; vectors are searched exactly."""
    import lancedb

    data = [
        {"id": id_, "text": text, "vector": vector}
        for id_, text, vector in zip(passages.ids, passages.texts, passages.vectors, strict=True)
    ]
    table = lancedb.connect(folder).create_table("passages", data=data)
    table.create_fts_index("text")

    def search(question: str) -> list[str]:
        query = table.search(query_type="hybrid").vector(embed(question)).text(question)
        return [row["id"] for row in query.limit(K).to_list()]

    return search


def bm25s(passages: Passages, embed: Embed, folder: Path) -> Search:
    """Words alone."""
    ranked = _bm25s(passages.texts)
    return lambda question: [passages.ids[at] for at in ranked(question, K)]


def bm25s_and_numpy(passages: Passages, embed: Embed, folder: Path) -> Search:
    """Two lists put together by hand: bm25s, every cosine, and reciprocal rank fusion with its customary k of 60."""
    ranked, vectors = _bm25s(passages.texts), passages.vectors

    def search(question: str) -> list[str]:
        words = ranked(question, DEPTH)
        cosines = vectors @ embed(question)
        nearest = np.argpartition(-cosines, DEPTH)[:DEPTH]
        meaning = nearest[np.argsort(-cosines[nearest])]
        fused = reciprocal_rank_fusion([[str(at) for at in one] for one in (words, meaning)], k=60)
        return [passages.ids[int(one.id)] for one in fused[:K]]

    return search


def _bm25s(texts: Any) -> Callable[[str, int], list[int]]:
    import bm25s
    import Stemmer

    stemmer = Stemmer.Stemmer("english")

    def tokens(some: Any) -> Any:
        return bm25s.tokenize(some, stopwords="en", stemmer=stemmer, show_progress=False)

    retriever = bm25s.BM25()
    retriever.index(tokens(list(texts)), show_progress=False)

    def ranked(question: str, k: int) -> list[int]:
        found, _ = retriever.retrieve(tokens(question), k=k, show_progress=False)
        return [int(at) for at in found[0]]

    return ranked


class Stack(NamedTuple):
    """One that is compared: how it is named, the packages whose versions it stands for, and how it is made."""

    name: str
    packages: tuple[str, ...]
    make: Callable[[Passages, Embed, Path], Search]

    def versions(self) -> str | None:
        """As `lancedb 0.40.0`, or None where one of its packages is not installed."""
        try:
            return ", ".join(f"{package} {version(package)}" for package in self.packages)
        except PackageNotFoundError:
            return None


HYBRID = (
    Stack(
        "LangChain: Chroma and rank_bm25", ("langchain-classic", "langchain-chroma", "chromadb", "rank-bm25"), langchain
    ),
    Stack("LanceDB hybrid", ("lancedb",), lancedb),
)
"""What a user would pick who wants to search by words and by meaning, with the same embedder."""

STACKS = (
    *HYBRID,
    Stack("bm25s and numpy, by hand", ("bm25s", "numpy"), bm25s_and_numpy),
    Stack("bm25s, words alone", ("bm25s",), bm25s),
)
