"""A reranker that needs no model server: a small ensemble of decision trees over what the search itself knows.

`scripts/fit_rerank.py` fits the trees, which stand in `data/rerank.json`; `docs/rerank-card.md` says on what, and what
they are worth.
"""

from __future__ import annotations

import asyncio
import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from retrieval.rerank_features import features, wanted_terms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retrieval.evidence import Hit
    from retrieval.index import Index

FITTED = Path(__file__).with_name("data") / "rerank.json"


class Split(NamedTuple):
    """A question to one feature, by its place in the model's names: `below` is what follows at or under `at`."""

    feature: int
    at: float
    below: Tree
    above: Tree


Tree: TypeAlias = "Split | float"


@dataclass(frozen=True, slots=True)
class Trees:
    """An ensemble: a hit's score is the sum of the leaves that it falls to, one a tree."""

    names: tuple[str, ...]
    trees: tuple[Tree, ...]

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Trees:
        """From `names` and nested `[feature, at, below, above]`, as `data/rerank.json` has them."""
        return cls(tuple(data["names"]), tuple(_tree(tree) for tree in data["trees"]))

    def score(self, features: Mapping[str, float]) -> float:
        """Higher is better; comparable within one list of hits only."""
        row = [features[name] for name in self.names]
        return math.fsum(_leaf(tree, row) for tree in self.trees)


class FittedReranker:
    """Scores hits by what the search knows of them, and by how common the index finds their words.

    `with_vectors` judges a list whose every hit has a cosine, `by_words` any other.
    """

    def __init__(self, index: Index, by_words: Trees, with_vectors: Trees) -> None:
        self._index = index
        self._by_words = by_words
        self._with_vectors = with_vectors

    @classmethod
    def fitted(cls, index: Index) -> FittedReranker:
        """With the trees that come with the product."""
        data = json.loads(FITTED.read_text(encoding="utf-8"))
        return cls(index, Trees.read(data["by_words"]), Trees.read(data["with_vectors"]))

    @property
    def name(self) -> str:
        """The backend, as traces name it."""
        return "fitted"

    async def scores(self, question: str, hits: Sequence[Hit]) -> Sequence[float]:
        """One score a hit, in order; higher is better. RetrievalError if the index fails."""
        total, frequencies = await self._index.document_frequencies(wanted_terms(question, hits))
        return await asyncio.to_thread(self._scores, question, hits, total, frequencies)

    def _scores(self, question: str, hits: Sequence[Hit], total: int, frequencies: Mapping[str, int]) -> list[float]:
        every = all(hit.cosine is not None for hit in hits)
        model = self._with_vectors if every else self._by_words
        return [model.score(row) for row in features(question, hits, total, frequencies)]


def _tree(data: list[Any] | float) -> Tree:
    if not isinstance(data, list):
        return float(data)
    feature, at, below, above = data
    return Split(int(feature), float(at), _tree(below), _tree(above))


def _leaf(tree: Tree, row: Sequence[float]) -> float:
    while not isinstance(tree, float):
        feature, at, below, above = tree
        tree = below if row[feature] <= at else above
    return tree
