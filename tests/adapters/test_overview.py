"""What the bot says of itself: holdings by who asks, and faults by part."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

import pytest

from adapters.overview import Holdings, Overview
from adapters.topics import Topics
from memory.file import MemoryFile
from memory.inbox import InboxEntry, RamInbox, SqliteInbox
from retrieval.absent_index import AbsentIndex
from retrieval.document import Document, Passage
from retrieval.errors import IndexUnavailable
from retrieval.evidence import Evidence, Grade
from retrieval.ram_index import RamIndex

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from retrieval.evidence import Query
    from retrieval.index import Index

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


async def an_index(*documents: Document) -> RamIndex:
    index = RamIndex()
    for document in documents:
        passage = Passage(f"{document.id}#0", document.id, 0, f"About {document.title}.", "", (), (0, 10), "")
        await index.replace(document, [passage])
    return index


def a_document(title: str, collection: str = "public", *, expires: date | None = None) -> Document:
    return Document(f"{collection}/{title}", title, "", collection, "hash", expires=expires)


class Finds:
    """A search that finds the document whose title the question names, and grades it so."""

    def __init__(self, index: RamIndex, grade: Grade = Grade.CORRECT) -> None:
        self._index = index
        self.grade = grade
        self.asked: list[str] = []

    async def search(self, query: Query, *, k: int, collections: Collection[str] | None = None) -> Evidence:
        self.asked.append(query.standalone)
        named = [one for one in await self._index.catalogue() if one.title in query.standalone]
        hits = [hit for one in named for hit in await self._index.passages([f"{one.id}#0"], collections=collections)]
        return Evidence(query, tuple(hits), self.grade, 0.9)


def _overview(index: Index, inbox: RamInbox | SqliteInbox | None = None, *, by_meaning: bool = False) -> Overview:
    return Overview(index, "Index: ram.", (inbox or RamInbox()).waiting, by_meaning=by_meaning)


async def test_holdings_are_those_of_the_collections_that_someone_may_see() -> None:
    overview = _overview(await an_index(a_document("Flu"), a_document("Rota", "staff"), a_document("Pay", "staff")))
    everything = await overview.holdings(None)
    assert everything is not None
    assert everything.collections == {"public": 1, "staff": 2}
    public = await overview.holdings({"public"})
    assert public is not None
    assert public.collections == {"public": 1}


async def test_who_may_see_nothing_is_not_told_when_anything_changed() -> None:
    assert await _overview(await an_index(a_document("Rota", "staff"))).holdings(set()) == Holdings()


async def test_without_an_index_nothing_is_said_of_the_documents_and_the_fault_is_named() -> None:
    overview = _overview(AbsentIndex(IndexUnavailable("the index is locked: close the other process")))
    assert await overview.holdings(None) is None
    health = await overview.health()
    assert any("close the other process" in fault for fault in health.faults)


async def test_an_empty_index_is_a_fault_that_says_how_to_fill_it() -> None:
    (fault,) = (await _overview(RamIndex()).health()).faults
    assert "citewell ingest" in fault


async def test_passages_without_vectors_are_a_fault_only_where_there_is_a_model() -> None:
    index = await an_index(a_document("Flu"))
    assert "1 of 1 passages" in (await _overview(index, by_meaning=True).health()).faults[0]
    assert (await _overview(index).health()).faults == ()


async def test_a_memory_that_cannot_be_read_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "memory.db").write_bytes(b"no database, for sure" * 100)
    file = MemoryFile(tmp_path / "memory.db")
    health = await _overview(await an_index(a_document("Flu")), SqliteInbox(file)).health()
    assert any("memory file" in fault for fault in health.faults)
    await file.close()


async def test_all_that_wait_for_an_answer_are_counted_until_they_have_one() -> None:
    inbox = RamInbox()
    for key in ("k1", "k2", "k3"):
        await inbox.accept(InboxEntry(key, "console:local:terminal:t", "words", NOW))
    await inbox.begin("k1")
    await inbox.done("k2")
    assert (await _overview(await an_index(a_document("Flu")), inbox).health()).waiting == 2


async def test_questions_to_begin_with_name_documents_that_answer_them() -> None:
    index = await an_index(a_document("Flu jabs"), a_document("Visiting hours"))
    topics = Topics(index, Finds(index), "What of {title}?", lambda: NOW)  # type: ignore[arg-type]  # as a Searcher
    assert sorted(await topics.questions(None, count=3)) == ["What of Flu jabs?", "What of Visiting hours?"]


async def test_a_question_that_the_documents_do_not_answer_is_not_offered() -> None:
    index = await an_index(a_document("Flu jabs"))
    topics = Topics(index, Finds(index, Grade.AMBIGUOUS), "What of {title}?", lambda: NOW)  # type: ignore[arg-type]
    assert await topics.questions(None, count=3) == ()


async def test_no_question_names_a_document_that_someone_may_not_see_or_that_does_not_hold() -> None:
    gone = a_document("Old rules", expires=date(2020, 1, 1))
    index = await an_index(a_document("Rota", "staff"), a_document("Flu jabs"), gone)
    topics = Topics(index, Finds(index), "What of {title}?", lambda: NOW)  # type: ignore[arg-type]
    assert await topics.questions({"public"}, count=3) == ("What of Flu jabs?",)
    assert await topics.questions(frozenset(), count=3) == ()


@pytest.mark.parametrize("title", ["x" * 61, "<@U1> wins", "scan_0012", "2024", "two\nlines", "a|b"])
async def test_titles_that_read_badly_in_a_question_are_passed_over(title: str) -> None:
    index = await an_index(a_document(title))
    topics = Topics(index, Finds(index), "What of {title}?", lambda: NOW)  # type: ignore[arg-type]
    assert await topics.questions(None, count=3) == ()


async def test_the_same_questions_are_not_looked_for_twice_within_an_hour() -> None:
    index = await an_index(a_document("Flu jabs"))
    finds = Finds(index)
    topics = Topics(index, finds, "What of {title}?", lambda: NOW)  # type: ignore[arg-type]
    await topics.questions(None, count=1)
    await topics.questions(None, count=1)
    assert len(finds.asked) == 1
