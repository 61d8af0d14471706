"""What every index does, whatever it stands on. A new backend joins by one line in `BACKENDS`.

Weaviate is a double, or the real server that `CITEWELL_TEST_WEAVIATE_URL` names (`CITEWELL_TEST_WEAVIATE_API_KEY`):
each test makes collections of its own there and takes them away again.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from retrieval.embed import HashEmbedder
from retrieval.errors import IndexMismatch
from retrieval.fusion import LONG, RRF_K
from retrieval.ram_index import RamIndex
from retrieval.sqlite_index import SqliteIndex
from retrieval.terms import stem
from tests.retrieval.samples import document, embed_all, passages, put
from tests.retrieval.weaviate_place import weaviate_place

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from retrieval.document import Document, Passage
    from retrieval.evidence import Hit
    from retrieval.index import Index


class Opener(Protocol):
    """Opens what one place keeps, with an embedding model; `re_embed` drops another model's vectors."""

    async def __call__(self, embedder: HashEmbedder, *, re_embed: bool = False) -> Index: ...


Backend: TypeAlias = "Callable[[pytest.FixtureRequest, Path], AbstractAsyncContextManager[Opener]]"


@asynccontextmanager
async def ram(request: pytest.FixtureRequest, folder: Path) -> AsyncIterator[Opener]:
    async def opened(embedder: HashEmbedder, *, re_embed: bool = False) -> Index:
        return RamIndex()

    yield opened


@asynccontextmanager
async def sqlite(request: pytest.FixtureRequest, folder: Path) -> AsyncIterator[Opener]:
    async def opened(embedder: HashEmbedder, *, re_embed: bool = False) -> Index:
        model = embedder.name, embedder.dimensions
        return await SqliteIndex.open(folder / "index.db", embedder=model, re_embed=re_embed)

    yield opened


@asynccontextmanager
async def weaviate(request: pytest.FixtureRequest, folder: Path) -> AsyncIterator[Opener]:
    async with weaviate_place(request.getfixturevalue("weaviate_server")) as place:

        async def opened(embedder: HashEmbedder, *, re_embed: bool = False) -> Index:
            return await place.open(embedder, re_embed=re_embed)

        yield opened


BACKENDS: dict[str, Backend] = {"ram": ram, "sqlite": sqlite, "weaviate": weaviate}
FORGETFUL = {"ram"}
"""What they hold goes when they are closed."""


@pytest.fixture
def embedder() -> HashEmbedder:
    return HashEmbedder()


@pytest.fixture(params=sorted(BACKENDS))
async def index(request: pytest.FixtureRequest, tmp_path: Path, embedder: HashEmbedder) -> AsyncIterator[Index]:
    async with BACKENDS[request.param](request, tmp_path) as opened:
        index = await opened(embedder)
        yield index
        await index.close()


@pytest.fixture(params=sorted(BACKENDS.keys() - FORGETFUL))
async def opened(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Opener]:
    """Opens the same index again and again."""
    async with BACKENDS[request.param](request, tmp_path) as opened:
        yield opened


def ids(hits: Sequence[Hit]) -> list[str]:
    return [hit.passage.id for hit in hits]


# Documents in and out


async def test_documents_and_passages_come_back_as_they_went_in(index: Index) -> None:
    owner = document()
    made = await put(index, owner, "The flu clinic opens at nine.")
    (hit,) = await index.search("flu clinic", None, k=5)
    assert (hit.document, hit.passage) == (owner, made[0])
    assert await index.catalogue() == [owner]


async def test_a_document_without_dates_or_url_comes_back_without(index: Index) -> None:
    bare = replace(document(), url=None, effective=None, review_by=None)
    bare_passage = replace(passages(bare, "flu")[0], page=None, place="", headings=(), context="A sentence.")
    await index.replace(bare, [bare_passage])
    (hit,) = await index.search("flu", None, k=5)
    assert (hit.document, hit.passage) == (bare, bare_passage)


async def test_every_date_of_a_document_comes_back(index: Index) -> None:
    owner = replace(document(), expires=date(2027, 6, 30), superseded_by="flu-2027")
    await put(index, owner, "flu")
    (hit,) = await index.search("flu", None, k=5)
    assert await index.catalogue() == [hit.document] == [owner]


async def test_a_new_version_takes_the_place_of_the_old_one_whole(index: Index, embedder: HashEmbedder) -> None:
    await put(index, document(), "asthma in spring", "asthma in autumn")
    await embed_all(index, embedder)
    new = document(version="2")
    await put(index, new, "eczema in spring")
    assert await index.search("asthma autumn", None, k=5) == []
    assert ids(await index.search("spring", None, k=5)) == ["flu#0"]
    assert await index.catalogue() == [new]
    assert (await index.status()).passages == 1
    assert ids(await index.search("", await embedder.embed_query("asthma"), k=5)) == []


