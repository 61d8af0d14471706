"""That the measurements of Slack still run, on a handful of passages and events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.bench import slack
from tests.bench.test_bench import sets

if TYPE_CHECKING:
    from tests.bench.sets import Sets

__all__ = ["sets"]


async def test_slack_is_measured_to_the_last_step(sets: Sets) -> None:
    bursts, times, sizes, reached = await slack.measured(sets, events=9, passages=9, alone=2, kills=1, starts=1)
    assert [row[3:6] for row in bursts.rows] == [("6", "0", "0")] * 3
    assert [row[1] for row in times.rows] == ["2", "2"]
    assert [row[0] for row in sizes.rows] == ["local embedder", "hosted embedder and Claude"]
    assert [row[2] for row in reached.rows if "answered once" in row[0]] == ["yes"] * 3
