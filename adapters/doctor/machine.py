"""Looks at this machine: its folder, its disk, its clock's zone, the lines for people in need."""

from __future__ import annotations

import asyncio
import os
import shutil
from typing import TYPE_CHECKING

from adapters.home_settings import FORMER_NAME, HOME_FILE
from bot.crisis_file import bundled
from bot.own_people import own_people
from memory.file import MemoryFile
from memory.inbox import SqliteInbox

if TYPE_CHECKING:
    from datetime import date
    from pathlib import Path

    from adapters.doctor.finding import Findings
    from adapters.settings import Settings

_TIGHT, _FULL = 1_000_000_000, 100_000_000
_PRIVATE = ("memory.db", "traces.jsonl", "slack.db", HOME_FILE, FORMER_NAME)


async def look_at_machine(settings: Settings, found: Findings, today: date) -> None:
    """Everything that needs no other machine."""
    home = settings.home.expanduser()
    async with found.looking_at("home"):
        await asyncio.to_thread(_home, home, found)
    async with found.looking_at("disk"):
        await asyncio.to_thread(_disk, home, found)
    async with found.looking_at("memory"):
        await _memory(settings, found)
    async with found.looking_at("crisis lines"):
        await asyncio.to_thread(_lines, settings, found, today)


def _home(home: Path, found: Findings) -> None:
    if not home.exists():
        found.absent("home", f"{home} is made when something is first written.")
        return
    if not os.access(home, os.W_OK):
        found.fault("home", f"{home} cannot be written.", "Make it the bot's own, or name another in CITEWELL_HOME.")
        return
    open_to_others = [name for name in _PRIVATE if (home / name).exists() and (home / name).stat().st_mode & 0o007]
    if open_to_others:
        found.warn("home", f"Others on this machine can read {', '.join(open_to_others)}.", f"chmod o-rwx in {home}")
    else:
        found.good("home", str(home))


def _disk(home: Path, found: Findings) -> None:
    there = next(folder for folder in (home, *home.parents) if folder.exists())
    free = shutil.disk_usage(there).free
    said = f"{free / 1e9:.1f} GB free"
    if free < _FULL:
        found.fault("disk", said, "Make room: without it no message can be kept, and each is answered once at most.")
    elif free < _TIGHT:
        found.warn("disk", said, "Make room before it runs out.")
    else:
        found.good("disk", said)


async def _memory(settings: Settings, found: Findings) -> None:
    if not await asyncio.to_thread(settings.memory_path.exists):
        found.absent("memory", "Nothing is remembered yet.")
        return
    file = MemoryFile(settings.memory_path)
    try:
        waiting = len(await SqliteInbox(file).pending())
    finally:
        await file.close()
    if waiting:
        found.warn("memory", f"{waiting} messages wait for an answer.", "citewell serve answers them when it starts.")
    else:
        found.good("memory", "It can be read, and nothing waits.")


def _lines(settings: Settings, found: Findings, today: date) -> None:
    if settings.own_people:
        people = own_people(settings.own_people, today=today)
        found.good("own people", f"{len(people)} stand before the lines.")
    if settings.country is None:
        found.warn(
            "crisis lines",
            "No country is set, so that people whose country is not known are shown the international directory.",
            "Set CITEWELL_COUNTRY, and check the lines of that country with their providers (docs/safety.md).",
        )
        return
    late = [line.name for line in bundled().overdue(today) if line.country == settings.country]
    if late:
        found.warn("crisis lines", f"Past their review date: {', '.join(late)}.", "docs/safety.md says what to do.")
    else:
        found.good("crisis lines", f"Those of {settings.country} are within their review dates.")