async def test_a_document_may_be_left_without_passages(index: Index) -> None:
    await put(index, document(), "asthma")
    await put(index, document())
    assert await index.search("asthma", None, k=5) == []
    assert (await index.status()).documents == 1


async def test_removing_takes_passages_and_vectors_and_leaves_the_others(index: Index, embedder: HashEmbedder) -> None:
    await put(index, document("a"), "asthma in children")
    await put(index, document("b"), "asthma in adults")
    await embed_all(index, embedder)
    await index.remove(["a", "never there"])
    query = await embedder.embed_query("asthma in children")
    assert ids(await index.search("asthma children", query, k=5)) == ["b#0"]
    assert await index.passages(["a#0"]) == []
    status = await index.status()
    assert (status.documents, status.passages, status.embedded) == (1, 1, 1)


async def test_the_catalogue_goes_by_id_and_by_collection(index: Index) -> None:
    for id_, collection in (("b", "public"), ("c", "staff"), ("a", "public")):
        await put(index, document(id_, collection=collection), "text")
    assert [one.id for one in await index.catalogue()] == ["a", "b", "c"]
    assert [one.id for one in await index.catalogue("public")] == ["a", "b"]
    assert await index.catalogue("unknown") == []


# Searching


async def test_words_find_other_forms_of_themselves_whatever_their_case_or_accents(index: Index) -> None:
    await put(index, document(), "Vaccinations protect naïve children.", "Opening hours of the café")
    assert ids(await index.search("VACCINATION", None, k=5)) == ["flu#0"]
    assert ids(await index.search("naive", None, k=5)) == ["flu#0"]
    assert ids(await index.search("CAFÉ cafe", None, k=5)) == ["flu#1"]


async def test_words_of_the_title_and_of_the_context_find_a_passage(index: Index) -> None:
    owner = document(title="Measles")
    await index.replace(owner, [replace(passages(owner, "Stay at home.")[0], context="About contagion.")])
    assert ids(await index.search("measles", None, k=5)) == ["flu#0"]
    assert ids(await index.search("contagion", None, k=5)) == ["flu#0"]


async def test_the_passage_that_holds_more_of_the_question_comes_first(index: Index) -> None:
    await put(index, document(), "asthma and sport", "asthma inhaler for sport", "nothing of it")
    assert ids(await index.search("which inhaler for asthma and sport?", None, k=5)) == ["flu#1", "flu#0"]


async def test_meaning_alone_finds_what_is_near(index: Index, embedder: HashEmbedder) -> None:
    await put(index, document(), "green apples", "flu clinic hours", "red cars")
    await embed_all(index, embedder)
    best, *_ = await index.search("", await embedder.embed_query("flu clinic hours"), k=1)
    assert (best.passage.id, best.keyword_rank, best.vector_rank) == ("flu#1", None, 1)
    assert best.cosine == pytest.approx(1.0)


async def test_agreement_shows_in_both_ranks_and_outweighs_one_list(index: Index, embedder: HashEmbedder) -> None:
    await put(index, document(), "flu clinic hours", "flu flu flu flu", "parking behind house")
    await embed_all(index, embedder)
    best, *others = await index.search("clinic", await embedder.embed_query("flu clinic hours"), k=3)
    assert (best.passage.id, best.found_by) == ("flu#0", ("keyword", "vector"))
    assert (best.keyword_rank, best.vector_rank) == (1, 1)
    assert best.score == pytest.approx(2 / (RRF_K + 1))
    assert all(other.found_by == ("vector",) for other in others)


async def test_a_search_that_was_expected_finds_what_it_finds_anyway(index: Index, embedder: HashEmbedder) -> None:
    await put(index, document(), "flu clinic hours", "flu flu flu flu", "parking behind house")
    await embed_all(index, embedder)
    vector = await embedder.embed_query("flu clinic hours")
    before = await index.search("flu", vector, k=3)
    await index.expect("flu", k=3)
    await index.expect("parking", k=3)
    assert await index.search("flu", vector, k=3) == before
    assert await index.search("flu", vector, k=2, collections=()) == []


async def test_what_is_written_after_a_search_was_expected_is_found_by_it(index: Index, embedder: HashEmbedder) -> None:
    await put(index, document(), "flu clinic hours")
    await index.expect("flu", k=3)
    await put(index, document(), "flu clinic hours", "flu jabs")
    hits = await index.search("flu", None, k=3)
    assert sorted(hit.passage.id for hit in hits) == ["flu#0", "flu#1"]


