"""Every measurement, one after the other: `make bench`, or `python -m tests.bench`.

The first run makes an index of the real corpus under `.citewell/bench`, which takes some minutes; later ones use it
again. It needs the shared data (`SHARED_DATA` names its folder) and prints to stdout.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("SHARED_DATA", ROOT.parent / "shared"))
HOMES = ROOT / ".citewell" / "bench"


def main() -> None:
    if not (SHARED / "data").is_dir():
        sys.exit(f"The measurements need the shared data: no folder {SHARED}/data (SHARED_DATA names another place).")
    corpus = ingested("corpus", SHARED / "data" / "corpus" / "docs")
    samples = ingested("samples", ROOT / "adapters" / "samples" / "documents")
    run("Retrieval and grade", "scripts/fit_grade.py", str(SHARED), str(corpus), str(samples), "--report")
    run("Speed of a search", "-m", "tests.bench.search_speed", "--shared", str(SHARED))
    run("Safety gate", "-m", "tests.bench.safety")


def ingested(name: str, documents: Path) -> Path:
    """The index of these documents, with all its vectors; made where it is not there yet."""
    home = HOMES / name
    citewell = [sys.executable, "-c", "from adapters.cli import main; main()", "ingest", str(documents)]
    subprocess.run(citewell, check=True, cwd=ROOT, env={**os.environ, "CITEWELL_HOME": str(home)})
    return home / "index.db"


def run(title: str, *arguments: str) -> None:
    print(f"\n== {title}: python {' '.join(arguments)}\n", flush=True)  # noqa: T201 - the report is its output
    subprocess.run([sys.executable, *arguments], check=True, cwd=ROOT)


if __name__ == "__main__":
    main()
