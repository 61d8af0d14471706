"""Whether the bot that runs here refuses what nobody signed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import aiohttp

if TYPE_CHECKING:
    from adapters.doctor.finding import Findings
    from adapters.settings import Settings

_PATIENCE = aiohttp.ClientTimeout(total=5)


async def knock(settings: Settings, found: Findings, check: str, path: str) -> None:
    """Send a request without a signature or token, as anybody could."""
    address = f"http://{settings.host}:{settings.port}{path}"
    try:
        async with aiohttp.ClientSession(timeout=_PATIENCE) as session, session.post(address, json={}) as got:
            status = got.status
    except (TimeoutError, aiohttp.ClientError, OSError):
        found.absent(check, f"Nothing answers at {address}: start citewell serve, and look again.")
        return
    if status in {401, 403}:
        found.good(check, "A request that nobody signed is refused.")
    else:
        mend = "Look at what answers at this address: it is not this bot, or something before it changes requests."
        found.fault(check, f"A request that nobody signed got {status}.", mend)
