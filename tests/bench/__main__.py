"""Measurements on real data: `make bench`, or `python -m tests.bench [PART ...] [--write]`.

It needs the shared data (`SHARED_DATA` names its folder). The first run makes an index of each set under
`.citewell/bench`, which takes a quarter of an hour on two idle cores; later ones use them again. With `--write`, the
tables of each part but `safety` go to their places in docs too.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.bench import followups, ingest, quality, refusal, scale, slack, speed, support, traces
from tests.bench.report import machine, put
from tests.bench.sets import Sets

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence

    from tests.bench.report import Table

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("SHARED_DATA", ROOT.parent / "shared"))
RESULTS = ROOT / "docs" / "benchmarks.md"

PARTS: dict[str, Callable[[Sets], Coroutine[Any, Any, Sequence[Table]]]] = {
    "quality": quality.measured,
    "refusal": refusal.measured,
    "speed": speed.measured,
    "scale": scale.measured,
    "ingest": ingest.measured,
    "support": support.measured,
    "followups": followups.measured,
    "slack": slack.measured,
    "traces": traces.measured,
}
PAGES = {"followups": ROOT / "docs" / "followups.md"}
"""Where the tables of a part stand, if not among the other results."""
SAFETY = "safety"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join([*PARTS, SAFETY])}; all without one")
    parser.add_argument("--write", action="store_true", help="put the tables into the pages of docs")
    options = parser.parse_args()
    if unknown := set(options.parts) - {*PARTS, SAFETY}:
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    if not (SHARED / "data").is_dir():
        sys.exit(f"The measurements need the shared data: no folder {SHARED}/data (SHARED_DATA names another place).")
    sets = Sets(SHARED / "data", ROOT / ".citewell" / "bench")
    for part in options.parts or [*PARTS, SAFETY]:
        print(f"\n== {part}\n", flush=True)  # noqa: T201 - the report is its output
        if part == SAFETY:
            subprocess.run([sys.executable, "-m", "tests.bench.safety"], check=True, cwd=ROOT)
            continue
        report = [machine()]
        report += [table.markdown() for table in asyncio.run(PARTS[part](sets))]
        text = "\n\n".join(report)
        print(text, flush=True)  # noqa: T201 - the report is its output
        if options.write:
            page = PAGES.get(part, RESULTS)
            page.write_text(put(page.read_text(encoding="utf-8"), part, text), encoding="utf-8")


if __name__ == "__main__":
    main()
