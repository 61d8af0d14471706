"""Looks at the look-ups that are declared: whether each can be asked."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from adapters.lookups.opened import Opened
from adapters.settings import environment
from bot.lookup import LookupFailed

if TYPE_CHECKING:
    from datetime import date

    from adapters.doctor.finding import Findings
    from adapters.settings import Settings


async def look_at_lookups(settings: Settings, found: Findings, today: date) -> None:
    """Tables are read and Python files loaded; no service is asked."""
    if not settings.lookups:
        found.absent("look-ups", "None are declared.")
        return
    async with found.looking_at("look-ups"):
        secrets = await asyncio.to_thread(environment)
        opened = await Opened.of(settings.lookups, settings.home.expanduser(), today=lambda: today, variables=secrets)
        for one in opened.all:
            try:
                await asyncio.to_thread(one.vocabulary)
            except LookupFailed as error:
                found.fault("look-ups", f"{error}.", "docs/lookups.md says what it takes; citewell lookups tries it.")
            else:
                found.good("look-ups", f"{one.card.name}: {one.card.title}")
        opened.close()
