"""How well documents stand in order, on average, in the measures that the scripts and benchmarks report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.evaluate import hit, ndcg, recall, reciprocal_rank

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

MEASURES: Mapping[str, Callable[[Sequence[str], Collection[str]], float]] = {
    "nDCG@10": lambda documents, right: ndcg(documents, dict.fromkeys(right, 1), k=10),
    "hit@5": lambda documents, right: hit(documents, right, k=5),
    "recall@20": lambda documents, right: recall(documents, right, k=20),
    "MRR": reciprocal_rank,
}


def means(found: Sequence[tuple[Sequence[str], Collection[str]]]) -> dict[str, float]:
    """The means over questions, of which each has its documents in order, each once, and those that answer it."""
    return {
        name: sum(measure(documents, right) for documents, right in found) / max(1, len(found))
        for name, measure in MEASURES.items()
    }
