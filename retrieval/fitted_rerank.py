"""A reranker that needs no model server: a small ensemble of decision trees over what the search itself knows.

`scripts/fit_rerank.py` fits the trees, which stand in `data/rerank.json`; `docs/rerank-card.md` says on what, and what
they are worth.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from retrieval.rerank_features import features, wanted_terms
from retrieval.scope import EVERYTHING, Scope

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from retrieval.evidence import Hit
    from retrieval.index import Index

FITTED = Path(__file__).with_name("data") / "rerank.json"


@dataclass(frozen=True, slots=True)
class Trees:
    """An ensemble: a row's score is the sum of the leaves that it falls to, one a tree.

    The nodes of all trees stand in one table: a row at a node goes on to `below` if its `feature` is at or under `at`,
    else to `above`. A leaf goes on to itself, so that after `depth` steps every row is at one, whose `value` counts.
    """

    names: tuple[str, ...]
    roots: NDArray[np.intp]
    feature: NDArray[np.intp]
    at: NDArray[np.float64]
    below: NDArray[np.intp]
    above: NDArray[np.intp]
    value: NDArray[np.float64]
    depth: int

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Trees:
        """From `names` and nested `[feature, at, below, above]`, as `data/rerank.json` has them."""
        table: list[tuple[int, float, int, int, float]] = []
        depths = [0]

        def put(tree: list[Any] | float, depth: int) -> int:
            number = len(table)
            if not isinstance(tree, list):
                table.append((0, 0.0, number, number, float(tree)))
                depths.append(depth)
                return number
            feature, at, below, above = tree
            table.append((0, 0.0, 0, 0, 0.0))  # its place, which its branches come behind
            table[number] = int(feature), float(at), put(below, depth + 1), put(above, depth + 1), 0.0
            return number

        roots = [put(tree, 0) for tree in data["trees"]]
        feature, at, below, above, value = (np.array(column) for column in zip(*table, strict=True))
        return cls(tuple(data["names"]), np.array(roots), feature, at, below, above, value, max(depths))

    def scores(self, rows: Sequence[Mapping[str, float]]) -> list[float]:
        """One a row, higher is better; comparable within one list of hits only."""
        given = np.array([[row[name] for name in self.names] for row in rows], np.float64).reshape(-1, len(self.names))
        at = np.tile(self.roots, (len(rows), 1))
        every = np.arange(len(rows))[:, None]
        for _ in range(self.depth):
            at = np.where(given[every, self.feature[at]] <= self.at[at], self.below[at], self.above[at])
        scores: list[float] = self.value[at].sum(axis=1).tolist()
        return scores


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

    async def scores(self, question: str, hits: Sequence[Hit], scope: Scope = EVERYTHING) -> Sequence[float]:
        """One score a hit, in order; higher is better. RetrievalError if the index fails."""
        total, frequencies = await self._index.document_frequencies(
            wanted_terms(question, hits), collections=scope.collections, today=scope.today
        )
        return await asyncio.to_thread(self._scores, question, hits, total, frequencies)

    def _scores(self, question: str, hits: Sequence[Hit], total: int, frequencies: Mapping[str, int]) -> list[float]:
        every = all(hit.cosine is not None for hit in hits)
        model = self._with_vectors if every else self._by_words
        return model.scores(features(question, hits, total, frequencies))