async def test_in_a_long_letter_words_weigh_less_than_meaning(index: Index, embedder: HashEmbedder) -> None:
    letter = " ".join(f"word{number}" for number in range(2 * LONG))
    await put(index, document(), "word0 and the parking", "flu clinic hours")
    await embed_all(index, embedder)
    hits = await index.search(letter, await embedder.embed_query("flu clinic hours"), k=2)
    assert {hit.passage.id: hit.score for hit in hits} == {
        "flu#0": pytest.approx(0.25 / (RRF_K + 1) + 1 / (RRF_K + 2)),
        "flu#1": pytest.approx(1 / (RRF_K + 1)),
    }


async def test_a_hit_by_words_alone_carries_its_cosine_where_vectors_are_in(
    index: Index, embedder: HashEmbedder
) -> None:
    waits = await put(index, document("new"), "clinic clinic clinic")
    await index.remove(["new"])
    await put(index, document(), "flu clinic")
    await embed_all(index, embedder)
    await index.replace(document("new"), waits)
    query = await embedder.embed_query("flu clinic")
    cosines = {hit.passage.id: hit.cosine for hit in await index.search("clinic", query, k=5)}
    assert cosines == {"flu#0": pytest.approx(1.0), "new#0": None}


async def test_words_serve_before_vectors_are_in(index: Index, embedder: HashEmbedder) -> None:
    await put(index, document(), "flu clinic")
    (hit,) = await index.search("flu", await embedder.embed_query("flu"), k=5)
    assert (hit.found_by, hit.cosine) == (("keyword",), None)


async def test_ranks_count_from_one_without_gaps_and_scores_fall(index: Index, embedder: HashEmbedder) -> None:
    await put(index, document(), *(f"flu {'shot ' * times}" for times in range(1, 9)))
    await embed_all(index, embedder)
    hits = await index.search("flu shot", await embedder.embed_query("flu shot"), k=5)
    assert [hit.rank for hit in hits] == [hit.rank_before_rerank for hit in hits] == [1, 2, 3, 4, 5]
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


async def test_of_passages_with_the_same_text_only_the_best_is_returned(index: Index, embedder: HashEmbedder) -> None:
    for number in range(80):
        await put(index, document(f"copy{number:02}"), "Ask your  nurse about flu.\n")
    await put(index, document("other", title="Other"), "Ask your nurse about flu and many other things of winter.")
    await embed_all(index, embedder)
    hits = await index.search("nurse flu", await embedder.embed_query("Ask your nurse about flu."), k=2)
    assert [" ".join(hit.passage.text.split()) for hit in hits] == [
        "Ask your nurse about flu.",
        "Ask your nurse about flu and many other things of winter.",
    ]


async def test_the_same_question_gives_the_same_order(index: Index, embedder: HashEmbedder) -> None:
    for number in range(12):
        await put(index, document(f"d{number:02}", title=f"Leaflet {number}"), f"flu clinic {number}")
    await embed_all(index, embedder)
    query = await embedder.embed_query("flu clinic")
    first = await index.search("flu clinic", query, k=12)
    assert first == await index.search("flu clinic", query, k=12)


@pytest.mark.parametrize("words", ["", "   ", "?!", "zebra"])
async def test_words_that_stand_nowhere_find_nothing(index: Index, words: str) -> None:
    await put(index, document(), "flu clinic")
    assert await index.search(words, None, k=5) == []


async def test_an_empty_index_finds_nothing(index: Index, embedder: HashEmbedder) -> None:
    assert await index.search("flu", await embedder.embed_query("flu"), k=5) == []
    assert await index.passages(["flu#0"]) == []
    assert await index.document_frequencies(["flu"]) == (0, {"flu": 0})


async def test_k_bounds_the_hits(index: Index) -> None:
    await put(index, document(), "flu one", "flu two", "flu three")
    assert [len(await index.search("flu", None, k=k)) for k in (0, 1, 2, 3, 9)] == [0, 1, 2, 3, 3]


# Collections


async def test_a_search_sees_the_named_collections_only(index: Index, embedder: HashEmbedder) -> None:
    for collection in ("public", "staff", "board"):
        await put(index, document(collection, collection=collection), f"flu plan of the {collection}")
    await embed_all(index, embedder)
    query = await embedder.embed_query("flu plan")

    async def seen(*collections: str) -> set[str]:
        found: set[str] = set()
        for words, vector in (("flu plan", query), ("flu", None), ("", query)):
            found |= set(ids(await index.search(words, vector, k=9, collections=collections)))
        return found | set(ids(await index.passages(["public#0", "staff#0", "board#0"], collections=collections)))

    assert await seen("public") == {"public#0"}
    assert await seen("public", "board") == {"public#0", "board#0"}
    assert await seen("unknown") == await seen() == set()


