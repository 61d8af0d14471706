"""The numbers that the fitted reranker judges by."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.document import Document, Passage
from retrieval.evidence import Hit
from retrieval.rerank_features import BY_WORDS, WITH_VECTORS, features, wanted_terms

SOME = ["fever", "cough", "rash", "child", "the", "of", "mg", "5", "il-6", "heart"]
WORDS = st.lists(st.sampled_from(SOME), max_size=30).map(" ".join)


def hit(text: str, *, title: str = "", headings: tuple[str, ...] = (), cosine: float | None = 0.5) -> Hit:
    document = Document("d", title, "/d.md", "public", "1")
    return Hit(Passage("d#0", "d", 0, text, "", headings, (0, len(text))), document, 0.02, 1, 1, 2, None, cosine)


def rows(question: str, *hits: Hit, common: str = "") -> list[dict[str, float]]:
    held = defaultdict(lambda: 3, dict.fromkeys(common.split(), 900))
    return features(question, hits, 1000, {term: held[term] for term in wanted_terms(question, hits)})


def one(name: str, question: str, found: Hit, common: str = "") -> float:
    return rows(question, found, common=common)[0][name]


def test_words_that_are_common_count_less_than_rare_ones() -> None:
    rare, common = (one("coverage", "fever cough", hit(text), common="fever") for text in ("cough", "fever"))
    assert rare > 0.9 > 0.1 > common


def test_a_title_and_a_heading_count_as_coverage() -> None:
    found = hit("rash", title="Fever", headings=("Cough",))
    assert one("coverage", "fever cough rash", found) == pytest.approx(1)
    assert one("title", "fever cough rash", found) == pytest.approx(1 / 3)
    assert one("headings", "fever cough rash", found) == pytest.approx(1 / 3)


def test_what_a_model_wrote_of_a_passage_counts_for_nothing() -> None:
    plain = hit("rash", title="Fever")
    plain = replace(plain, passage=replace(plain.passage, context="Fever"))
    placed = replace(plain, passage=plain.passage.with_sentence("It tells of a cough and of the heart."))
    assert rows("fever cough heart", placed) == rows("fever cough heart", plain)


def test_a_word_that_begins_alike_counts_as_alike_only() -> None:
    found = hit("cardiology")
    assert one("alike", "cardiomyopathy", found) == 1
    assert one("coverage", "cardiomyopathy", found) == 0


def test_words_that_stand_together_make_a_window_and_a_pair() -> None:
    near, far = hit("fever then cough"), hit("fever " + "so " * 40 + "cough")
    assert one("window", "fever cough", near) == pytest.approx(1)
    assert one("window", "fever cough", far) == pytest.approx(0.5)
    assert one("near pairs", "fever cough", near) == 1
    assert one("near pairs", "fever cough", far) == 0


def test_the_words_as_written_are_told_from_their_stems() -> None:
    assert one("as written", "fevers", hit("fevers")) == 1
    assert one("as written", "fevers", hit("fever")) == 0
    assert one("coverage", "fevers", hit("fever")) == 1


def test_the_best_of_the_list_is_what_the_others_are_measured_by() -> None:
    best, other = rows("fever cough", hit("fever cough", cosine=0.8), hit("rash", cosine=0.5))
    assert (best["coverage - best"], best["bm25 / best"], best["cosine - best"]) == (0, 1, 0)
    assert other["cosine - best"] == pytest.approx(-0.3)
    assert best["cosine standing"] == pytest.approx(1)


@given(question=WORDS, texts=st.lists(WORDS, min_size=1, max_size=4), title=WORDS)
def test_shares_lie_between_0_and_1_and_every_named_feature_is_there(
    question: str, texts: list[str], title: str
) -> None:
    for row in rows(question, *(hit(text, title=title) for text in texts)):
        assert set(WITH_VECTORS) <= row.keys()
        for name in ("coverage", "title", "rare", "alike", "as written", "near pairs", "phrases", "window", "topic"):
            assert -1e-9 <= row[name] <= 1 + 1e-9
        assert all(map(math.isfinite, row.values()))


def test_without_vectors_the_features_of_words_are_there() -> None:
    assert set(BY_WORDS) <= rows("fever", hit("fever", cosine=None))[0].keys()
