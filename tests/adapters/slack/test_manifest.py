"""The manifest and the code say the same, in both directions, and Slack would take it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator
from slack_sdk.web.async_client import AsyncWebClient

import adapters.slack
from adapters.slack.app import EVENTS
from adapters.slack.home import HOME_EVENT
from adapters.slack.leaving import DEPARTURES
from adapters.slack.payload import COMMAND, SHORTCUT

ROOT = Path(__file__).resolve().parents[3]
SOURCE = "\n".join(
    path.read_text(encoding="utf-8") for path in sorted(Path(adapters.slack.__file__).parent.glob("*.py"))
)

READ = {"channels:read", "groups:read", "mpim:read"}  # never asked of direct messages
HISTORY = {"channels:history", "groups:history", "im:history", "mpim:history"}
SCOPES_OF_METHODS: dict[str, set[str]] = {
    "auth_test": set(),
    "auth_revoke": set(),
    "bots_info": {"users:read"},
    "oauth_v2_access": set(),  # the app's own id and secret
    "apps_connections_open": set(),  # the app-level token's own
    "users_info": {"users:read"},
    "users_list": {"users:read"},
    "users_conversations": READ,
    "conversations_info": READ,
    "conversations_members": READ,
    "chat_postMessage": {"chat:write"},
    "chat_postEphemeral": {"chat:write"},
    "chat_getPermalink": set(),
    "chat_delete": {"chat:write"},
    "chat_update": {"chat:write"},
    "files_info": {"files:read"},
    "files_delete": {"files:write"},
    "views_open": set(),
    "views_push": set(),
    "views_update": set(),
    "conversations_open": {"im:write"},
    "conversations_replies": HISTORY,
    "conversations_history": HISTORY,
    "assistant_threads_setStatus": {"chat:write"},
    "assistant_threads_setSuggestedPrompts": {"assistant:write"},
    "views_publish": set(),
    "files_upload_v2": {"files:write"},
}
SCOPES_OF_EVENTS: dict[str, set[str]] = {
    "app_home_opened": set(),
    "app_mention": {"app_mentions:read"},
    "message.channels": {"channels:history"},
    "message.groups": {"groups:history"},
    "message.im": {"im:history"},
    "message.mpim": {"mpim:history"},
    "app_uninstalled": set(),
    "team_access_revoked": set(),
    "tokens_revoked": set(),
}
SCOPES_OF_FEATURES: dict[str, set[str]] = {
    "agent_view": {"assistant:write"},
    "slash_commands": {"commands"},
    "shortcuts": {"commands"},
}


@pytest.fixture(scope="module")
def manifest() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "manifest.yml").read_text(encoding="utf-8"))
    return loaded


def test_events_listened_to_are_the_events_subscribed(manifest: dict[str, Any]) -> None:
    subscribed = manifest["settings"]["event_subscriptions"]["bot_events"]
    assert {event.partition(".")[0] for event in subscribed} == {*EVENTS, HOME_EVENT, *DEPARTURES}


def test_commands_answered_are_the_commands_offered(manifest: dict[str, Any]) -> None:
    assert [command["command"] for command in manifest["features"]["slash_commands"]] == [COMMAND]


def test_shortcuts_answered_are_the_shortcuts_offered(manifest: dict[str, Any]) -> None:
    shortcuts = manifest["features"]["shortcuts"]
    assert [(shortcut["type"], shortcut["callback_id"]) for shortcut in shortcuts] == [("message", SHORTCUT)]


def test_every_method_called_is_known_here() -> None:
    called = set(re.findall(r"client\.([a-z]+_\w+)\(", SOURCE))
    assert {name for name in called if hasattr(AsyncWebClient, name)} == set(SCOPES_OF_METHODS)


def test_scopes_are_those_needed_and_no_more(manifest: dict[str, Any]) -> None:
    events = manifest["settings"]["event_subscriptions"]["bot_events"]
    features = [SCOPES_OF_FEATURES.get(feature, set()) for feature in manifest["features"]]
    needed = set().union(*SCOPES_OF_METHODS.values(), *(SCOPES_OF_EVENTS[event] for event in events), *features)
    granted = manifest["oauth_config"]["scopes"]["bot"]
    assert set(granted) == needed
    assert granted == sorted(granted)


def test_buttons_can_be_clicked_and_no_public_address_is_needed(manifest: dict[str, Any]) -> None:
    assert manifest["settings"]["interactivity"] == {"is_enabled": True}
    assert manifest["settings"]["socket_mode_enabled"] is True


def test_people_can_write_to_the_app(manifest: dict[str, Any]) -> None:
    home = manifest["features"]["app_home"]
    assert home["home_tab_enabled"]
    assert home["messages_tab_enabled"]
    assert not home["messages_tab_read_only_enabled"]
    assert "agent_view" in manifest["features"]


def test_every_scope_is_explained(manifest: dict[str, Any]) -> None:
    page = (ROOT / "docs" / "slack.md").read_text(encoding="utf-8")
    table = page.partition("| scope | why |")[2].partition("\n\n")[0]
    explained = set(re.findall(r"^\| `([a-z_:]+)` \|", table, re.MULTILINE))
    assert explained == set(manifest["oauth_config"]["scopes"]["bot"])


def test_slack_would_take_the_manifest(manifest: dict[str, Any], shared: Path) -> None:
    found = sorted((shared / "slack").rglob("manifest.schema*.json"))
    if not found:
        pytest.skip("the shared data hold no manifest schema")
    schema = json.loads(found[-1].read_text(encoding="utf-8"))
    assert [error.message for error in Draft7Validator(schema).iter_errors(manifest)] == []
