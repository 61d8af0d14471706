"""In which Slack workspaces Citewell speaks, as the settings say: in one by its token, or in all that install it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adapters.public_settings import ANYONE
from adapters.slack.client import identify, slack_session, web_client
from adapters.slack.credentials import AppCredentials
from adapters.slack.install import Installer, Limit
from adapters.slack.installations import Installations
from adapters.slack.installed import InstalledWorkspaces
from adapters.slack.workspaces import OneWorkspace, Workspace
from bot.errors import Misconfigured
from memory.errors import MemoryUnavailable

if TYPE_CHECKING:
    from contextlib import AsyncExitStack

    from slack_sdk.web.async_client import AsyncWebClient

    from adapters.settings import Settings
    from adapters.slack.workspaces import Workspaces
    from bot.wording import Wording

NOTHING_TO_SERVE = (
    "No platform is configured. For Slack set SLACK_BOT_TOKEN, and SLACK_APP_TOKEN (Socket Mode) or "
    "SLACK_SIGNING_SECRET (HTTP); docs/slack.md tells where they come from. For Microsoft Teams set TEAMS_APP_ID, "
    "TEAMS_APP_PASSWORD and TEAMS_TENANT_ID; docs/teams.md tells where. To try it here: citewell demo."
)

WHO_MAY_INSTALL = (
    "Who may install Citewell? Whoever does can ask your documents. Set CITEWELL_SLACK_TEAMS to the ids of your "
    "workspaces and organisations (T0123ABC, E0456DEF), or to any."
)


@dataclass(frozen=True, slots=True)
class InSlack:
    """`client` speaks for the app itself. Where anyone may install it, there is an `installer`."""

    client: AsyncWebClient
    workspaces: Workspaces
    installer: Installer | None = None


def slack_wanted(settings: Settings) -> bool:
    """Whether anything of Slack is set."""
    given = (settings.slack_bot_token, settings.slack_client_id, settings.slack_client_secret)
    return any(one is not None for one in given) or bool(settings.slack_teams)


def slack_credentials(settings: Settings) -> str | AppCredentials:
    """The bot token of one workspace, or the app that many install. `Misconfigured` for none, or half of either."""
    many = {
        "SLACK_CLIENT_ID": settings.slack_client_id,
        "SLACK_CLIENT_SECRET": settings.slack_client_secret,
        "CITEWELL_SLACK_TEAMS": settings.slack_teams or None,
    }
    given = [name for name, value in many.items() if value is not None]
    if settings.slack_bot_token is not None:
        if given:
            msg = f"SLACK_BOT_TOKEN is for one workspace, {given[0]} for many: unset one of them (docs/slack.md)."
            raise Misconfigured(msg)
        return settings.slack_bot_token.get_secret_value()
    if not given:
        raise Misconfigured(NOTHING_TO_SERVE)
    app, secret, url = settings.slack_client_id, settings.slack_client_secret, settings.public_url
    if app is None or secret is None or url is None:
        many["CITEWELL_PUBLIC_URL"] = url
        missing = " and ".join(name for name, value in many.items() if value is None)
        msg = f"{given[0]} is set, so {missing} must be too (docs/slack.md, Many workspaces)."
        raise Misconfigured(msg)
    if not settings.slack_teams:
        raise Misconfigured(WHO_MAY_INSTALL)
    return AppCredentials(app, secret.get_secret_value(), url)


async def in_slack(settings: Settings, words: Wording, stack: AsyncExitStack) -> InSlack:
    """As the settings say; `stack` closes it. Raises `Misconfigured`, or `Transient` if Slack does not answer."""
    app = slack_credentials(settings)
    session = await stack.enter_async_context(slack_session())

    def client_for(token: str) -> AsyncWebClient:
        return web_client(token, base_url=settings.slack_api_url, session=session)

    if isinstance(app, str):
        client = client_for(app)
        try:
            me = await identify(client)
        except Misconfigured as error:
            msg = f"SLACK_BOT_TOKEN: {error}"
            raise Misconfigured(msg) from error
        return InSlack(client, OneWorkspace(Workspace(me, client)))
    client = client_for("")
    installations = Installations(settings.installations_path, app.client_id)
    stack.push_async_callback(installations.close)
    try:
        await installations.open()
    except MemoryUnavailable as error:
        msg = f"Installations: {error}"
        raise Misconfigured(msg) from error
    allowed = None if settings.slack_teams == {ANYONE} else settings.slack_teams
    workspaces = InstalledWorkspaces(installations, app, client, client_for, allowed=allowed)
    installer = Installer(
        app,
        client=client,
        client_for=client_for,
        installations=installations,
        workspaces=workspaces,
        words=words.install,
        limit=Limit(time.monotonic),
    )
    return InSlack(client, workspaces, installer)
