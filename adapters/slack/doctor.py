"""Looks at Slack: the tokens, the scopes against what the app asks for, the clock, and that unsigned requests fail."""

from __future__ import annotations

import asyncio
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from adapters.doctor.door import knock
from adapters.slack.client import web_client
from adapters.slack.credentials import SCOPES
from adapters.slack.errors import mapped
from adapters.slack.events import PLATFORM
from adapters.tracing.lines import read_traces

if TYPE_CHECKING:
    from datetime import datetime

    from adapters.doctor.finding import Findings
    from adapters.settings import Settings

_SKEW = 60
_TOO_LATE = 300


async def look_at_slack(settings: Settings, found: Findings, now: datetime) -> None:
    """Everything that can be asked of Slack with the tokens that are set, and of the bot itself if it runs."""
    if settings.slack_bot_token is None:
        found.absent("slack", "SLACK_BOT_TOKEN is not set.")
        return
    client = web_client(settings.slack_bot_token.get_secret_value(), base_url=settings.slack_api_url)
    async with found.looking_at("slack bot token"):
        with mapped("auth.test"):
            answer = await client.auth_test()
        found.good("slack bot token", f"It is of {answer.get('user')} in {answer.get('team')}.")
        headers = {name.casefold(): value for name, value in answer.headers.items()}
        _scopes(str(headers.get("x-oauth-scopes", "")), found)
        _clock(str(headers.get("date", "")), now, found)
    async with found.looking_at("slack events"):
        await asyncio.to_thread(_events, settings, found)
    if settings.slack_app_token is not None:
        async with found.looking_at("slack app token"):
            with mapped("apps.connections.open"):
                await client.apps_connections_open(app_token=settings.slack_app_token.get_secret_value())
            found.good("slack app token", "Socket Mode can be opened.")
    elif settings.slack_signing_secret is not None:
        async with found.looking_at("slack requests"):
            await knock(settings, found, "slack requests", "/slack/events")
    else:
        found.fault(
            "slack door",
            "There is neither an app token nor a signing secret, so that nothing can arrive.",
            "Set SLACK_APP_TOKEN (Socket Mode) or SLACK_SIGNING_SECRET (HTTP).",
        )


def _scopes(granted: str, found: Findings) -> None:
    if not granted:
        found.warn("slack scopes", "Slack does not say which scopes the token has.", "Compare with docs/slack.md.")
        return
    missing = sorted(set(SCOPES) - {scope.strip() for scope in granted.split(",")})
    if missing:
        mend = "Update the app from manifest.yml and reinstall it to the workspace."
        found.fault("slack scopes", f"The app lacks {', '.join(missing)}.", mend)
    else:
        found.good("slack scopes", "All that manifest.yml asks for.")


def _clock(date: str, now: datetime, found: Findings) -> None:
    """Slack's own clock against ours: signatures older than five minutes are refused."""
    try:
        apart = abs((now - parsedate_to_datetime(date)).total_seconds())
    except (ValueError, TypeError):
        return
    said = f"It is {apart:.0f} s from Slack's."
    mend = "Turn time synchronisation on (timedatectl set-ntp true)."
    if apart > _TOO_LATE:
        found.fault("clock", f"{said} Every signed request will be refused.", mend)
    elif apart > _SKEW:
        found.warn("clock", said, mend)
    else:
        found.good("clock", said)


def _events(settings: Settings, found: Findings) -> None:
    """Blocking. Slack tells no bot which events it is subscribed to, but those that came have left their traces."""
    last = max((one.at for one in read_traces(settings.traces_path) if one.platform == PLATFORM), default=None)
    if last is None:
        said = "None has come yet. Slack tells no bot which it gets: compare Event Subscriptions with manifest.yml."
        found.absent("slack events", said)
    else:
        found.good("slack events", f"They arrive: the last was answered at {last:%Y-%m-%d %H:%M} UTC.")
