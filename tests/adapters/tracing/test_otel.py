"""Turns sent by OTLP to a collector that reads them, over a real socket."""

from __future__ import annotations

import asyncio
import os
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest
from aiohttp import web
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from adapters.settings import Settings
from adapters.tracing.otel import wanted
from adapters.tracing.traces import Traces
from tests.adapters.tracing.records import AT, a_record

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from opentelemetry.proto.trace.v1.trace_pb2 import Span


@asynccontextmanager
async def collector() -> AsyncIterator[tuple[str, list[Span]]]:
    """An address, and the spans that have come there. Thinner than a real one: HTTP and protobuf only, and it keeps."""
    spans: list[Span] = []

    async def take(request: web.Request) -> web.Response:
        assert request.content_type == "application/x-protobuf"
        sent = ExportTraceServiceRequest.FromString(await request.read())
        spans.extend(span for one in sent.resource_spans for scope in one.scope_spans for span in scope.spans)
        return web.Response(content_type="application/x-protobuf")

    app = web.Application()
    app.router.add_post("/v1/traces", take)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0][:2]
    yield f"http://{host}:{port}", spans
    await runner.cleanup()


async def test_a_turn_is_one_trace_with_a_span_for_each_stage_at_its_time(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async with collector() as (address, spans):
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address)
        traces = await asyncio.to_thread(Traces.chosen, Settings(home=tmp_path, trace_file=False))
        traces.keep(a_record())
        await traces.close()
    whole = next(span for span in spans if span.name == "invoke_agent citewell")
    assert {span.trace_id for span in spans} == {whole.trace_id}
    assert [span.name for span in spans if span.parent_span_id == whole.span_id] == [
        *("retrieval", "chat claude-test", "verify")
    ]
    search = next(span for span in spans if span.name == "retrieval")
    assert search.start_time_unix_nano - whole.start_time_unix_nano == 1_000_000
    assert search.end_time_unix_nano - search.start_time_unix_nano == 10_000_000
    assert whole.end_time_unix_nano == int(AT.timestamp()) * 10**9


async def test_a_models_call_carries_the_names_of_the_conventions(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async with collector() as (address, spans):
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address)
        traces = await asyncio.to_thread(Traces.chosen, Settings(home=tmp_path, trace_file=False))
        traces.keep(a_record())
        await traces.close()
    chat = next(span for span in spans if span.name.startswith("chat"))
    said = {one.key: one.value.string_value or one.value.int_value for one in chat.attributes}
    assert said["gen_ai.operation.name"] == "chat"
    assert said["gen_ai.request.model"] == "claude-test"
    assert said["gen_ai.usage.input_tokens"] == 300


@pytest.mark.parametrize(
    ("environment", "sends"),
    [
        ({}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": ""}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x"}, True),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://x"}, True),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x", "OTEL_SDK_DISABLED": "true"}, False),
    ],
)
def test_the_standard_variables_turn_it_on(environment: dict[str, str], sends: bool) -> None:
    assert wanted(environment) is sends


def test_without_them_the_sdk_is_not_even_loaded(tmp_path: Path) -> None:
    assert not wanted(os.environ)
    assert len(Traces.chosen(Settings(home=tmp_path, trace_file=False))._sinks) == 1
