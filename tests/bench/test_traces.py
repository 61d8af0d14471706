"""That the measurement of tracing still runs, and compares two times of the same turns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.bench import traces
from tests.bench.sets import Sets

if TYPE_CHECKING:
    from pathlib import Path


async def test_a_turn_and_its_trace_stand_in_one_table(tmp_path: Path) -> None:
    table, wanted = await traces.measured(Sets(tmp_path, tmp_path), rounds=1)
    assert [row[0] for row in table.rows] == ["a whole turn", "keeping its trace: memory, file, metrics, spans"]
    assert table.rows[1][-1].endswith("%")
    assert "under 1 ms" in wanted.rows[0][0]
