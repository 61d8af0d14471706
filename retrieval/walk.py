"""Finds the files to take in: the named ones, and those of known types in the named folders."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from retrieval.readers.kind import BY_EXTENSION
from retrieval.readers.sidecar import document_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_HIDDEN = (".", "~$")
"""How the names of hidden files begin, and of the locks that Office programs leave."""


@dataclass(slots=True)
class Found:
    """All paths are absolute. `skipped` counts files in folders that are hidden or of no known type.

    `outside` are links in the given folders that lead out of all of them, and are not followed. `strays` are sidecars
    beside which there is no document; the others are read with their documents, and are in no list.
    """

    files: list[Path] = field(default_factory=list)
    folders: list[Path] = field(default_factory=list)
    missing: list[Path] = field(default_factory=list)
    closed: list[Path] = field(default_factory=list)
    outside: list[Path] = field(default_factory=list)
    strays: list[Path] = field(default_factory=list)
    skipped: int = 0

    def lists(self, shown: str) -> bool:
        """Whether a file shown as this path would have been found: it lies in a folder that was read to its end.

        What lies in a hidden folder below is not read: it was named by itself, or came another way, and stays.
        """
        path = Path(shown)
        inside = any(_below(path, Path(shown_path(folder))) for folder in self.folders)
        return inside and not any(path.is_relative_to(shown_path(folder)) for folder in self.closed)


def shown_path(path: Path) -> str:
    """The path as text to be stored and shown: control characters, and bytes that are no UTF-8, in hexadecimal."""
    text = os.fsencode(path).decode("utf-8", "backslashreplace")
    return re.sub(r"[\x00-\x1f\x7f]", lambda control: f"\\x{ord(control[0]):02x}", text)


def walk(paths: Iterable[Path]) -> Found:
    """The files in order of their paths, each once.

    A link inside a folder is followed where it leads to a place in one of the given folders, though never in a circle.
    """
    found = Found()
    files: set[Path] = set()
    for given in paths:
        path = Path(os.path.abspath(given))  # noqa: PTH100  (links stay as they are written; resolve() would follow them)
        if path.is_dir():
            found.folders.append(path)
        elif path.exists():
            named = document_of(path)
            if named is None or named.is_file():
                files.add(named or path)
            else:
                found.strays.append(path)
        else:
            found.missing.append(path)
    roots = [folder.resolve() for folder in found.folders]
    for folder in found.folders:
        files.update(_inside(folder, roots, found))
    found.files = sorted(files)
    found.outside = sorted(set(found.outside))
    found.strays = sorted(set(found.strays))
    return found


def _inside(folder: Path, roots: Sequence[Path], found: Found) -> list[Path]:
    def closed(error: OSError) -> None:
        found.closed.append(Path(error.filename))

    files = []
    entered = {folder.resolve()}
    for parent, folders, names in os.walk(folder, followlinks=True, onerror=closed):
        found.skipped += sum(name.startswith(_HIDDEN) for name in folders)
        open_ones = [Path(parent, name) for name in folders if not name.startswith(_HIDDEN)]
        folders.clear()
        for path in sorted(open_ones):
            real = path.resolve()
            if _leads_out(path, roots):
                found.outside.append(path)
            elif real not in entered:
                entered.add(real)
                folders.append(path.name)
        for path in (Path(parent, name) for name in names):
            document = document_of(path)
            if document is not None and not path.name.startswith(_HIDDEN):
                found.strays += [] if document.is_file() else [path]
            elif path.name.startswith(_HIDDEN) or path.suffix.lower() not in BY_EXTENSION or not path.is_file():
                found.skipped += 1
            elif _leads_out(path, roots):
                found.outside.append(path)
            else:
                files.append(path)
    return files


def _below(path: Path, folder: Path) -> bool:
    """Whether a walk of the folder comes by the path."""
    return path.is_relative_to(folder) and not any(part.startswith(_HIDDEN) for part in path.relative_to(folder).parts)


def _leads_out(path: Path, roots: Sequence[Path]) -> bool:
    return path.is_symlink() and not any(path.resolve().is_relative_to(root) for root in roots)
