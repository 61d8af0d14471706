"""Records of turns for tests."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from bot.turn_record import StageRecord, TurnRecord
from memory.turn import TurnKind

AT = datetime(2026, 11, 30, 9, tzinfo=UTC)
SEARCH = StageRecord("retrieval", 1.0, 10.0, {"grade": "correct", "hits": 8, "backend": "sqlite"})
ANSWER = StageRecord(
    "answer", 11.0, 40.0, {"backend": "claude", "model": "claude-test", "input_tokens": 300, "output_tokens": 20}
)
CHECK = StageRecord("verify", 51.0, 1.0, {"kept": 1, "dropped": "figure,negation"})


def a_record(trace_id: str = "t1", *, minutes: float = 0, **more: Any) -> TurnRecord:
    given: dict[str, Any] = {
        "trace_id": trace_id,
        "at": AT + timedelta(minutes=minutes),
        "platform": "slack",
        "guest": False,
        "kind": TurnKind.FACT,
        "verdict": "Clear",
        "milliseconds": 52.0,
        "stages": (SEARCH, ANSWER, CHECK),
        "confidence": 0.8,
        "spent": {"input_tokens": 300, "output_tokens": 20, "dollars": 0.002},
    }
    return TurnRecord(**given | more)
