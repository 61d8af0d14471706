"""What Slack sends: events, slash commands and clicks, with the fields of its published samples."""

from __future__ import annotations

from itertools import count
from typing import Any

from tests.doubles.slack.workspace import APP, BOT, TEAM

_NUMBERS = count(1)


def callback(event: dict[str, Any], *, team: str = TEAM, shared: bool = False) -> dict[str, Any]:
    """An event in its wrapper, with an event id of its own."""
    return {
        "token": "verification-token",
        "team_id": team,
        "api_app_id": APP,
        "type": "event_callback",
        "authorizations": [
            {
                "enterprise_id": None,
                "team_id": TEAM,
                "user_id": BOT,
                "is_bot": True,
                "is_enterprise_install": False,
            }
        ],
        "is_ext_shared_channel": shared,
        "event_id": f"Ev{next(_NUMBERS):010d}",
        "event_time": 1764500000,
        "event_context": "4-context",
        "event": event,
    }


def message(
    channel: str, user: str, text: str, ts: str, *, thread_ts: str | None = None, **more: Any
) -> dict[str, Any]:
    """A `message` event as written by a person; the kind of place follows from the channel's id."""
    kinds = {"D": "im", "G": "group"}
    event = {
        "client_msg_id": f"message-{ts}",
        "type": "message",
        "team": TEAM,
        "channel": channel,
        "user": user,
        "text": text,
        "ts": ts,
        "event_ts": ts,
        "channel_type": kinds.get(channel[0], "channel"),
    }
    return event | ({"thread_ts": thread_ts} if thread_ts else {}) | more


def mention(
    channel: str, user: str, text: str, ts: str, *, thread_ts: str | None = None, **more: Any
) -> dict[str, Any]:
    """The `app_mention` twin of a message."""
    event = {
        "type": "app_mention",
        "client_msg_id": f"message-{ts}",
        "user": user,
        "text": text,
        "ts": ts,
        "team": TEAM,
        "channel": channel,
        "event_ts": ts,
    }
    return event | ({"thread_ts": thread_ts} if thread_ts else {}) | more


def home_opened(user: str, tab: str, *, channel: str = "") -> dict[str, Any]:
    """Somebody opened a tab of the app."""
    opened = {"type": "app_home_opened", "user": user, "channel": channel or f"D{user}", "tab": tab}
    return callback(opened | {"event_ts": "1764500000.000000"})


def home_click(button: dict[str, Any], user: str) -> dict[str, Any]:
    """A click on a button of the app's page, which stands in no channel."""
    action = {name: button[name] for name in ("action_id", "text", "value", "type") if name in button}
    return {
        "type": "block_actions",
        "user": {"id": user, "username": user.lower(), "name": user.lower(), "team_id": TEAM},
        "api_app_id": APP,
        "token": "verification-token",
        "container": {"type": "view", "view_id": "V0HOME"},
        "trigger_id": "1.2.abc",
        "team": {"id": TEAM, "domain": "clinic"},
        "enterprise": None,
        "is_enterprise_install": False,
        "view": {"id": "V0HOME", "type": "home"},
        "actions": [action | {"block_id": "b1", "action_ts": "1764500000.000000"}],
    }


def command(name: str, channel: str, user: str, *, text: str = "", team: str = TEAM) -> dict[str, Any]:
    """A slash command."""
    return {
        "token": "verification-token",
        "api_app_id": APP,
        "team_id": team,
        "team_domain": "clinic",
        "channel_id": channel,
        "channel_name": "general",
        "user_id": user,
        "user_name": user.lower(),
        "command": name,
        "text": text,
        "response_url": "https://hooks.slack.invalid/commands/1",
        "trigger_id": "1.2.abc",
        "is_enterprise_install": "false",
    }


def click(
    button: dict[str, Any], channel: str, user: str, message_ts: str, *, thread_ts: str | None = None, team: str = TEAM
) -> dict[str, Any]:
    """A click on a button of a message."""
    container = {"type": "message", "message_ts": message_ts, "channel_id": channel, "is_ephemeral": False}
    sent = {"type": "message", "ts": message_ts, "user": BOT, "text": ""}
    if thread_ts:
        container["thread_ts"] = sent["thread_ts"] = thread_ts
    action = {name: button[name] for name in ("action_id", "text", "value", "url", "type") if name in button}
    return {
        "type": "block_actions",
        "user": {"id": user, "username": user.lower(), "name": user.lower(), "team_id": team},
        "api_app_id": APP,
        "token": "verification-token",
        "container": container,
        "trigger_id": "1.2.abc",
        "team": {"id": TEAM, "domain": "clinic"},
        "enterprise": None,
        "is_enterprise_install": False,
        "channel": {"id": channel, "name": "general"},
        "message": sent,
        "response_url": "https://hooks.slack.invalid/actions/1",
        "actions": [action | {"block_id": "b1", "action_ts": "1764500000.000000"}],
    }
