"""What is wired for which settings, and that each hosted stage can be pulled away while it runs."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from adapters.app import build, utc_now
from adapters.console import message
from adapters.demo import demo_settings
from adapters.documents import fill_in
from adapters.settings import Settings
from bot.errors import Misconfigured
from retrieval.errors import IndexMismatch, ModelRefused
from retrieval.evidence import Query
from retrieval.ingest import ingest
from tests.doubles.voyage import KEY, Drops, Fails, Sends, VoyageDouble

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from adapters.app import Application
    from retrieval.evidence import Stage
    from tests.doubles.voyage import Scripted

OPEN = "When is the flu clinic open?"
LEAFLET = "# Flu clinic\n\nThe flu clinic is open on Tuesdays from 9 am to 12 noon.\n"


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No `.env` and no key of the developer's own."""
    monkeypatch.chdir(tmp_path)
    for name in ("VOYAGE_API_KEY", "VOYAGE_BASE_URL", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
async def double() -> AsyncIterator[VoyageDouble]:
    async with VoyageDouble() as running:
        yield running


def settings(home: Path, double: VoyageDouble | None = None, **given: str) -> Settings:
    voyage = {"VOYAGE_API_KEY": KEY, "VOYAGE_BASE_URL": double.url} if double is not None else {}
    return Settings.load(home=home / "home", **voyage, **given)


async def filled(app: Application, folder: Path) -> Application:
    (folder / "flu.md").write_text(LEAFLET)
    await ingest([folder / "flu.md"], app.index)
    await fill_in(app)
    return app


async def stages(app: Application) -> dict[str, Stage]:
    return {stage.name: stage for stage in (await app.searcher.search(Query(OPEN, OPEN))).stages}


@pytest.mark.usefixtures("nothing_blocks_the_loop")
async def test_without_a_key_the_installations_own_models_embed_and_rerank(tmp_path: Path) -> None:
    loaded = await asyncio.to_thread(settings, tmp_path)
    async with await build(loaded) as app:
        ran = await stages(await filled(app, tmp_path))
        assert app.voyage is None
        assert {name: (stage.backend, stage.degraded) for name, stage in ran.items()} == {
            "embed": ("all-MiniLM-L6-v2", None),
            "search": ("sqlite", None),
            "rerank": ("fitted", None),
            "grade": ("fitted", None),
        }


async def test_with_a_key_voyage_embeds_and_reranks(tmp_path: Path, double: VoyageDouble) -> None:
    async with await build(settings(tmp_path, double)) as app:
        ran = await stages(await filled(app, tmp_path))
        assert {name: (stage.backend, stage.degraded) for name, stage in ran.items()} == {
            "embed": ("voyage-4", None),
            "search": ("sqlite", None),
            "rerank": ("rerank-2.5", None),
            "grade": ("fitted", None),
        }
        assert (await app.index.status()).model == "voyage-4"


async def test_the_models_can_be_chosen(tmp_path: Path, double: VoyageDouble) -> None:
    chosen = settings(tmp_path, double, voyage_model="voyage-context-3", rerank_model="rerank-2.5-lite")
    async with await build(chosen) as app:
        ran = await stages(await filled(app, tmp_path))
        assert (ran["embed"].backend, ran["rerank"].backend) == ("voyage-context-3", "rerank-2.5-lite")


async def test_the_demo_uses_no_key(tmp_path: Path, double: VoyageDouble) -> None:
    async with await build(demo_settings(settings(tmp_path, double, ANTHROPIC_API_KEY="not-used"))) as app:
        assert (app.voyage, app.claude) == (None, None)


@pytest.mark.parametrize(("embedder", "name"), [("local", "all-MiniLM-L6-v2"), ("none", None)])
async def test_an_embedder_that_is_named_goes_before_the_key_which_reranks_still(
    tmp_path: Path, double: VoyageDouble, embedder: str, name: str | None
) -> None:
    async with await build(settings(tmp_path, double, embedder=embedder)) as app:
        await filled(app, tmp_path)
        assert (app.embedder.name if app.embedder else None) == name
        assert (await stages(app))["rerank"].backend == "rerank-2.5"
    assert {path for path, _ in double.requests} == {"/v1/rerank"}


async def test_a_key_given_later_is_refused_until_the_documents_are_embedded_anew(
    tmp_path: Path, double: VoyageDouble
) -> None:
    async with await build(settings(tmp_path)) as app:
        await filled(app, tmp_path)
    with pytest.raises(IndexMismatch, match="--re-embed"):
        await build(settings(tmp_path, double))
    async with await build(settings(tmp_path, double), re_embed=True) as app:
        assert (await fill_in(app)).status.model == "voyage-4"


async def test_what_cannot_be_a_key_or_an_address_is_named(tmp_path: Path, double: VoyageDouble) -> None:
    with pytest.raises(ModelRefused, match="VOYAGE_API_KEY"):
        await build(settings(tmp_path, VOYAGE_API_KEY="two words"))
    with pytest.raises(Misconfigured, match="VOYAGE_BASE_URL"):
        settings(tmp_path, VOYAGE_BASE_URL="api.example")


@pytest.mark.parametrize(
    "fault",
    [Fails(401), Fails(429, {"Retry-After": "60"}), Fails(503), Drops(), Sends(b"<html>", "text/html")],
    ids=["key revoked", "rate limit", "down", "connection lost", "garbage"],
)
@pytest.mark.usefixtures("nothing_blocks_the_loop")
async def test_voyage_pulled_away_while_running_leaves_an_answer(
    tmp_path: Path, double: VoyageDouble, fault: Scripted
) -> None:
    loaded = await asyncio.to_thread(settings, tmp_path, double)
    async with await build(loaded) as app:
        await filled(app, tmp_path)
        double.script = [fault] * 10
        ran = await stages(app)
        assert (ran["embed"].degraded, ran["rerank"].degraded) == ("embedder-failed", "reranker-failed")
        reply = await app.engine.respond(message(OPEN, id_="m1", thread="t", at=utc_now()))
        assert "Tuesdays from 9 am to 12 noon" in reply.text
        double.script = []
        assert {stage.degraded for stage in (await stages(app)).values()} == {None}


async def test_voyage_gone_altogether_leaves_an_answer(tmp_path: Path) -> None:
    async with VoyageDouble() as double:
        app = await filled(await build(settings(tmp_path, double)), tmp_path)
    async with app:
        reply = await app.engine.respond(message(OPEN, id_="m1", thread="t", at=utc_now()))
        assert "Tuesdays from 9 am to 12 noon" in reply.text