async def test_the_filter_is_inside_the_query_so_a_small_collection_is_not_crowded_out(
    index: Index, embedder: HashEmbedder
) -> None:
    await put(index, document("many", collection="staff"), *(f"flu plan {number}" for number in range(120)))
    await put(index, document("few"), "a long leaflet that mentions the flu once among many other matters of winter")
    await embed_all(index, embedder)
    query = await embedder.embed_query("flu plan")
    (hit,) = await index.search("flu plan", query, k=3, collections={"public"})
    assert (hit.passage.id, hit.keyword_rank, hit.vector_rank) == ("few#0", 1, 1)


async def test_a_document_moves_with_its_vectors_to_another_collection(index: Index, embedder: HashEmbedder) -> None:
    await put(index, document(), "flu plan")
    await embed_all(index, embedder)
    query = await embedder.embed_query("flu plan")
    assert await index.search("flu", query, k=3, collections={"public"})
    await put(index, document(collection="staff"), "flu plan")
    assert await index.search("flu", query, k=3, collections={"public"}) == []
    (hit,) = await index.search("flu", query, k=3, collections={"staff"})
    assert hit.found_by[0] == "keyword"


# Documents over time

TODAY = date(2026, 11, 30)
LAPSED: dict[str, dict[str, Any]] = {
    "superseded": {"superseded_by": "flu-2027"},
    "expired": {"expires": TODAY - timedelta(days=1)},
    "upcoming": {"effective": TODAY + timedelta(days=1)},
}
HOLDING: dict[str, dict[str, Any]] = {
    "undated": {},
    "begins today": {"effective": TODAY},
    "ends today": {"expires": TODAY},
    "past its review": {"review_by": TODAY - timedelta(days=400)},
}


def dated(id_: str, **dates: Any) -> Document:
    return replace(document(id_), **({"effective": None, "review_by": None} | dates))


async def found_on(index: Index, embedder: HashEmbedder, question: str, today: date | None) -> list[set[str]]:
    """By words and meaning together, by words alone, and by meaning alone."""
    query = await embedder.embed_query(question)
    ways = (question, query), (question, None), ("", query)
    return [{hit.document.id for hit in await index.search(w, v, k=20, today=today)} for w, v in ways]


async def test_a_search_of_a_day_sees_what_holds_on_that_day(index: Index, embedder: HashEmbedder) -> None:
    for id_, dates in (LAPSED | HOLDING).items():
        await put(index, dated(id_, **dates), f"flu plan, {id_}")
    await embed_all(index, embedder)
    assert await found_on(index, embedder, "flu plan", TODAY) == [set(HOLDING)] * 3
    assert await found_on(index, embedder, "flu plan", None) == [set(LAPSED | HOLDING)] * 3


async def test_a_day_and_collections_limit_a_search_together(index: Index, embedder: HashEmbedder) -> None:
    for collection in ("public", "staff"):
        await put(index, replace(dated(f"old {collection}", **LAPSED["expired"]), collection=collection), "flu plan a")
        await put(index, replace(dated(f"new {collection}"), collection=collection), "flu plan b")
    await embed_all(index, embedder)
    query = await embedder.embed_query("flu plan")
    hits = await index.search("flu plan", query, k=9, collections={"staff"}, today=TODAY)
    assert ids(hits) == ["new staff#0"]


async def test_the_next_day_what_begins_is_found_and_what_ends_is_not(index: Index, embedder: HashEmbedder) -> None:
    await put(index, dated("old", expires=TODAY), "flu plan, old")
    await put(index, dated("new", effective=TODAY + timedelta(days=1)), "flu plan, new")
    await embed_all(index, embedder)
    assert await found_on(index, embedder, "flu plan", TODAY) == [{"old"}] * 3
    assert await found_on(index, embedder, "flu plan", TODAY + timedelta(days=1)) == [{"new"}] * 3


async def test_a_document_that_is_superseded_while_the_index_is_open_is_gone_at_once(
    index: Index, embedder: HashEmbedder
) -> None:
    await put(index, dated("old"), "flu plan")
    await embed_all(index, embedder)
    assert await found_on(index, embedder, "flu plan", TODAY) == [{"old"}] * 3
    await put(index, dated("old", superseded_by="new"), "flu plan")
    assert await found_on(index, embedder, "flu plan", TODAY) == [set()] * 3
    await put(index, dated("old"), "flu plan")
    assert await found_on(index, embedder, "flu plan", TODAY) == [{"old"}] * 3


