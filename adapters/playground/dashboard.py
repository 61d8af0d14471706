"""The numbers of the dashboard: how turns ended, how long their stages took, what people thought, what is lacking."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from dataclasses import asdict
from datetime import timedelta
from itertools import chain
from typing import TYPE_CHECKING, Any

from adapters.tracing.lines import read_traces
from bot.gaps import gaps
from memory.errors import MemoryUnavailable
from memory.reports import Reports
from retrieval.errors import RetrievalError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from adapters.app import Application
    from bot.turn_record import TurnRecord

_DAYS = 14
_GAPS = 10
_INGESTS = 15


class Dashboard:
    """Reads the traces in the file and in memory, the memory file's reports and the index; writes nothing."""

    def __init__(self, app: Application) -> None:
        self._app = app

    async def numbers(self) -> dict[str, Any]:
        """Everything at once, of the last fortnight. What cannot be read is left out, and named in `unread`."""
        since = self._app.engine.clock() - timedelta(days=_DAYS)
        records = await asyncio.to_thread(self._records, since)
        found: dict[str, Any] = {"days": _DAYS, "turns": len(records), "unread": []} | of_turns(records)
        try:
            reports = Reports(self._app.memory_file)
            found["feedback"] = asdict(await reports.ratings(since))
            declined = await reports.declined(since)
            found["gaps"] = [
                {"question": gap.question, "times": gap.times, "last": gap.last.date().isoformat()}
                for gap in (await asyncio.to_thread(gaps, declined))[:_GAPS]
            ]
        except MemoryUnavailable:
            found["unread"].append("memory")
        ingests = await asyncio.to_thread(self._app.history.last, _INGESTS)
        found["ingests"] = [one.as_json() for one in ingests]
        try:
            status = await self._app.index.status()
            found["index"] = {
                "documents": status.documents,
                "passages": status.passages,
                "found by meaning": status.embedded,
                "last changed": status.updated_at.isoformat() if status.updated_at else "",
            }
        except RetrievalError:
            found["unread"].append("index")
        return found

    def _records(self, since: datetime) -> list[TurnRecord]:
        """Blocking. Those in memory that are not in the file are guests', or the file is off."""
        path = self._app.settings.traces_path
        both = chain(read_traces(path), self._app.traces.ring.last(1_000_000))
        recent = {record.trace_id: record for record in both if record.at >= since}
        return list(recent.values())


def of_turns(records: Sequence[TurnRecord]) -> dict[str, Any]:
    """What the turns amount to. Times are in milliseconds."""
    days: defaultdict[str, Counter[str]] = defaultdict(Counter)
    stages: defaultdict[str, list[float]] = defaultdict(list)
    for record in records:
        days[record.at.date().isoformat()][record.kind.value] += 1
        stages["turn"].append(record.milliseconds)
        for stage in record.stages:
            stages[stage.name].append(stage.milliseconds)
    each = [stage for record in records for stage in record.stages]
    return {
        "kinds": {day: dict(kinds) for day, kinds in sorted(days.items())},
        "declined": _most(record.declined for record in records if record.declined),
        "verdicts": _most(record.verdict for record in records),
        "stages": {
            name: {"runs": len(times), "p50": _quantile(times, 0.5), "p95": _quantile(times, 0.95)}
            for name, times in sorted(stages.items())
        },
        "backends": _most(f"{one.name}: {one.attributes['backend']}" for one in each if "backend" in one.attributes),
        "fallbacks": _most(f"{one.name}: {one.attributes['degraded']}" for one in each if "degraded" in one.attributes),
        "dollars": round(sum(float(record.spent.get("dollars", 0)) for record in records), 4),
    }


def _most(names: Iterable[str]) -> dict[str, int]:
    return dict(Counter(names).most_common())


def _quantile(times: Sequence[float], share: float) -> float:
    return round(sorted(times)[min(len(times) - 1, int(share * len(times)))], 1)
