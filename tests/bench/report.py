"""What is measured, as tables of Markdown, and the place in a document where they stand."""

from __future__ import annotations

import os
import platform
import re
import sqlite3
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Table:
    """One table; columns of figures, which all but the first may be, are set to the right."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]

    def markdown(self) -> str:
        """With its title before it."""
        _, *others = (self.rows or [self.columns])[0]
        sides = ["---:" if cell[:1].isdigit() else "---" for cell in others]
        lines = [self.columns, ["---", *sides], *self.rows]
        return f"**{self.title}**\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines)


@dataclass(frozen=True, slots=True)
class Goal:
    """A figure that is to be reached, what was measured, and whether that is enough."""

    wanted: str
    measured: str
    met: bool


def goals(found: Sequence[Goal]) -> Table:
    """The goals as a table."""
    rows = [(one.wanted, one.measured, "yes" if one.met else "**no**") for one in found]
    return Table("Figures to reach", ("wanted", "measured", "met"), rows)


@dataclass(frozen=True, slots=True)
class Times:
    """Of several searches, in milliseconds: on the clock, and of processor time in the whole process."""

    wall: Sequence[float]
    processor: Sequence[float]

    def at(self, percent: float) -> float:
        """This percentile on the clock."""
        return float(np.percentile(self.wall, percent))

    @property
    def p50(self) -> float:
        """The median on the clock."""
        return self.at(50)

    @property
    def cells(self) -> tuple[str, str, str]:
        """The median and the 95th percentile on the clock, and the median of processor time."""
        return f"{self.p50:.1f}", f"{self.at(95):.1f}", f"{float(np.median(self.processor)):.1f}"


def machine() -> str:
    """The kind of machine and what runs on it, without its name; with how busy it was."""
    info = Path("/proc/cpuinfo")
    names = re.findall(r"model name\s*:\s*(.+)", info.read_text(encoding="utf-8")) if info.exists() else []
    processor = names[0] if names else platform.machine()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    libraries = ", ".join(f"{name} {version(name)}" for name in ("numpy", "onnxruntime", "tokenizers"))
    return (
        f"Measured on {os.cpu_count()} cores of {processor}, {memory:.0f} GB of memory, "
        f"{platform.system()}, Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {libraries}; "
        f"load at the start of this part {os.getloadavg()[0]:.1f}."
    )


def put(document: str, part: str, text: str) -> str:
    """The document with this part's place filled anew. ValueError if it has no place for it."""
    begin, end = f"<!-- {part}: begin -->\n", f"<!-- {part}: end -->"
    before, found, rest = document.partition(begin)
    _, closed, after = rest.partition(end)
    if not (found and closed):
        msg = f"No place for {part!r}: it stands between {begin.strip()} and {end}."
        raise ValueError(msg)
    return f"{before}{begin}\n{text}\n\n{end}{after}"
