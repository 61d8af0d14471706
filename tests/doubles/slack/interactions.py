"""What Slack sends of shortcuts, modals, edits and deletions, with the fields of its published samples."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

from tests.doubles.slack.workspace import APP, TEAM

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.doubles.slack.workspace import Message

_NUMBERS = count(1)


def trigger() -> str:
    """One that was never given before."""
    return f"{next(_NUMBERS)}.2.abc"


def shortcut(callback: str, message: Message, user: str, *, team: str = TEAM) -> dict[str, Any]:
    """A message shortcut, from the menu of a message."""
    return {
        "type": "message_action",
        "callback_id": callback,
        "trigger_id": trigger(),
        "message_ts": message.ts,
        "message": message.as_json(with_metadata=False),
        "response_url": "https://hooks.slack.invalid/app/1",
        "channel": {"id": message.channel, "name": "general"},
        **_by(user, team),
    }


def command_with(text: str, channel: str, user: str, *, name: str = "/sources") -> dict[str, Any]:
    """A slash command with words behind it."""
    return {
        "token": "verification-token",
        "api_app_id": APP,
        "team_id": TEAM,
        "channel_id": channel,
        "user_id": user,
        "command": name,
        "text": text,
        "response_url": "https://hooks.slack.invalid/commands/1",
        "trigger_id": trigger(),
    }


def click_in_view(button: Mapping[str, Any], view: Mapping[str, Any], user: str, *, team: str = TEAM) -> dict[str, Any]:
    """A click on a button of a modal: nothing in it says in which channel."""
    action = {name: button[name] for name in ("action_id", "text", "value", "url", "type") if name in button}
    return {
        "type": "block_actions",
        "container": {"type": "view", "view_id": view["id"]},
        "trigger_id": trigger(),
        "view": dict(view),
        "actions": [action | {"block_id": "b1", "action_ts": "1764500000.000000"}],
        **_by(user, team),
    }


def submission(
    view: Mapping[str, Any], user: str, values: Mapping[str, Mapping[str, Any]], *, team: str = TEAM
) -> dict[str, Any]:
    """A modal that was sent; `values` are by block, and each block holds one field of the same name."""
    state = {"values": {name: {name: dict(value)} for name, value in values.items()}}
    return {
        "type": "view_submission",
        "trigger_id": trigger(),
        "view": {**view, "state": state},
        "response_urls": [],
        **_by(user, team),
    }


def changed(message: Message, text: str, edited_ts: str | None, **more: Any) -> dict[str, Any]:
    """The event of a message that now says `text`; without `edited_ts`, Slack itself changed it, as for a preview."""
    before = _written(message)
    now = {**before, "text": text} | ({"edited": {"user": message.user, "ts": edited_ts}} if edited_ts else {}) | more
    return _change(message, "message_changed", {"message": now, "previous_message": before})


def tombstone(message: Message) -> dict[str, Any]:
    """The event of a message that was deleted while others had replied to it."""
    before = _written(message)
    now = {**before, "subtype": "tombstone", "user": "USLACKBOT", "text": "This message was deleted.", "hidden": True}
    return _change(message, "message_changed", {"message": now, "previous_message": before})


def deleted(message: Message) -> dict[str, Any]:
    """The event of a message that was deleted."""
    return _change(message, "message_deleted", {"deleted_ts": message.ts, "previous_message": _written(message)})


def _written(message: Message) -> dict[str, Any]:
    listed = message.as_json(with_metadata=False)
    return {"client_msg_id": f"message-{message.ts}", **listed} if not message.by_bot else listed


def _change(message: Message, subtype: str, parts: Mapping[str, Any]) -> dict[str, Any]:
    ts = f"1764600000.{next(_NUMBERS):06d}"
    kinds = {"D": "im", "G": "group"}
    return {
        "type": "message",
        "subtype": subtype,
        "hidden": True,
        "channel": message.channel,
        "channel_type": kinds.get(message.channel[0], "channel"),
        "ts": ts,
        "event_ts": ts,
        **parts,
    }


def _by(user: str, team: str) -> dict[str, Any]:
    return {
        "user": {"id": user, "username": user.lower(), "name": user.lower(), "team_id": team},
        "team": {"id": TEAM, "domain": "clinic"},
        "api_app_id": APP,
        "token": "verification-token",
        "enterprise": None,
        "is_enterprise_install": False,
    }
