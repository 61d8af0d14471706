"""Whoever asks on the playground's page sits at the operator's own machine, and sees what they see in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adapters.app import build
from adapters.documents import fill_in
from adapters.playground.asking import Question, asked
from adapters.settings import Settings
from retrieval.ingest import ingest

if TYPE_CHECKING:
    from pathlib import Path

ROTA = "# Rota\n\nThe night rota is drawn up by Maria Lind on the first Monday of each month.\n"
_CONVERSATION = "0f0f0f0f-1111-4111-8111-222222222222"


async def answer(tmp_path: Path, *, guest: bool) -> dict[str, Any]:
    loaded = Settings.load(home=tmp_path / "home", embedder="none")
    (tmp_path / "rota.md").write_text(ROTA)
    async with await build(loaded) as app:
        await ingest([tmp_path / "rota.md"], app.index, collection="staff")
        await fill_in(app)
        question = Question(question="Who draws up the night rota?", conversation=_CONVERSATION, guest=guest)
        reply: dict[str, Any] = (await asked(app, question, "m1"))["reply"]
        return reply


async def test_the_page_answers_from_collections_that_are_not_public(tmp_path: Path) -> None:
    reply = await answer(tmp_path, guest=False)
    assert "Maria Lind" in reply["text"]
    assert reply["sources"]


async def test_asked_as_a_guest_it_answers_from_public_ones_alone(tmp_path: Path) -> None:
    reply = await answer(tmp_path, guest=True)
    assert "Maria Lind" not in reply["text"]
    assert not reply["sources"]
