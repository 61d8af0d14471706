"""Teams from the settings: what is chosen, and how it is put together."""

from __future__ import annotations

import asyncio
import time
from datetime import timedelta
from typing import TYPE_CHECKING

import aiohttp

from adapters.teams.activities import PLATFORM
from adapters.teams.answers import Answers
from adapters.teams.app import TeamsApp
from adapters.teams.auth import Gate, Rules
from adapters.teams.boxes import Sturdy
from adapters.teams.clouds import cloud
from adapters.teams.connector import Connector, NoTokens
from adapters.teams.delivery import TeamsDelivery
from adapters.teams.edits import Edits
from adapters.teams.hosts import LOOPBACK
from adapters.teams.keys import OpenId, SigningKeys
from adapters.teams.places import TeamsPlaces
from adapters.teams.tokens import Tokens, of_managed_identity, with_certificate, with_password
from adapters.teams.users import Users
from memory.outbox import RamOutbox, SqliteOutbox

if TYPE_CHECKING:
    from collections.abc import Collection
    from contextlib import AsyncExitStack

    from adapters.app import Application
    from adapters.settings import Settings
    from adapters.teams.bot_framework import BotFramework
    from adapters.teams.clouds import Cloud
    from adapters.teams.connector import TokenSource
    from adapters.teams.tokens import Credentials


async def start(app: Application, stack: AsyncExitStack, *, tokens: TokenSource | None = None) -> TeamsApp:
    """The adapter, registered with the dispatcher; `stack` closes what it opens.

    Without an app id nobody is asked for a token, and replies go to this machine alone: only after `configured` has
    said so. `tokens` stand in for those of the settings.
    """
    settings = app.settings
    chosen = await asyncio.to_thread(cloud, settings.teams_cloud)
    app_id, tenant = settings.teams_app_id or "", settings.teams_tenant_id or ""
    hosts = settings.teams_service_hosts or frozenset(chosen.hosts)
    session = await stack.enter_async_context(aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()))
    if not app_id:
        hosts, tokens = frozenset(LOOPBACK), NoTokens()
    elif tokens is None:
        tokens = own = Tokens(await asyncio.to_thread(credentials_of, settings, chosen))
        stack.callback(own.close)
    connector = Connector(session, tokens, hosts)
    published = OpenId(session, settings.teams_openid_url or chosen.openid)
    keys = SigningKeys(published, time.monotonic)
    stack.push_async_callback(keys.close)
    rules = Rules(app_id, tenant, chosen.issuer, hosts, any_tenant=settings.teams_app_type == "MultiTenant")
    words, now, spare = app.engine.wording, app.engine.clock, RamOutbox()
    box = Sturdy(SqliteOutbox(app.memory_file), spare) if settings.keep_days else spare
    guests = RamOutbox()
    keep = timedelta(days=max(settings.keep_days, 1))
    sdk = await asyncio.to_thread(_sdk, Gate(rules, keys), connector)
    users = Users(connector, time.monotonic, tenant=tenant)
    stack.push_async_callback(users.close)
    delivery = TeamsDelivery(sdk, words, durable=box, guests=guests, now=now, keep=keep, platform_id=users.platform_id)
    if tenant:

        def named() -> Collection[str]:
            return app.access.shelving.channels.get(PLATFORM, {})

        places = TeamsPlaces(connector, (box, guests), tenant=tenant, named=named, clock=time.monotonic)
        stack.push_async_callback(places.close)
        app.access.register(PLATFORM, tenant, places)
    app.dispatcher.register(PLATFORM, delivery)
    teams = TeamsApp(
        sdk=sdk,
        local=not app_id,
        delivery=delivery,
        dispatcher=app.dispatcher,
        users=users,
        answers=Answers(
            dispatcher=app.dispatcher, sources=app.sources, memories=app.engine.memories, words=words, now=now
        ),
        edits=Edits(app.dispatcher, app.engine.memories),
        words=words,
        now=now,
    )
    stack.push_async_callback(teams.close)
    return teams


def _sdk(gate: Gate, connector: Connector) -> BotFramework:
    """Blocking: the SDK is loaded."""
    from adapters.teams.bot_framework import BotFramework

    return BotFramework(gate, connector)


def credentials_of(settings: Settings, chosen: Cloud) -> Credentials:
    """What proves to Microsoft who we are; a bot of several tenants gets its tokens from Microsoft's own.

    Blocking: the SDK is loaded.
    """
    app_id = settings.teams_app_id or ""
    tenant = None if settings.teams_app_type == "MultiTenant" else settings.teams_tenant_id
    if settings.teams_app_type == "UserAssignedMSI":
        return of_managed_identity(chosen, app_id)
    if settings.teams_certificate_file is not None:
        return with_certificate(chosen, app_id, settings.teams_certificate_file, tenant)
    assert settings.teams_app_password is not None  # noqa: S101 - `configured` has seen to it
    return with_password(chosen, app_id, settings.teams_app_password.get_secret_value(), tenant)
