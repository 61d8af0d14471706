"""What a person may not see, or what holds no longer, changes nothing of what is answered from the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from adapters.app import build, utc_now
from adapters.console import message
from adapters.documents import take_in
from adapters.samples import documents
from adapters.settings import Settings
from bot.messages import TurnKind
from bot.wording import wording
from retrieval.document import PUBLIC

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from adapters.app import Application
    from bot.messages import Reply

QUESTIONS = (
    "How is quexil fever treated?",
    "When is the quexil clinic open?",
    "Is the flu clinic open to people with quexil fever?",
    "What should I bring to a zorbamycin blood test?",
    "When is the flu clinic open?",
)
ROTA = (
    "# Quexil fever\n\nQuexil fever is treated with zorbamycin.\n\n"
    "## Clinic\n\nThe quexil clinic is open on Mondays from 8 am, and gives zorbamycin blood tests.\n"
)


@pytest.fixture
async def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Application]:
    """Over the sample leaflets, searched by words."""
    monkeypatch.chdir(tmp_path)
    async with await build(Settings.load(home=tmp_path / "home", embedder="none")) as app:
        await take_in(app, [documents()], collection=PUBLIC, prune=False)
        yield app


async def ask(app: Application, question: str, *, guest: bool = False) -> Reply:
    return await app.respond(message(question, id_=question, thread=question, at=utc_now(), guest=guest))


async def told(app: Application) -> list[tuple[object, ...]]:
    """What guests are told, each in a conversation of its own."""
    replies = [await ask(app, question, guest=True) for question in QUESTIONS]
    return [(one.kind, one.text, one.confidence) for one in replies]


async def test_words_that_only_the_staffs_documents_hold_change_nothing_for_a_guest(
    app: Application, tmp_path: Path
) -> None:
    before = await told(app)
    path = tmp_path / "rota.md"
    path.write_text(ROTA)
    await take_in(app, [path], collection="staff", prune=False)
    assert await told(app) == before


async def test_a_document_that_has_expired_is_named_and_none_about_something_else_answers_for_it(
    app: Application, tmp_path: Path
) -> None:
    path = tmp_path / "old.md"
    path.write_text(f"---\ntitle: Quexil fever\nexpires: 2020-01-31\n---\n{ROTA}")
    await take_in(app, [path], collection=PUBLIC, prune=False)
    for question in QUESTIONS[:2]:
        reply = await ask(app, question)
        assert reply.kind is TurnKind.UNGROUNDED
        assert wording().answer.older.format(title="Quexil fever") in reply.text
