"""Teams from the settings: what is chosen, what is refused at the start, and how it is put together."""

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
from adapters.teams.hosts import LOOPBACK, is_loopback
from adapters.teams.keys import OpenId, SigningKeys
from adapters.teams.places import TeamsPlaces
from adapters.teams.tokens import Tokens, of_managed_identity, with_certificate, with_password
from adapters.teams.users import Users
from bot.errors import Misconfigured
from memory.outbox import RamOutbox, SqliteOutbox

if TYPE_CHECKING:
    from collections.abc import Collection
    from contextlib import AsyncExitStack

    from adapters.app import Application
    from adapters.settings import Settings
    from adapters.teams.clouds import Cloud
    from adapters.teams.connector import TokenSource
    from adapters.teams.tokens import Credentials

_NO_ID = (
    "TEAMS_APP_ID is empty, so anyone could speak for Teams. Set it to the bot's app id; docs/teams.md tells where it "
    "stands. To try it on this machine alone: citewell serve --local."
)
_LOCAL_ONLY = "--local answers whoever asks, so it listens on this machine alone: set CITEWELL_HOST=127.0.0.1."
_NO_TENANT = "TEAMS_TENANT_ID is missing: set it to your organisation's tenant, whose people are members."
_NO_PROOF = (
    "Teams needs TEAMS_APP_PASSWORD (a client secret), TEAMS_CERTIFICATE_FILE, or TEAMS_APP_TYPE=UserAssignedMSI: set "
    "one of them."
)


def configured(settings: Settings, *, local: bool) -> bool:
    """Whether Teams is to be served. Raises `Misconfigured` for half a set-up, and says what is missing."""
    if local and not is_loopback(settings.host):
        raise Misconfigured(_LOCAL_ONLY)
    if not settings.teams_app_id:
        if not local and (settings.teams_app_password or settings.teams_certificate_file or settings.teams_tenant_id):
            raise Misconfigured(_NO_ID)
        return local
    if settings.teams_tenant_id is None:
        raise Misconfigured(_NO_TENANT)
    secret = settings.teams_app_password or settings.teams_certificate_file
    if secret is None and settings.teams_app_type != "UserAssignedMSI":
        raise Misconfigured(_NO_PROOF)
    return True


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
    rules = Rules(app_id, tenant, chosen.issuer, hosts, any_tenant=settings.teams_app_type == "MultiTenant")
    words, now, spare = app.engine.wording, app.engine.clock, RamOutbox()
    box = Sturdy(SqliteOutbox(app.memory_file), spare) if settings.keep_days else spare
    guests = RamOutbox()
    keep = timedelta(days=max(settings.keep_days, 1))
    delivery = TeamsDelivery(connector, words, durable=box, guests=guests, now=now, keep=keep)
    if tenant:

        def named() -> Collection[str]:
            return app.access.shelving.channels.get(PLATFORM, {})

        places = TeamsPlaces(connector, (box, guests), tenant=tenant, named=named, clock=time.monotonic)
        stack.push_async_callback(places.close)
        app.access.register(PLATFORM, tenant, places)
    app.dispatcher.register(PLATFORM, delivery)
    teams = TeamsApp(
        gate=Gate(rules, SigningKeys(published, time.monotonic)),
        connector=connector,
        delivery=delivery,
        dispatcher=app.dispatcher,
        users=Users(connector, time.monotonic, tenant=tenant),
        answers=Answers(
            dispatcher=app.dispatcher, sources=app.sources, memories=app.engine.memories, words=words, now=now
        ),
        edits=Edits(app.dispatcher, app.engine.memories),
        words=words,
        now=now,
    )
    stack.push_async_callback(teams.close)
    return teams


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
