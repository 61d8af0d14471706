"""Which app and which workspace something that Slack sends belongs to, read from its wrapper. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Origin:
    """The workspace through which we hear of something; what is not named is empty.

    `enterprise` is the organisation that the workspace belongs to, and `org_wide` says that we are installed there as
    a whole. `app` is the app that it was sent to.
    """

    team: str
    enterprise: str = ""
    org_wide: bool = False
    app: str = ""


def origin(body: object) -> Origin:
    """Read an event, a command, a click or a view.

    In a channel that several workspaces share, the workspace of the author is not the one that we are installed in:
    an event names that one among its `authorizations`, a view as `app_installed_team_id`, and a message of our own,
    which holds a button, names its poster's.
    """
    if not isinstance(body, Mapping):
        return Origin("")
    listed = body.get("authorizations")
    given = _part({"first": listed[0]}, "first") if isinstance(listed, list) and listed else {}
    whole = given or body
    org_wide = whole.get("is_enterprise_install") in (True, "true")
    enterprise = _text(given, "enterprise_id") or _text(_part(body, "enterprise"), "id") or _text(body, "enterprise_id")
    app = _text(body, "api_app_id")
    return Origin(_team(body, given, app, org_wide=org_wide), enterprise, org_wide, app)


def _team(body: Mapping[str, Any], given: Mapping[str, Any], app: str, *, org_wide: bool) -> str:
    message, view = _part(body, "message"), _part(body, "view")
    named = (
        "" if org_wide else _text(given, "team_id"),  # of an installation as a whole it names no workspace
        _text(body, "context_team_id"),
        _text(view, "app_installed_team_id"),
        _text(message, "team") if app and _text(message, "app_id") == app else "",
        _text(_part(body, "team"), "id"),
        _text(body, "team_id"),
        _text(_part(body, "user"), "team_id"),
    )
    return next((team for team in named if team), "")


def _part(body: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = body.get(name)
    return part if isinstance(part, Mapping) else {}


def _text(part: Mapping[str, Any], name: str) -> str:
    value = part.get(name)
    return value if isinstance(value, str) else ""
