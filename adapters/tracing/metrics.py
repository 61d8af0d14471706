"""Turns counted, as Prometheus reads them: kinds, verdicts, declines, stages' times and fallbacks, cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.turn_record import TurnRecord

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class Metrics:
    """One registry of its own, so that two applications in a process do not mix. Labels are ours, never a person's.

    Making it blocks: the library reads files when it is loaded.
    """

    def __init__(self) -> None:
        from prometheus_client import CollectorRegistry, Counter, Histogram

        registry = self._registry = CollectorRegistry()

        def counter(name: str, said: str, *labels: str) -> Counter:
            return Counter(f"citewell_{name}", said, labels, registry=registry)

        def histogram(name: str, said: str, *labels: str) -> Histogram:
            return Histogram(f"citewell_{name}", said, labels, registry=registry, buckets=_SECONDS)

        self._turns = counter("turns", "Turns ended.", "platform", "kind")
        self._verdicts = counter("verdicts", "Verdicts of the safety gate.", "verdict")
        self._declined = counter("declined", "Questions that had no answer, by reason.", "reason")
        self._seconds = histogram("turn_seconds", "Time of a turn.")
        self._stages = histogram("stage_seconds", "Time of a stage.", "stage")
        self._runs = counter("stage_runs", "Stages run, by backend.", "stage", "backend")
        self._fallbacks = counter("fallbacks", "Stages that fell back.", "stage", "reason")
        self._dropped = counter("dropped_sentences", "Sentences dropped by the check.", "reason")
        self._tokens = counter("tokens", "Tokens of models.", "direction")
        self._dollars = counter("dollars", "Cost of models at list prices, in dollars.")

    def keep(self, record: TurnRecord) -> None:
        """Count one turn."""
        self._turns.labels(record.platform, record.kind.value).inc()
        self._verdicts.labels(record.verdict).inc()
        self._seconds.observe(record.milliseconds / 1000)
        if record.declined:
            self._declined.labels(record.declined).inc()
        for stage in record.stages:
            self._stages.labels(stage.name).observe(stage.milliseconds / 1000)
            if backend := stage.attributes.get("backend"):
                self._runs.labels(stage.name, str(backend)).inc()
            if reason := stage.attributes.get("degraded"):
                self._fallbacks.labels(stage.name, str(reason)).inc()
            for reason in filter(None, str(stage.attributes.get("dropped", "")).split(",")):
                self._dropped.labels(reason).inc()
        for direction in ("input", "output"):
            self._tokens.labels(direction).inc(float(record.spent.get(f"{direction}_tokens", 0)))
        self._dollars.inc(float(record.spent.get("dollars", 0)))

    def exposition(self) -> bytes:
        """All of it in Prometheus' text format."""
        from prometheus_client import generate_latest

        return generate_latest(self._registry)
