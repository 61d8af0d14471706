"""Looks at Teams: the ids, a token that is really asked for, the signing keys, and that unsigned requests fail."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from typing import TYPE_CHECKING

import aiohttp

from adapters.doctor.door import knock
from adapters.teams.auth import stated_in
from adapters.teams.clouds import cloud
from adapters.teams.configured import configured
from adapters.teams.keys import OpenId
from adapters.teams.start import credentials_of
from adapters.teams.tokens import Tokens
from bot.errors import Misconfigured

if TYPE_CHECKING:
    from adapters.doctor.finding import Findings
    from adapters.settings import Settings
    from adapters.teams.clouds import Cloud
    from adapters.teams.connector import TokenSource

_TYPES = {
    "SingleTenant": "people of the tenant are members, nobody else is let in",
    "MultiTenant": "people of other tenants are let in, as guests",
    "UserAssignedMSI": "tokens come from the identity of this machine, which has to be one of Azure's",
}


async def look_at_teams(settings: Settings, found: Findings, *, tokens: TokenSource | None = None) -> None:
    """Everything that can be asked of Microsoft with what is set, and of the bot itself if it runs.

    `tokens` stand in for those that Microsoft's login gives.
    """
    try:
        if not configured(settings, local=False):
            found.absent("teams", "TEAMS_APP_ID is not set.")
            return
    except Misconfigured as error:
        found.fault("teams", str(error))
        return
    chosen = await asyncio.to_thread(cloud, settings.teams_cloud)
    found.good("teams ids", f"{settings.teams_app_type}: {_TYPES[settings.teams_app_type]}.")
    async with found.looking_at("teams token"):
        with ExitStack() as stack:
            _token(await _asked(settings, chosen, tokens, stack), settings, found)
    async with found.looking_at("teams signing keys"), aiohttp.ClientSession() as session:
        keys = list(await OpenId(session, settings.teams_openid_url or chosen.openid)())
        if keys:
            found.good("teams signing keys", f"{len(keys)} can be fetched.")
        else:
            found.fault("teams signing keys", "None is published there.", "Look at CITEWELL_TEAMS_CLOUD.")
    await knock(settings, found, "teams requests", "/api/messages")


async def _asked(settings: Settings, chosen: Cloud, tokens: TokenSource | None, stack: ExitStack) -> str:
    if tokens is None:
        tokens = own = Tokens(await asyncio.to_thread(credentials_of, settings, chosen))
        stack.callback(own.close)
    return await tokens()


def _token(token: str, settings: Settings, found: Findings) -> None:
    """What Microsoft says in it of whose it is. It is ours, so that nobody's signature has to be checked."""
    claims = stated_in(token)
    app, tenant = claims.get("appid") or claims.get("azp"), claims.get("tid")
    if app and app.casefold() != settings.teams_app_id:
        found.fault("teams token", "It is another app's.", "Set TEAMS_APP_ID and the secret of one and the same app.")
    elif tenant and settings.teams_app_type == "SingleTenant" and tenant.casefold() != settings.teams_tenant_id:
        mend = "Set TEAMS_TENANT_ID to the tenant that the app is registered in, or TEAMS_APP_TYPE to what the bot is."
        found.fault("teams token", "It is another tenant's.", mend)
    else:
        found.good("teams token", "Microsoft gives one.")
