"""docs/reliability.md names tests that are there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NAMED = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")


def test_every_test_that_the_page_names_is_there() -> None:
    named = NAMED.findall((ROOT / "docs" / "reliability.md").read_text(encoding="utf-8"))
    assert len(named) > 20
    missing = [
        (path, name)
        for path, name in named
        if not (ROOT / path).is_file() or f"def {name or 'test_'}" not in (ROOT / path).read_text(encoding="utf-8")
    ]
    assert missing == []
