"""Channels and who is in them: what `conversations.info`, `.members`, `users.conversations` and `users.list` say.

A channel that no test has described has all full members of the workspace in it and nobody else, whoever writes there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.doubles.slack.limits import Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

_GUEST_MARKS = ("is_restricted", "is_ultra_restricted", "is_stranger")
_KINDS = {"public_channel": "is_channel", "private_channel": "is_private", "mpim": "is_mpim", "im": "is_im"}


class Channels:
    """The channels of one workspace with these `users`, by id."""

    def __init__(self, team: str, users: Mapping[str, Mapping[str, Any]]) -> None:
        self._team = team
        self._users = users
        self._described: dict[str, dict[str, Any]] = {}
        self._members: dict[str, list[str]] = {}

    def describe(self, channel: str, *, members: Iterable[str] | None = None, **marks: Any) -> None:
        """What Slack is to say of a channel, as `is_ext_shared=True`, and who is in it."""
        self._described[channel] = self._described.get(channel, {}) | marks
        if members is not None:
            self._members[channel] = list(members)

    @property
    def methods(self) -> dict[str, Callable[[dict[str, Any]], dict[str, Any]]]:
        """What each method does with its arguments."""
        return {
            "conversations.info": self._info,
            "conversations.members": self._list_members,
            "users.conversations": self._of_person,
            "users.list": self._list_users,
        }

    def _info(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        return {"channel": self._channel(arguments["channel"])}

    def _channel(self, channel: str) -> dict[str, Any]:
        if channel[:1] not in set("CDG"):
            raise Refused("channel_not_found", channel)
        marks = {"is_ext_shared": False, "is_shared": False, "is_org_shared": False, "is_pending_ext_shared": False}
        kinds = {"is_channel": channel[0] == "C", "is_private": channel[0] == "G", "is_im": channel[0] == "D"}
        named = {"id": channel, "name": channel.lower(), "is_mpim": False, "context_team_id": self._team}
        return named | kinds | marks | {"pending_shared": []} | self._described.get(channel, {})

    def _inside(self, channel: str) -> list[str]:
        return self._members.get(channel) or [user for user in self._users if self._full(user)]

    def _full(self, user: str) -> bool:
        profile = self._users[user]
        return profile.get("team_id") == self._team and not any(profile.get(mark) for mark in _GUEST_MARKS)

    def _list_members(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        self._channel(arguments["channel"])
        return _page("members", self._inside(arguments["channel"]), arguments)

    def _of_person(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        user, kinds = arguments["user"], [_KINDS[kind] for kind in arguments["types"].split(",")]
        there = [self._channel(channel) for channel, members in self._members.items() if user in members]
        return _page("channels", [one for one in there if any(one[kind] for kind in kinds)], arguments)

    def _list_users(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        return _page("members", [dict(profile) for profile in self._users.values()], arguments)


def _page(name: str, entries: Sequence[object], arguments: Mapping[str, Any]) -> dict[str, Any]:
    start, limit = int(arguments.get("cursor") or 0), int(arguments.get("limit") or 100)
    if not 1 <= limit <= 1000:
        raise Refused("invalid_limit", str(limit))
    more = start + limit < len(entries)
    cursor = {"next_cursor": str(start + limit) if more else ""}
    return {name: list(entries[start : start + limit]), "response_metadata": cursor}
