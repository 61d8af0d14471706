"""Turns sent on by OTLP, where the standard variables of OpenTelemetry name a collector.

One trace a turn and a span a stage. Models' calls carry the attributes of the GenAI conventions; all else is named
`citewell.*`. Source: opentelemetry.io, "OTLP Exporter Configuration" and "Semantic conventions for generative AI".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from opentelemetry.sdk.trace import SpanProcessor, TracerProvider

    from bot.trace import Attribute
    from bot.turn_record import StageRecord, TurnRecord

VARIABLES = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
"""Either turns it on."""

_GEN_AI = {
    "model": "gen_ai.request.model",
    "input_tokens": "gen_ai.usage.input_tokens",
    "output_tokens": "gen_ai.usage.output_tokens",
    "cache_read_tokens": "gen_ai.usage.cache_read.input_tokens",
    "cache_write_tokens": "gen_ai.usage.cache_creation.input_tokens",
}
_MILLION = 1_000_000


def wanted(environment: Mapping[str, str]) -> bool:
    """Whether a collector is named, and OpenTelemetry is not switched off."""
    off = environment.get("OTEL_SDK_DISABLED", "").casefold() == "true"
    return not off and any(environment.get(name) for name in VARIABLES)


class OpenTelemetry:
    """Makes spans of each record, with its stages' times and none of its words, for `processor`."""

    def __init__(self, processor: SpanProcessor) -> None:
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider

        named = Resource.create({"service.name": "citewell"})  # OTEL_SERVICE_NAME goes before it
        self._provider: TracerProvider = TracerProvider(resource=named, shutdown_on_exit=False)
        self._provider.add_span_processor(processor)
        self._tracer = self._provider.get_tracer("citewell")

    @classmethod
    def over_otlp(cls) -> OpenTelemetry:
        """With the exporter that the environment's variables describe, over HTTP, in batches by a thread of its own."""
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        return cls(BatchSpanProcessor(OTLPSpanExporter()))

    def keep(self, record: TurnRecord) -> None:
        """Make its spans."""
        from opentelemetry.trace import set_span_in_context

        ended = int(record.at.timestamp() * 1000) * _MILLION
        length = max([record.milliseconds, *(stage.began + stage.milliseconds for stage in record.stages)])
        began = ended - int(length * _MILLION)
        whole = self._tracer.start_span("invoke_agent citewell", start_time=began, attributes=_of_turn(record))
        inside = set_span_in_context(whole)
        for stage in record.stages:
            at = began + int(stage.began * _MILLION)
            span = self._tracer.start_span(_name(stage), inside, start_time=at, attributes=_of_stage(stage))
            span.end(at + int(stage.milliseconds * _MILLION))
        whole.end(ended)

    def close(self) -> None:
        """Send what waits and let go of the connection. Blocking."""
        self._provider.shutdown()


def _name(stage: StageRecord) -> str:
    model = stage.attributes.get("model")
    return f"chat {model}" if model and "input_tokens" in stage.attributes else stage.name


def _of_turn(record: TurnRecord) -> dict[str, Any]:
    given = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "citewell",
        "citewell.trace_id": record.trace_id,
        "citewell.platform": record.platform,
        "citewell.guest": record.guest,
        "citewell.kind": record.kind.value,
        "citewell.verdict": record.verdict,
        "citewell.confidence": record.confidence,
        "citewell.declined": record.declined,
    }
    spent = {f"citewell.spent.{name}": value for name, value in record.spent.items()}
    return {name: value for name, value in (given | spent).items() if value not in (None, "")}


def _of_stage(stage: StageRecord) -> dict[str, Attribute]:
    named = {_GEN_AI.get(name, f"citewell.{name}"): value for name, value in stage.attributes.items()}
    if "input_tokens" in stage.attributes:
        named["gen_ai.operation.name"] = "chat"
    return {"citewell.stage": stage.name, **named}
