"""Where finished turns go: to memory always, and to whoever else was added."""

from __future__ import annotations

import asyncio
import logging
import os
from typing import TYPE_CHECKING, Protocol

from adapters.tracing.lines import TraceFile
from adapters.tracing.otel import OpenTelemetry, wanted
from adapters.tracing.ring import Ring

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from adapters.settings import Settings
    from bot.turn_record import TurnRecord

logger = logging.getLogger(__name__)


class Sink(Protocol):
    """Takes each record at once, and sees for itself to what is slow about it."""

    def keep(self, record: TurnRecord) -> None:
        """Take one."""
        ...


class Traces:
    """Hands each record to every sink; one that breaks costs the others nothing."""

    def __init__(self) -> None:
        self.ring = Ring()
        self._sinks: list[Sink] = [self.ring]
        self._closing: list[Callable[[], None]] = []

    @classmethod
    def chosen(cls, settings: Settings) -> Traces:
        """With a file, unless that is off, and OTLP where the environment names a collector. Blocking."""
        traces = cls()
        if settings.trace_file:
            traces.add(file := TraceFile(settings.traces_path, most_bytes=settings.trace_megabytes * 1_000_000))
            traces._closing.append(file.close)
        if wanted(os.environ):
            traces.add(exporter := OpenTelemetry.over_otlp())
            traces._closing.append(exporter.close)
        return traces

    def add(self, sink: Sink) -> None:
        """Hand it every record from now on."""
        self._sinks.append(sink)

    def keep(self, record: TurnRecord) -> None:
        """Take a turn that has ended. It never raises."""
        for sink in self._sinks:
            try:
                sink.keep(record)
            except Exception as error:  # noqa: BLE001 - see above
                logger.warning("turn %s: %s failed: %s", record.trace_id, type(sink).__name__, type(error).__name__)

    async def close(self) -> None:
        """Write and send what waits."""
        for close in self._closing:
            await asyncio.to_thread(close)


def words_until(until: datetime | None, clock: Callable[[], datetime]) -> Callable[[], bool]:
    """Whether words may be kept at the moment: until then, and not at all without a moment."""
    return lambda: until is not None and clock() < until