async def test_what_does_not_hold_crowds_out_nothing(index: Index, embedder: HashEmbedder) -> None:
    """Neither by its number, nor by its rank, nor by saying the same in the same words."""
    await put(index, dated("aged", superseded_by="new"), *(f"flu plan {number}" for number in range(400)))
    await put(index, dated("again", superseded_by="new"), "The flu plan  of this winter.")
    await put(
        index, dated("new"), "The flu plan of this winter.", "a long leaflet, in which flu stands once, of winter"
    )
    await embed_all(index, embedder)
    query = await embedder.embed_query("flu plan")
    hits = await index.search("flu plan", query, k=2, today=TODAY)
    assert ids(hits) == ["new#0", "new#1"]
    assert [(hit.keyword_rank, hit.vector_rank) for hit in hits] == [(1, 1), (2, 2)]
    assert ids(await index.search("flu plan", None, k=2, today=TODAY)) == ["new#0", "new#1"]


async def test_what_does_not_hold_keeps_nothing_out_of_one_list_where_the_other_is_long_enough(
    index: Index, embedder: HashEmbedder
) -> None:
    await put(index, dated("aged", superseded_by="new"), *(f"flu plan {number}" for number in range(200)))
    await put(
        index, dated("by words"), "a long leaflet of this winter, in which a flu and a plan stand once among others"
    )
    await put(index, dated("by meaning"), *(f"green apples {number}" for number in range(4)))
    await embed_all(index, embedder)
    hits = await index.search("flu plan", await embedder.embed_query("green apples"), k=2, today=TODAY)
    assert {hit.document.id: (hit.keyword_rank, hit.vector_rank) for hit in hits}["by words"][0] == 1


# Identifiers


@pytest.mark.parametrize(
    ("question", "whole", "apart"),
    [
        ("il-6", "Serum IL-6 rose by a third in 3 days.", "The il gene on arm 6 was seen 6 times."),
        ("IL-6", "Serum IL6 rose by a third in 3 days.", "The il gene on arm 6 was seen 6 times."),
        ("covid-19", "About COVID-19 in this ward of ours.", "The covid ward has 19 beds, covid only."),
        ("covid19", "About COVID-19 in this ward of ours.", "The covid ward has 19 beds, covid only."),
        ("ser1177", "Phosphorylation at Ser1177 was raised.", "The residue ser was at place 1177 before."),
        ("E11.9", "Code E11.9 is used in this letter.", "Code E11.8 is used in this letter, 9 times."),
        ("0.5 mg", "Take 0.5 mg in the evening.", "Take 5 mg in the evening, 0 or 5 times."),
        ("0.5 mg", "Take 0.5mg in the evening.", "Take 10.5 mg in the evening, not 0 or 5."),
        ("5 mg", "Take 5 mg in the evening with water.", "Take 0.5 mg in the evening, 5 times."),
        ("120/80", "A pressure of 120/80 is usual here.", "Room 80 has 120 beds or 80 beds."),
        ("1,000 mg", "Take 1000 mg in the evening now.", "Take 1 mg in the evening, not 000 mg."),
    ],
)
async def test_an_identifier_matches_whole_before_its_parts(
    index: Index, question: str, whole: str, apart: str
) -> None:
    await put(index, document(), apart, whole, "Nothing of the kind.")
    assert ids(await index.search(question, None, k=5))[0] == "flu#1"


@pytest.mark.parametrize(
    ("question", "text"),
    [("covid", "About COVID-19."), ("E11", "Code E11.9."), ("il-6", "The IL 6 level."), ("0.5", "Take 0.5 mg.")],
)
async def test_the_parts_of_an_identifier_still_match(index: Index, question: str, text: str) -> None:
    await put(index, document(), text, "Nothing of the kind.")
    assert ids(await index.search(question, None, k=5)) == ["flu#0"]


# A person's text is never syntax


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(st.text(st.characters(), max_size=40))
@example('"')
@example('" OR "flu')
@example("flu*")
@example("NEAR(flu clinic, 2)")
@example("title:flu")
@example("^flu")
@example("{title text}: flu")
@example("flu NOT clinic")
@example("-flu")
@example("flu\x00clinic")
@example("flu \ud800 clinic")
@example("'; DROP TABLE passages; --")
@example("%_\\")
async def test_any_text_is_a_question(index: Index, words: str) -> None:
    await index.replace(document(), passages(document(), "flu clinic"))
    assert len(await index.search(words, None, k=5)) <= 1


async def test_operators_are_words(index: Index) -> None:
    await put(index, document(), "flu", "clinic")
    for question in ("flu NOT clinic", "flu AND clinic", 'flu" "clinic', "NEAR(flu clinic)", "title : flu clinic"):
        assert set(ids(await index.search(question, None, k=5))) == {"flu#0", "flu#1"}


