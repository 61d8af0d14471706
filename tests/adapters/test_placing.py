"""What `citewell ingest --context` shows of its cost, whom it asks, and what is never shown of what it has written."""

from __future__ import annotations

import re
import sys
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from io import StringIO
from typing import TYPE_CHECKING, Any

import pytest

from adapters.app import build
from adapters.console import listed, message, rendered
from adapters.documents import take_in
from adapters.placing import place
from adapters.settings import Settings
from retrieval.evidence import Query
from retrieval.search import PipelineSettings
from tests.doubles.claude import KEY, ClaudeDouble, Refuses, Says, Scripted

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from pathlib import Path

    from adapters.app import Application
    from adapters.placing import Placed

MODEL = "claude-haiku-5-5"
DOCUMENTS = 6
MARK = "Zanzibar"


def about(body: Mapping[str, Any]) -> Scripted:
    ward = re.search(r"Ward (\d+)", body["messages"][0]["content"][-1]["text"])
    assert ward
    return Says({"sentence": f"Where ward {ward[1]} is found, for visitors from {MARK}."})


def asked_about(claude: ClaudeDouble) -> set[str]:
    """The wards that the requests that passed were about."""
    texts = [body["messages"][0]["content"][-1]["text"] for body in claude.requests]
    return {ward for text in texts for ward in re.findall(r"Ward (\d+)", text)}


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    for number in range(DOCUMENTS):
        (folder / f"{number}.md").write_text(
            f"# Leaflet {number}\n\nWard {number} is on floor {number}. Take the lift."
        )
    return folder


@asynccontextmanager
async def placing(
    folder: Path, *replies: Scripted, model: str = MODEL
) -> AsyncIterator[tuple[Application, ClaudeDouble]]:
    async with ClaudeDouble(replies, models=[model], otherwise=about) as claude:
        settings = Settings(
            home=folder.parent / "home",
            embedder="none",
            small_model=model,
            ANTHROPIC_API_KEY=KEY,
            ANTHROPIC_BASE_URL=claude.url,
        )
        async with await build(settings) as app:
            yield app, claude
        assert claude.refused == []


async def ingest(app: Application, *paths: Path, yes: bool = True) -> Placed:
    report = await take_in(app, paths, collection="public", prune=False)
    return await place(app, report, yes=yes)


async def test_the_cost_is_shown_before_and_after_and_is_in_the_report(
    documents: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with placing(documents) as (app, _):
        context = (await ingest(app, documents)).as_json()
    assert list(context) == [
        *("model", "passages", "documents", "written", "without", "estimated", "used", "prices_read")
    ]
    assert (context["model"], context["passages"], context["documents"]) == (MODEL, DOCUMENTS, DOCUMENTS)
    assert (context["written"], context["without"]) == (DOCUMENTS, 0)
    kinds = {"input_tokens", "output_tokens", "cache_write_tokens", "cache_read_tokens", "dollars"}
    assert set(context["used"]) == set(context["estimated"]) == kinds
    assert context["used"]["output_tokens"] == 10 * DOCUMENTS
    assert 0 < context["used"]["dollars"] < context["estimated"]["dollars"]
    before, after = capsys.readouterr().err.splitlines()
    assert f"{DOCUMENTS} passages of {DOCUMENTS} documents have no sentence yet" in before
    assert f"{context['estimated']['input_tokens']:,} input" in before
    assert f"{DOCUMENTS} sentences written." in after
    assert f"{context['used']['input_tokens']:,} input" in after
    assert all("under $0.01 at the list prices" in line for line in (before, after))


async def test_a_model_without_a_known_price_shows_tokens_and_no_dollars(
    documents: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with placing(documents, model="claude-of-ours") as (app, claude):
        placed = await ingest(app, documents)
        assert all("effort" not in body["output_config"] for body in claude.requests)
    assert placed.as_json()["used"]["dollars"] is None
    assert "$" not in capsys.readouterr().err


@pytest.mark.parametrize(("answer", "written"), [("y\n", DOCUMENTS), (" YES \n", DOCUMENTS), ("n\n", 0), ("", 0)])
async def test_it_asks_before_it_costs_anything(
    documents: Path, monkeypatch: pytest.MonkeyPatch, answer: str, written: int
) -> None:
    monkeypatch.setattr(sys, "stdin", StringIO(answer))
    async with placing(documents) as (app, claude):
        placed = await ingest(app, documents, yes=False)
        assert (placed.written.stored, len(claude.requests)) == (written, written)


async def test_what_has_its_sentence_is_not_asked_about_again(
    documents: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with placing(documents) as (app, claude):
        await ingest(app, documents)
        (documents / "3.md").write_text("# Leaflet 3\n\nWard 3 has moved to floor 9.")
        claude.requests.clear()
        await ingest(app, documents)
        assert asked_about(claude) == {"3"}
        assert (await ingest(app, documents, yes=False)).passages == 0
        assert len(claude.requests) == 1
    assert "has its sentence" in capsys.readouterr().err


async def test_only_documents_that_are_named_cost_anything_whenever_they_were_taken_in(documents: Path) -> None:
    async with placing(documents) as (app, claude):
        await take_in(app, [documents], collection="public", prune=False)
        await ingest(app, documents / "5.md")
        assert asked_about(claude) == {"5"}


async def test_a_passage_of_which_the_model_will_not_speak_is_counted(
    documents: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with placing(documents, Refuses("bio"), Says({"sentence": "A **bold** claim."})) as (app, _):
        placed = await ingest(app, documents)
    assert (placed.written.stored, placed.written.without) == (DOCUMENTS - 2, 2)
    assert "2 stay without" in capsys.readouterr().err


async def test_a_sentence_helps_to_find_and_is_shown_nowhere(documents: Path) -> None:
    question = f"On which floor do visitors from {MARK} find ward 4?"
    async with placing(documents) as (app, _):
        await ingest(app, documents)
        shown = []
        for words in (MARK, question):
            evidence = await app.searcher.search(Query(words, words))
            assert evidence.hits
            shown += [listed(evidence), str(evidence.as_json())]
        without = await app.searcher.search(Query(MARK, MARK), pipeline=PipelineSettings(context=False))
        assert without.hits == ()
    settings = Settings(home=documents.parent / "home", embedder="none")
    async with await build(settings) as app:
        for text in (question, f"And for people from {MARK}?", "Ward 4?", "sources"):
            reply = await app.respond(
                message(text, id_=text, thread="t", at=datetime.now(UTC), guest=False, country=None)
            )
            shown += [rendered(reply, app.engine.wording, width=80), str(reply.as_json())]
    assert not any(MARK in one for one in shown)
    assert any("Ward 4 is on floor 4." in one for one in shown)
