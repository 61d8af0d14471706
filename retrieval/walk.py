"""Finds the files to take in: the named ones, and those of known types in the named folders."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from retrieval.readers.kind import BY_EXTENSION

if TYPE_CHECKING:
    from collections.abc import Iterable

_HIDDEN = (".", "~$")
"""How the names of hidden files begin, and of the locks that Office programs leave."""


@dataclass(slots=True)
class Found:
    """All paths are absolute. `skipped` counts files in folders that are hidden or of no known type."""

    files: list[Path] = field(default_factory=list)
    folders: list[Path] = field(default_factory=list)
    missing: list[Path] = field(default_factory=list)
    closed: list[Path] = field(default_factory=list)
    skipped: int = 0

    def lists(self, path: Path) -> bool:
        """Whether a file at this path would have been found: it lies in a folder that was read to its end."""
        inside = any(path.is_relative_to(folder) for folder in self.folders)
        return inside and not any(path.is_relative_to(folder) for folder in self.closed)


def walk(paths: Iterable[Path]) -> Found:
    """The files in order of their paths, each once. Links to folders are followed, though never in a circle."""
    found = Found()
    files: set[Path] = set()
    for given in paths:
        path = Path(os.path.abspath(given))  # noqa: PTH100  (links stay as they are written; resolve() would follow them)
        if path.is_dir():
            found.folders.append(path)
            files.update(_inside(path, found))
        elif path.exists():
            files.add(path)
        else:
            found.missing.append(path)
    found.files = sorted(files)
    return found


def _inside(folder: Path, found: Found) -> list[Path]:
    def closed(error: OSError) -> None:
        found.closed.append(Path(error.filename))

    files = []
    entered = {os.path.realpath(folder)}
    for parent, folders, names in os.walk(folder, followlinks=True, onerror=closed):
        found.skipped += sum(name.startswith(_HIDDEN) for name in folders)
        open_ones = [name for name in folders if not name.startswith(_HIDDEN)]
        folders.clear()
        for name in sorted(open_ones):
            real = os.path.realpath(os.path.join(parent, name))  # noqa: PTH118  (beside os.walk)
            if real not in entered:
                entered.add(real)
                folders.append(name)
        for name in names:
            path = Path(parent, name)
            if name.startswith(_HIDDEN) or path.suffix.lower() not in BY_EXTENSION or not path.is_file():
                found.skipped += 1
            else:
                files.append(path)
    return files
