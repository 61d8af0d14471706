"""A file of JSON lines that is renamed when it is full, with a few full ones beside it; its owner's alone to read."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

KEPT = 3
"""So many full files stay beside the one that grows: NAME.1 is the youngest of them."""


def append(path: Path, lines: str, *, most_bytes: int) -> None:
    """Add whole lines at the end. Blocking. OSError where they cannot be written."""
    with suppress(FileNotFoundError):
        if path.stat().st_size + len(lines) > most_bytes:
            _rotate(path)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(handle, "a", encoding="utf-8", errors="replace") as file:
        file.write(lines)


def lines_of(path: Path) -> Iterator[str]:
    """Every line there is, oldest first. Blocking."""
    for file in (*(_numbered(path, number) for number in range(KEPT, 0, -1)), path):
        with suppress(FileNotFoundError), file.open(encoding="utf-8", errors="replace") as lines:
            yield from lines


def _rotate(path: Path) -> None:
    for number in range(KEPT - 1, 0, -1):
        with suppress(FileNotFoundError):
            _numbered(path, number).replace(_numbered(path, number + 1))
    path.replace(_numbered(path, 1))


def _numbered(path: Path, number: int) -> Path:
    return path.with_name(f"{path.name}.{number}")
