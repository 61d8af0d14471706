"""Citewell on a Weaviate server, wired as the commands wire it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from adapters import samples
from adapters.app import build, utc_now
from adapters.console import message
from adapters.demo import demo_settings
from adapters.documents import take_in
from adapters.settings import Settings
from bot.errors import Misconfigured
from bot.wording import wording
from retrieval.document import PUBLIC
from tests.doubles.weaviate.orders import Orders

if TYPE_CHECKING:
    from pathlib import Path

    from adapters.app import Application
    from bot.messages import Reply
    from tests.doubles.weaviate import WeaviateDouble


FLU = "When is the flu clinic open?"
SAMPLES = samples.documents()


@pytest.fixture
def settings(weaviate: WeaviateDouble, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    weaviate.order(Orders(key="secret"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WEAVIATE_URL", weaviate.url)
    monkeypatch.setenv("WEAVIATE_API_KEY", "secret")
    return Settings.load(home=tmp_path, embedder="none")


async def ask(app: Application, text: str) -> Reply:
    return await app.engine.respond(message(text, id_=text, thread=text, at=utc_now()))


async def test_documents_go_to_the_server_and_answers_come_from_it(
    weaviate: WeaviateDouble, settings: Settings
) -> None:
    async with await build(settings) as app:
        await take_in(app, [SAMPLES], collection=PUBLIC, prune=False)
        reply = await ask(app, FLU)
    assert reply.kind == "fact"
    assert "Tuesdays" in reply.text
    assert not settings.index_path.exists()
    assert weaviate.refused == []


async def test_a_server_that_fails_in_a_turn_gives_the_fixed_error_reply(
    weaviate: WeaviateDouble, settings: Settings
) -> None:
    async with await build(settings) as app:
        await take_in(app, [SAMPLES], collection=PUBLIC, prune=False)
        weaviate.order(Orders(key="secret", failing=True))
        reply = await ask(app, FLU)
    assert (reply.kind, reply.sources) == ("error", ())
    assert reply.text == wording("en").error.general.format(reference=reply.trace_id)


async def test_a_corpus_moves_between_the_backends_by_taking_it_in_again(settings: Settings) -> None:
    held = []
    for url in (None, settings.weaviate_url):
        async with await build(settings.model_copy(update={"weaviate_url": url})) as app:
            report = await take_in(app, [SAMPLES], collection=PUBLIC, prune=False)
            assert not report.failed
            documents = await app.index.catalogue()
            held.append([(one, list(await app.index.passages_of(one.id))) for one in documents])
    assert held[0] == held[1] != []


async def test_the_demo_stays_on_this_machine(settings: Settings) -> None:
    assert demo_settings(settings).weaviate_url is None


@pytest.mark.parametrize("url", ["localhost:8080", "http://localhost:abc"])
def test_what_is_no_address_is_refused_by_the_settings_with_how_to_write_one(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("WEAVIATE_URL", url)
    with pytest.raises(Misconfigured, match=r"WEAVIATE_URL: .* reads http://host:8080"):
        Settings.load()


def test_embedded_may_be_written_in_capitals(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEAVIATE_URL", "EMBEDDED")
    assert Settings.load().weaviate_url == "embedded"
