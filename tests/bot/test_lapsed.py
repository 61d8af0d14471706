"""Documents that do not hold: they answer nothing, and a decline may name them, by title alone."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

import pytest

from bot.answer import Ungrounded
from bot.messages import TurnKind
from bot.wording import wording
from retrieval.document import PUBLIC, Document, Passage
from retrieval.errors import RetrievalError
from retrieval.grade import Grader
from retrieval.search import Searcher
from tests.bot.engine import LEAFLETS, NOW, bench, first_sentence, said

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from bot.answer import Answer
    from bot.answerer import Asked
    from bot.messages import Reply
    from retrieval.evidence import Query
    from tests.bot.engine import Bench

WORDS = wording().answer
QUESTION = "When is the shingles clinic open?"
SECRET = "The shingles clinic is open on Mondays from 8 am."
OLD = "Shingles clinic 2025"


async def made(write: Callable[[Asked], Answer] = first_sentence) -> Bench:
    """An engine over leaflets that are about something else."""
    return await bench(write, leaflets={title: LEAFLETS[title] for title in ("Visiting", "Blood tests")})


async def with_old(b: Bench, *, title: str = OLD, collection: str = PUBLIC, text: str = SECRET, **dates: Any) -> None:
    document = Document("old", title, "/docs/old.md", collection, "0", **dates)
    await b.index.replace(document, [Passage("old#0", "old", 0, text, title, (), (0, len(text)))])


async def with_new(b: Bench, *, title: str = "Zoster vaccination", collection: str = PUBLIC, **dates: Any) -> None:
    document = Document("new", title, "/docs/new.md", collection, "0", **dates)
    text = "Please ring us for dates."
    await b.index.replace(document, [Passage("new#0", "new", 0, text, title, (), (0, len(text)))])


async def asked(b: Bench, *, guest: bool = False) -> Reply:
    return await b.engine.respond(said(QUESTION, guest=guest))


def declined(reply: Reply, sentence: str) -> bool:
    expected = " ".join(filter(None, [WORDS.ungrounded, sentence, WORDS.ungrounded_hint]))
    return (reply.kind, reply.text, reply.sources) == (TurnKind.UNGROUNDED, expected, ())


@pytest.mark.parametrize(
    ("dates", "sentence"),
    [
        ({"superseded_by": "nowhere.md"}, WORDS.older.format(title=OLD)),
        ({"expires": date(2026, 11, 29)}, WORDS.older.format(title=OLD)),
        ({"effective": date(2026, 12, 1)}, WORDS.upcoming.format(title=OLD, day="1 December 2026")),
    ],
)
async def test_a_document_that_does_not_hold_is_named_and_never_quoted(dates: dict[str, Any], sentence: str) -> None:
    b = await made()
    await with_old(b, **dates)
    reply = await asked(b)
    assert declined(reply, sentence)
    assert b.answerer.asked == []
    assert "Mondays" not in reply.text


async def test_its_last_day_still_answers() -> None:
    b = await made()
    await with_old(b, expires=NOW.date())
    assert (await asked(b)).text == f"{SECRET} [1]"


async def test_the_decline_names_what_has_taken_its_place() -> None:
    b = await made()
    await with_old(b, superseded_by="new.md")
    await with_new(b)
    reply = await asked(b)
    assert declined(reply, WORDS.older_replaced.format(title=OLD, successor="Zoster vaccination"))


async def test_a_chain_of_versions_ends_at_the_one_that_holds_and_a_circle_at_none() -> None:
    b = await made()
    await with_old(b, superseded_by="middle")
    await b.index.replace(Document("middle", "Middle", "/m.md", PUBLIC, "0", superseded_by="new"), [])
    await with_new(b, title="Newest")
    assert "“Newest”" in (await asked(b)).text
    await b.index.replace(Document("middle", "Middle", "/m.md", PUBLIC, "0", superseded_by="old"), [])
    assert declined(await asked(b), WORDS.older.format(title=OLD))


async def test_a_successor_that_does_not_hold_yet_is_not_named() -> None:
    b = await made()
    await with_old(b, superseded_by="new")
    await with_new(b, effective=date(2027, 1, 1))
    assert "Zoster" not in (await asked(b)).text


async def test_guests_learn_of_no_old_or_new_version_that_is_not_public() -> None:
    b = await made()
    await with_old(b, superseded_by="new")
    await with_new(b, collection="staff")
    assert declined(await asked(b, guest=True), WORDS.older.format(title=OLD))
    assert "Zoster" in (await asked(b)).text
    await with_old(b, collection="staff", superseded_by="new")
    assert declined(await asked(b, guest=True), "")


async def test_where_a_current_document_answers_no_older_one_is_named() -> None:
    b = await made()
    await with_old(b, superseded_by="new")
    text = "The shingles clinic is open on Fridays from 2 pm."
    await b.index.replace(
        Document("new", "Shingles clinic 2026", "/n.md", PUBLIC, "0"),
        [Passage("new#0", "new", 0, text, "Shingles clinic 2026", (), (0, len(text)))],
    )
    reply = await asked(b)
    assert (reply.kind, reply.text) == (TurnKind.FACT, f"{text} [1]")
    assert [hit.document.id for hit in b.answerer.asked[0].evidence.hits if hit.document.id == "old"] == []


async def test_a_decline_of_the_model_names_it_too() -> None:
    b = await made(lambda _: Ungrounded())
    await with_old(b, superseded_by="nowhere")
    await with_new(b, title="When is the shingles clinic open?")
    assert WORDS.older.format(title=OLD) in (await asked(b)).text
    assert b.answerer.asked


async def test_what_is_about_something_else_is_not_named() -> None:
    b = await made()
    await with_old(b, title="Car park 2025", text="Parking is free for two hours.", superseded_by="x")
    assert declined(await asked(b), "")


async def test_its_title_leads_nowhere() -> None:
    b = await made()
    await with_old(
        b, title="Shingles clinic [open](https://evil.example) <!channel> @here www.evil.example", superseded_by="x"
    )
    reply = await asked(b)
    assert "older version, “Shingles clinic open" in reply.text
    assert not any(part in reply.text for part in ("evil", "<", "@", "]("))


async def test_where_it_cannot_be_searched_for_the_decline_stands_alone() -> None:
    b = await made()
    await with_old(b, superseded_by="x")

    class Failing(Searcher):
        async def lapsed(self, query: Query, **_: Any) -> Document | None:
            raise RetrievalError("the disk is gone")

    reply = await replace(b.engine, searcher=Failing(b.index, None, Grader.fitted())).respond(said(QUESTION))
    assert declined(reply, "")


async def test_a_source_whose_review_was_due_says_so_and_one_that_is_due_today_does_not() -> None:
    for due, mark in ((date(2026, 3, 31), date(2026, 3, 31)), (NOW.date(), None)):
        b = await made()
        await with_old(b, review_by=due)
        reply = await asked(b)
        assert [source.review_by for source in reply.sources] == [mark]
        (shown,) = reply.as_json()["sources"]
        assert shown.get("review_by") == (mark.isoformat() if mark else None)