# Passages by id


async def test_passages_come_in_the_order_asked_for(index: Index) -> None:
    made = await put(index, document(), "one", "two", "three")
    hits = await index.passages(["flu#2", "unknown", "flu#0"])
    assert [hit.passage for hit in hits] == [made[2], made[0]]
    assert all(hit.document == document() and hit.found_by == () for hit in hits)


# Likeness of passages by id


async def test_cosines_are_those_of_a_search_and_passages_without_vectors_are_left_out(
    index: Index, embedder: HashEmbedder
) -> None:
    await put(index, document("a"), "asthma in children", "opening hours")
    await embed_all(index, embedder)
    await put(index, document("b"), "asthma in adults")
    query = await embedder.embed_query("asthma")
    searched = {hit.passage.id: hit.cosine for hit in await index.search("", query, k=5)}
    found = await index.cosines(["a#1", "b#0", "unknown", "a#0"], query)
    assert set(found) == {"a#0", "a#1"}
    assert found == pytest.approx(searched, abs=1e-6)
    assert await index.cosines([], query) == {}


async def test_cosines_know_no_vectors_before_any_are_in(index: Index, embedder: HashEmbedder) -> None:
    await put(index, document(), "asthma")
    assert await index.cosines(["flu#0"], await embedder.embed_query("asthma")) == {}


# Word counts


async def test_document_frequencies_count_passages_not_occurrences(index: Index) -> None:
    await put(index, document(), "vaccines and vaccination", "a vaccine", "take 0.5 mg")
    total, counts = await index.document_frequencies(["vaccin", "0.5", stem("leaflet"), "zebra"])
    assert total == 3
    assert counts == {"vaccin": 2, "0.5": 1, stem("leaflet"): 3, "zebra": 0}


async def test_document_frequencies_follow_changes(index: Index) -> None:
    await put(index, document(), "flu")
    assert await index.document_frequencies(["flu"]) == (1, {"flu": 1})
    await put(index, document("b"), "flu", "flu again")
    assert await index.document_frequencies(["flu"]) == (3, {"flu": 3})
    await index.remove(["flu"])
    assert await index.document_frequencies(["flu"]) == (2, {"flu": 2})


async def test_document_frequencies_count_what_a_search_sees(index: Index) -> None:
    """`diseas` is a stem that would be cut further if it were taken for a word; "3.5" holds a stop."""
    await put(index, document("open", collection="public"), "flu disease", "flu")
    await put(index, document("closed", collection="staff"), "quexil disease 3.5", "quexil flu")
    old = replace(document("old", collection="public"), expires=date(2026, 10, 31))
    await put(index, old, "blimbo disease", "blimbo")
    stems = [stem(word) for word in ("flu", "disease", "quexil", "blimbo", "3.5")]
    assert "diseas" in stems

    async def counted(**scope: Any) -> tuple[int, list[int]]:
        total, counts = await index.document_frequencies(stems, **scope)
        return total, [counts[one] for one in stems]

    before, after = date(2026, 10, 31), date(2026, 11, 1)
    for _ in range(2):
        assert await counted() == (6, [3, 3, 2, 2, 1])
        assert await counted(collections=["public"]) == (4, [2, 2, 0, 2, 0])
        assert await counted(collections=["staff"], today=after) == (2, [1, 1, 2, 0, 1])
        assert await counted(today=before) == (6, [3, 3, 2, 2, 1])
        assert await counted(today=after) == (4, [3, 2, 2, 0, 1])
        assert await counted(collections=["public"], today=after) == (2, [2, 1, 0, 0, 0])
        assert await counted(collections=[]) == (0, [0, 0, 0, 0, 0])


async def test_document_frequencies_of_a_part_follow_changes(index: Index) -> None:
    await put(index, document("open", collection="public"), "flu")
    assert await index.document_frequencies(["flu"], collections=["public"]) == (1, {"flu": 1})
    await put(index, document("more", collection="public"), "flu", "asthma")
    assert await index.document_frequencies(["flu"], collections=["public"]) == (3, {"flu": 2})
    await put(index, replace(document("open", version="2"), expires=date(2026, 10, 31)), "flu")
    assert await index.document_frequencies(["flu"], today=date(2026, 11, 1)) == (2, {"flu": 1})


async def test_a_word_is_not_passed_over_for_what_a_search_does_not_see(index: Index) -> None:
    """It stands in nearly every passage, yet in few of those that are seen."""
    await put(index, document("open", collection="public"), "fever", *["asthma"] * 5)
    await put(index, document("closed", collection="staff"), *["fever"] * 60)
    await put(index, replace(document("old", collection="public"), expires=date(2026, 10, 31)), *["fever"] * 60)
    hits = await index.search("fever asthma", None, k=5, collections=["public"], today=date(2026, 11, 1))
    assert [hit.passage.text for hit in hits] == ["fever"]


