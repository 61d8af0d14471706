"""How soon Teams is told that a message arrived, and whether one is answered twice: `python -m tests.bench.teams_load`.

1,000 activities, 100 a second, to a `citewell serve --local` on this machine; then 1,000 more, a third of them brought
again, through twenty kills.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from tests.doubles.teams import TeamsDouble
from tests.e2e.teams_load import Load, Outcome

GREETING = "hello"


async def measured(count: int, *, rate: float, again: float, kills: int) -> Outcome:
    """One run over an empty home."""
    with tempfile.TemporaryDirectory() as home:
        async with TeamsDouble(token="") as teams:
            return await Load(teams, Path(home), text=GREETING).run(count, rate=rate, again=again, kills=kills)


async def main(count: int) -> None:
    """Print the figures."""
    told = await measured(count, rate=100, again=0, kills=0)
    shares = ", ".join(f"p{share}: {told.percentile(share / 100) * 1000:.0f} ms" for share in (50, 95, 99))
    print(f"Acknowledged at 100 a second, {len(told.acknowledged)} activities: {shares}")  # noqa: T201
    killed = await measured(count, rate=40, again=0.33, kills=20)
    print(  # noqa: T201
        f"{len(killed.asked)} activities in {killed.deliveries} deliveries, {killed.kills} kills: "
        f"{len(killed.duplicates)} answered twice, {len(killed.silent)} not at all, "
        f"{sum(killed.notes.values())} told to ask again"
    )


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000))
