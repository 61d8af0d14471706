"""The fitted reranker: what its trees do, and what must hold of the scores that come with the product."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.document import Document, Passage
from retrieval.errors import IndexUnavailable
from retrieval.evidence import Hit
from retrieval.fitted_rerank import FITTED, FittedReranker, Trees
from retrieval.ram_index import RamIndex
from retrieval.rerank_features import BY_WORDS, WITH_VECTORS
from retrieval.scope import EVERYTHING, Scope

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

QUESTION = "Does metformin lower blood sugar in adults with type 2 diabetes?"
ANSWER = "Metformin lowers blood sugar in adults with type 2 diabetes. It is taken with meals."
OTHERS = (
    "Parking is free for two hours beside the main entrance.",
    "Adults need a booster of the tetanus vaccine every ten years.",
    "Blood is taken from a vein in the arm, and the sample goes to the laboratory.",
    "Diabetes can damage the small vessels at the back of the eye.",
    "Visitors are welcome on the wards from three to eight.",
)
WRITTEN = st.text(max_size=80)


def hit(text: str, rank: int = 1, *, cosine: float | None = 0.5, title: str = "Leaflet") -> Hit:
    document = Document(f"d{rank}", title, f"/d{rank}.md", "public", "1")
    passage = Passage(f"d{rank}#0", f"d{rank}", 0, text, f"From “{title}”.", (title,), (0, len(text)))
    vector_rank = None if cosine is None else rank
    return Hit(passage, document, 1 / (60 + rank), rank, rank, rank, vector_rank, cosine)


def filled(*texts: str) -> RamIndex:
    async def fill() -> RamIndex:
        index = RamIndex()
        for rank, text in enumerate(texts, start=1):
            one = hit(text, rank)
            await index.replace(one.document, [one.passage])
        return index

    return asyncio.run(fill())


INDEX = filled(*OTHERS, ANSWER)


def scores(question: str, hits: Sequence[Hit]) -> list[float]:
    return list(asyncio.run(FittedReranker.fitted(INDEX).scores(question, hits)))


def test_a_score_is_the_sum_of_the_leaves_that_a_row_falls_to() -> None:
    trees = Trees.read({"names": ["a", "b"], "trees": [[1, 0.5, [0, 2.0, 1.0, 3.0], 10.0], 0.25]})
    rows = [{"a": 2.0, "b": 0.5}, {"a": 2.1, "b": 0.5}, {"a": 2.0, "b": 0.6}]
    assert trees.scores(rows) == [1.25, 3.25, 10.25]
    assert trees.scores([]) == []


@pytest.mark.parametrize(("mode", "names"), [("by_words", BY_WORDS), ("with_vectors", WITH_VECTORS)])
def test_the_stored_trees_are_over_the_features_there_are(mode: str, names: tuple[str, ...]) -> None:
    data = json.loads(FITTED.read_text(encoding="utf-8"))[mode]
    assert tuple(data["names"]) == names
    assert len(data["trees"]) > 50


@pytest.mark.parametrize("cosine", [0.5, None])
def test_a_passage_that_holds_all_that_is_asked_beats_those_that_do_not(cosine: float | None) -> None:
    texts = [*OTHERS, ANSWER]
    alike = [replace(hit(text, at, cosine=cosine), score=1.0, keyword_rank=3) for at, text in enumerate(texts, 1)]
    alike = [replace(one, vector_rank=None if cosine is None else 3) for one in alike]
    given = scores(QUESTION, alike)
    assert max(given) == given[-1]
    assert sorted(given)[-2] < given[-1]


def test_of_two_passages_with_the_same_words_the_one_that_is_nearer_in_meaning_is_first() -> None:
    far, near = hit(ANSWER, 1, cosine=0.2), replace(hit(ANSWER, 2, cosine=0.8), score=1 / 61, keyword_rank=1)
    near, far = replace(near, vector_rank=1), replace(far, vector_rank=30)
    first, second = scores(QUESTION, [far, near])
    assert second > first


@given(st.permutations(range(len(OTHERS) + 1)))
def test_a_hit_scores_the_same_in_whatever_order_the_hits_come(order: list[int]) -> None:
    hits = [hit(text, rank, cosine=0.9 - rank / 10) for rank, text in enumerate([*OTHERS, ANSWER], start=1)]
    expected = scores(QUESTION, hits)
    assert scores(QUESTION, [hits[at] for at in order]) == [expected[at] for at in order]


@given(question=WRITTEN, texts=st.lists(WRITTEN, max_size=5), title=WRITTEN, cosine=st.sampled_from([None, 0.3]))
def test_no_text_breaks_it_and_each_hit_gets_one_score(
    question: str, texts: list[str], title: str, cosine: float | None
) -> None:
    hits = [hit(text, rank, cosine=cosine, title=title) for rank, text in enumerate(texts, start=1)]
    given = scores(question, hits)
    assert len(given) == len(hits)
    assert all(abs(score) < 100 for score in given)


def test_where_one_hit_lacks_a_cosine_all_are_judged_by_words() -> None:
    hits = [hit(text, rank) for rank, text in enumerate([*OTHERS, ANSWER], start=1)]
    mixed = [*hits[:-1], replace(hits[-1], cosine=None)]
    assert scores(QUESTION, mixed) == scores(QUESTION, [replace(one, cosine=None) for one in hits])


def test_words_of_documents_out_of_reach_change_no_score() -> None:
    index, hits = filled(*OTHERS, ANSWER), [hit(ANSWER, 1), hit(OTHERS[3], 2)]
    public = Scope(("public",), date(2026, 11, 30))

    def scored(scope: Scope) -> list[float]:
        return list(asyncio.run(FittedReranker.fitted(index).scores(QUESTION, hits, scope)))

    def hide(name: str, **hidden: Any) -> None:
        document = replace(hit(QUESTION).document, id=name, **hidden)
        passage = replace(hit(QUESTION).passage, id=f"{name}#0", document_id=name)
        asyncio.run(index.replace(document, [passage]))

    before = scored(public)
    for at in range(15):
        hide(f"staff{at}", collection="staff")
        hide(f"old{at}", expires=date(2026, 11, 29))
    assert scored(public) == before
    assert scored(EVERYTHING) != before


def test_an_index_that_fails_raises_the_errors_of_retrieval() -> None:
    class Broken(RamIndex):
        async def document_frequencies(
            self, terms: Collection[str], *, collections: Collection[str] | None = None, today: date | None = None
        ) -> tuple[int, Mapping[str, int]]:
            msg = "locked"
            raise IndexUnavailable(msg)

    with pytest.raises(IndexUnavailable):
        asyncio.run(FittedReranker.fitted(Broken()).scores(QUESTION, [hit(ANSWER)]))
