"""Our own token form, and that it makes Weaviate find what the local index finds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters import samples
from retrieval.ingest import ingest
from retrieval.sqlite_index import SqliteIndex
from retrieval.terms import phrases, stem, terms
from retrieval.weaviate_tokens import query, stored
from tests.retrieval.samples import document, passages
from tests.retrieval.weaviate_place import weaviate_place

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from retrieval.index import Index

IDENTIFIERS = [
    "Serum IL-6 rose by a third.",
    "Serum IL6 rose by a third.",
    "The il gene on arm 6 was seen 6 times.",
    "About COVID-19 in this ward.",
    "The covid ward has 19 beds.",
    "Code E11.9 is used in this letter.",
    "Code E11.8 is used in this letter, 9 times.",
    "Take 0.5 mg in the evening.",
    "Take 10.5 mg or 5 mg in the evening.",
    "Take 1,000 mg or 0.5mg.",
    "A pressure of 120/80 is usual.",
    "Room 80 has 120 beds.",
    "The strain is SARS-CoV-2-B.1.1.7 here.",
    "The strain is SARS CoV 2 here, B or 1.",
]

QUESTIONS = [
    *("il-6", "IL6", "covid-19", "E11.9", "E11", "0.5 mg", "5 mg", "1000 mg", "120/80", "sars-cov-2", "B.1.1.7"),
    *("sars-cov-2-b.1.1.7", "evening letter", "When is the flu clinic open?", "vaccinations for children", "parking"),
    *("How do I order a repeat prescription?", "hand washing 20 seconds", "opening hours on 24 December", "zebra"),
]


@pytest.fixture
async def both(weaviate_server: tuple[str, str | None], tmp_path: Path) -> AsyncIterator[tuple[Index, Index]]:
    local = await SqliteIndex.open(tmp_path / "index.db", embedder=None)
    async with weaviate_place(weaviate_server) as place:
        served = await place.open(None)
        for index in (local, served):
            await ingest([samples.documents()], index)
            await index.replace(document("codes"), passages(document("codes"), *IDENTIFIERS))
        yield local, served
        await served.close()
    await local.close()


async def test_both_backends_find_the_same_passages(both: tuple[Index, Index]) -> None:
    apart = {}
    for question in QUESTIONS:
        local, served = [
            {hit.passage.id: (hit.passage, hit.document) for hit in await index.search(question, None, k=200)}
            for index in both
        ]
        if local != served:
            apart[question] = sorted(local.keys() ^ served.keys())
    assert apart == {}


async def test_both_backends_count_words_alike(both: tuple[Index, Index]) -> None:
    asked = sorted({term for question in QUESTIONS for term in terms(question)})
    local, served = [await index.document_frequencies(asked) for index in both]
    assert served == local


@given(st.text(max_size=60))
def test_a_query_is_tokens_and_nothing_else(text: str) -> None:
    for some in phrases(text, lambda _: 0.1):
        assert all(
            token and (token.replace("_", "").replace(".", "").isalnum()) for token in query(some).split(" ") if some
        )


def test_stems_come_in_order_then_what_holds_a_digit_joined() -> None:
    assert stored("Serum IL-6 rose").split() == [
        "serum",
        "il",
        "6",
        "rose",
        "il_6",
        "6_rose",
        "serum_il_6",
        "il_6_rose",
    ]
    assert stored("Vaccinations") == stem("vaccinations")