# Vectors


async def test_passages_wait_for_vectors_until_they_have_them(index: Index, embedder: HashEmbedder) -> None:
    made = await put(index, document(), "one", "two", "three")
    first, second = await index.unembedded(2)
    assert {first.id, second.id} < {passage.id for passage in made}
    await index.add_vectors([first.id, second.id], await embedder.embed_passages([first.text, second.text]))
    assert await index.unembedded(9) == [passage for passage in made if passage not in {first, second}]
    assert (await index.status()).embedded == 2


async def test_vectors_of_vanished_passages_are_passed_over(index: Index, embedder: HashEmbedder) -> None:
    await put(index, document(), "one")
    await index.add_vectors(["gone#0", "flu#0"], await embedder.embed_passages(["gone", "one"]))
    (hit,) = await index.search("", await embedder.embed_query("one"), k=5)
    assert hit.passage.id == "flu#0"
    assert hit.cosine == pytest.approx(1.0)


async def test_a_second_vector_takes_the_place_of_the_first(index: Index, embedder: HashEmbedder) -> None:
    await put(index, document(), "one", "two")
    await embed_all(index, embedder)
    query = await embedder.embed_query("three")
    await index.search("", query, k=5)
    await index.add_vectors(["flu#1"], await embedder.embed_passages(["three"]))
    best, other = await index.search("", query, k=5)
    assert [best.passage.id, other.passage.id] == ["flu#1", "flu#0"]
    assert best.cosine == pytest.approx(1.0)


async def test_a_passage_that_reads_as_before_keeps_its_vector(index: Index, embedder: HashEmbedder) -> None:
    await put(index, document(), "one", "two")
    await embed_all(index, embedder)
    made = await put(index, document(version="2"), "new first", "two")
    assert await index.unembedded(9) == made[:1]


async def test_vectors_of_another_size_are_refused(index: Index, embedder: HashEmbedder) -> None:
    await put(index, document(), "one", "two")
    await index.add_vectors(["flu#0"], await embedder.embed_passages(["one"]))
    with pytest.raises(IndexMismatch):
        await index.add_vectors(["flu#1"], np.ones((1, 7), np.float32))
    assert (await index.status()).embedded == 1


# Another model


@pytest.mark.parametrize("filled", [False, True])
async def test_going_back_to_a_model_of_before_makes_every_passage_wait_for_it_again(
    opened: Opener, embedder: HashEmbedder, filled: bool
) -> None:
    other = HashEmbedder(32)
    index = await opened(embedder)
    made = await put(index, document(), "one", "two", "three")
    await embed_all(index, embedder)
    await index.close()
    index = await opened(other, re_embed=True)
    if filled:
        await embed_all(index, other)
    await index.close()
    index = await opened(embedder, re_embed=filled)
    assert (await index.status()).embedded == 0
    assert {one.id for one in await index.unembedded(9)} == {one.id for one in made}
    await embed_all(index, embedder)
    (best, *others) = await index.search("", await embedder.embed_query("two"), k=5)
    assert (best.passage.id, len(others)) == ("flu#1", 2)
    assert (await index.status()).embedded == 3
    await index.close()


# Contexts


async def placed(index: Index, embedder: HashEmbedder, *sentences: str) -> list[Passage]:
    """A document whose passages are placed by these sentences, where they are not empty, and have their vectors."""
    owner = document(title="Measles")
    made = [
        replace(one, context=f"About contagion {one.ordinal}.")
        for one in passages(owner, *(f"stay at home {number}" for number in range(3)))
    ]
    await index.replace(owner, made)
    changed = [one.with_sentence(said) for one, said in zip(made, sentences, strict=False) if said]
    await index.set_contexts(changed)
    await embed_all(index, embedder)
    return made


async def test_a_sentence_finds_its_passage_and_another_takes_its_place(index: Index, embedder: HashEmbedder) -> None:
    made = await placed(index, embedder, "For travellers to Zanzibar.")
    (hit,) = await index.search("zanzibar", None, k=5)
    assert (hit.passage.id, hit.passage.text) == (made[0].id, made[0].text)
    assert hit.passage.context == f"{made[0].context}\nFor travellers to Zanzibar."
    assert ids(await index.search("contagion 0", None, k=1)) == [made[0].id]
    await index.set_contexts([made[0].with_sentence("For travellers to Peru.")])
    assert await index.search("zanzibar", None, k=5) == []
    assert ids(await index.search("peru", None, k=5)) == [made[0].id]


