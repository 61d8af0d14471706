"""What can be seen by HTTP, and by whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from aiohttp.test_utils import TestClient, TestServer

from adapters.overview import Overview
from adapters.tracing.metrics import Metrics
from adapters.watch import add_watch
from adapters.web import web_app
from memory.inbox import RamInbox
from retrieval.absent_index import AbsentIndex
from retrieval.errors import IndexUnavailable
from retrieval.ram_index import RamIndex
from tests.adapters.test_overview import a_document, an_index
from tests.adapters.tracing.records import a_record

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from aiohttp import web

    from retrieval.index import Index

TOKEN = "a-token-of-sixteen-letters"


def routes(index: Index) -> web.Application:
    metrics = Metrics()
    metrics.keep(a_record())
    overview = Overview(index, "Index: ram.", RamInbox().waiting, by_meaning=False)
    app = web_app(None)
    add_watch(app, overview=overview, metrics=metrics, token=TOKEN)
    return app


@pytest.fixture
async def client() -> AsyncIterator[TestClient[web.Request, web.Application]]:
    async with TestClient(TestServer(routes(await an_index(a_document("Flu"))))) as client:
        yield client


async def test_this_machine_may_look(client: TestClient[web.Request, web.Application]) -> None:
    got = await client.get("/metrics")
    assert got.status == 200
    assert "citewell_turns_total" in await got.text()
    assert (await (await client.get("/readyz")).json())["degraded"] == []


@pytest.mark.parametrize(
    "header", [{"X-Forwarded-For": "1.2.3.4"}, {"Forwarded": "for=1.2.3.4"}, {"Host": "evil.example"}]
)
async def test_what_a_proxy_hands_on_or_another_name_brings_may_not(
    client: TestClient[web.Request, web.Application], header: dict[str, str]
) -> None:
    assert (await client.get("/metrics", headers=header)).status == 403
    assert set(await (await client.get("/readyz", headers=header)).json()) == {"ready"}


@pytest.mark.parametrize(("given", "status"), [(TOKEN, 200), (TOKEN + "x", 403), ("", 403)])
async def test_from_elsewhere_the_token_opens_it(
    client: TestClient[web.Request, web.Application], given: str, status: int
) -> None:
    headers = {"X-Forwarded-For": "1.2.3.4", "Authorization": f"Bearer {given}"}
    assert (await client.get("/metrics", headers=headers)).status == status


@pytest.mark.parametrize("index", [RamIndex(), AbsentIndex(IndexUnavailable("the index is locked"))])
async def test_without_documents_it_lives_and_is_not_ready(index: Index) -> None:
    async with TestClient(TestServer(routes(index))) as client:
        assert (await client.get("/healthz")).status == 200
        got = await client.get("/readyz")
        assert got.status == 503
        assert (await got.json())["degraded"]
