"""Keeps one section from filling the first places: a checklist would hide the sentence that explains it.

It has the last word on the order, whoever gave it. After the fitted reranker it leaves as many consumer questions with
an answering passage among the first five as before, and in a guide with checklists it lifts a sentence from the seventh
place to the fifth.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.evidence import Hit

FIRST = 5
"""The places that are shared out: those that are judged and read first."""

A_SECTION = 2
"""So many of them go to passages of one document under the same headings."""


def spread(hits: Sequence[Hit]) -> list[Hit]:
    """The hits with at most `A_SECTION` of one section among the first `FIRST`, if there are others to take the places.

    All else keeps its order, and ranks are counted anew. Passages without headings are sections of their own.
    """
    taken: Counter[tuple[str, tuple[str, ...]]] = Counter()
    first: list[Hit] = []
    for hit in hits:
        section = hit.document.id, hit.passage.headings
        if len(first) == FIRST:
            break
        if not hit.passage.headings or taken[section] < A_SECTION:
            first.append(hit)
            taken[section] += 1
    chosen = {hit.passage.id for hit in first}
    ordered = [*first, *(hit for hit in hits if hit.passage.id not in chosen)]
    return [replace(hit, rank=rank) for rank, hit in enumerate(ordered, start=1)]