async def test_without_context_words_find_titles_and_texts_alone(index: Index, embedder: HashEmbedder) -> None:
    made = await placed(index, embedder, "For travellers to Zanzibar.")
    for words in ("zanzibar", "contagion"):
        assert await index.search(words, None, k=5)
        assert await index.search(words, None, k=5, context=False) == []
        assert await index.search(words, None, k=5, collections={"public"}, context=False) == []
    assert len(await index.search("measles", None, k=5, context=False)) == 3
    assert ids(await index.search("contagion 2 home", None, k=1, context=False)) == [made[2].id]
    query = await embedder.embed_query("For travellers to Zanzibar.")
    (hit,) = await index.search("zanzibar", query, k=1, context=False)
    assert (hit.passage.id, hit.found_by) == (made[0].id, ("vector",))


async def test_a_new_sentence_makes_a_passage_wait_for_a_vector_and_the_same_one_does_not(
    index: Index, embedder: HashEmbedder
) -> None:
    first, second, _ = await placed(index, embedder, "For travellers.")
    await index.set_contexts([first.with_sentence("For travellers."), second.with_sentence("For nurses.")])
    assert [one.id for one in await index.unembedded(9)] == [second.id]
    await embed_all(index, embedder)
    best, *_ = await index.search("", await embedder.embed_query(f"For nurses. {second.text}"), k=1)
    assert best.passage.id == second.id
    assert best.cosine == pytest.approx(1.0)


async def test_a_sentence_for_what_has_changed_or_gone_is_passed_over(index: Index, embedder: HashEmbedder) -> None:
    first, second, third = await placed(index, embedder)
    gone = replace(first, id="gone#1")
    other_text = replace(second, text="go out")
    other_headings = replace(third, context="About rash.")
    await index.set_contexts([one.with_sentence("Zanzibar.") for one in (gone, other_text, other_headings)])
    assert await index.search("zanzibar", None, k=5) == []
    assert list(await index.passages_of("flu")) == [first, second, third]
    assert (await index.status()).embedded == 3


# The state of it


async def test_status_counts_what_is_there(index: Index, embedder: HashEmbedder) -> None:
    empty = await index.status()
    assert (empty.documents, empty.passages, empty.embedded, empty.dimensions) == (0, 0, 0, None)
    await put(index, document("a"), "one", "two")
    await put(index, document("b", collection="staff"), "three")
    await embed_all(index, embedder)
    status = await index.status()
    assert (status.documents, status.passages, status.embedded) == (2, 3, 3)
    assert (status.dimensions, dict(status.collections)) == (64, {"public": 1, "staff": 1})


async def test_closing_again_does_nothing(index: Index) -> None:
    await index.close()
    await index.close()


async def test_a_documents_passages_come_in_their_order(index: Index, embedder: HashEmbedder) -> None:
    await put(index, document("other"), "asthma")
    made = await put(index, document(), *(f"part {number}" for number in range(12)))
    await embed_all(index, embedder)
    assert list(await index.passages_of("flu")) == made
    made = await put(index, document(version="2"), "new first", "part 1")
    assert list(await index.passages_of("flu")) == made
    assert list(await index.passages_of("unknown")) == []


# Many at once


async def test_a_search_beside_replacements_sees_one_version_or_the_other(index: Index, embedder: HashEmbedder) -> None:
    versions = {word: [f"{word} plan {number}" for number in range(10)] for word in ("alpha", "beta")}
    await put(index, document(), *versions["alpha"])
    query = await embedder.embed_query("plan")

    async def write() -> None:
        for turn in range(10):
            await put(index, document(), *versions[("alpha", "beta")[turn % 2]])
            await embed_all(index, embedder)

    async def read() -> set[int]:
        sizes = set()
        for _ in range(20):
            texts = {hit.passage.text for hit in await index.search("plan", query, k=20)}
            assert texts in [set(version) for version in versions.values()]
            sizes.add(len(texts))
        return sizes

    _, *sizes = await asyncio.gather(write(), *(read() for _ in range(4)))
    assert sizes == [{10}] * 4


async def test_fewer_hits_are_the_first_of_more(index: Index, embedder: HashEmbedder) -> None:
    for number in range(70):
        owner = document(f"flu{number}")
        await index.replace(owner, passages(owner, f"Measles, leaflet {number}. " + "rash " * (number % 7)))
    await embed_all(index, embedder)
    query = await embedder.embed_query("Measles and a rash")
    more = await index.search("Measles and a rash", query, k=40)
    for k in (1, 10, 20):
        assert ids(await index.search("Measles and a rash", query, k=k)) == ids(more)[:k]
