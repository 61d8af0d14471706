"""Slack's errors, mapped once to ours.

transient       429 (with its Retry-After), 5xx, a broken connection, a time-out
misconfigured   a token or scope that the operator has to mend
permanent       anything else Slack refuses
├── Unshowable      the blocks or the length of a message: plain text may still go through
└── Closed          a channel that is gone or closed to us: its members may be reached elsewhere
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError

from bot.errors import CitewellError, Misconfigured, Permanent, Transient

if TYPE_CHECKING:
    from collections.abc import Iterator

_TRANSIENT = {"ratelimited", "rate_limited", "internal_error", "fatal_error", "service_unavailable", "request_timeout"}
_TRANSIENT |= {"team_added_to_org", "message_limit_exceeded"}
_UNSHOWABLE = {"msg_too_long", "msg_blocks_too_long", "invalid_blocks", "invalid_blocks_format", "no_text"}
_FRESH = "put the app's current token into the settings (Slack app page: OAuth & Permissions, or App-Level Tokens)"
_MEND_TOKEN = {
    "not_authed": _FRESH,
    "invalid_auth": _FRESH,
    "token_revoked": f"the app was uninstalled or its token revoked: reinstall it, then {_FRESH}",
    "token_expired": _FRESH,
    "account_inactive": f"the app was removed from the workspace: reinstall it, then {_FRESH}",
    "not_allowed_token_type": "a bot token (xoxb-) belongs here, and an app token (xapp-) where Socket Mode is set up",
    "invalid_client_id": "SLACK_CLIENT_ID is not that of an app (Basic Information, App Credentials)",
    "bad_client_secret": "SLACK_CLIENT_SECRET is not this app's (Basic Information, App Credentials)",
    "bad_redirect_uri": "enter the address under OAuth & Permissions, Redirect URLs, as CITEWELL_PUBLIC_URL begins it",
    "org_login_required": "the workspace is moving to another plan: wait until that is done",
    "team_access_not_granted": "an administrator has to let the app into this workspace",
    "access_denied": "an administrator has to allow the app",
    "missing_scope": "update the app from manifest.yml and reinstall it to the workspace",
}
_MEND_CHANNEL = {
    "channel_not_found": "the channel is gone, or the bot is not a member: invite it",
    "not_in_channel": "invite the bot to the channel",
    "is_archived": "the channel is archived",
    "restricted_action": "the workspace lets only some members post in this channel",
    "restricted_action_read_only_channel": "the channel is read-only: let the app post there",
    "restricted_action_thread_only_channel": "the channel takes posts in threads alone",
    "restricted_action_thread_locked": "the thread is locked",
    "thread_not_found": "the thread is gone",
    "user_not_in_channel": "the person has left the channel",
}
_MEND_PERSON = {
    "cannot_dm_bot": "the person is a bot, which cannot be written to",
    "user_disabled": "the person's account is deactivated",
    "user_not_found": "there is no such person in this workspace",
    "user_not_visible": "the workspace does not let the bot see this person",
    "messages_tab_disabled": "turn the Messages tab on (App Home), or update the app from manifest.yml",
}
_DEFAULT_RETRY_AFTER = 1.0


class Unshowable(Permanent):
    """Slack would take the words, but not in this form."""


class Closed(Permanent):
    """The channel does not take it; `archived` says why, as far as people can tell."""

    def __init__(self, message: str, *, archived: bool) -> None:
        super().__init__(message)
        self.archived = archived


@contextmanager
def mapped(method: str) -> Iterator[None]:
    """Raise our own errors for whatever the SDK raises while `method` is called. Messages carry no one's text."""
    try:
        yield
    except SlackApiError as error:
        raise _from_response(method, error) from error
    except (SlackClientError, aiohttp.ClientError, TimeoutError, OSError) as error:
        raise Transient(f"{method}: no answer from Slack ({type(error).__name__}); is the network there?") from error


def _from_response(method: str, error: SlackApiError) -> CitewellError:
    response = error.response
    status = int(getattr(response, "status_code", 0) or getattr(response, "status", 0))
    body = getattr(response, "data", None)
    code = str(body.get("error", "")) if isinstance(body, dict) else ""
    if status == 429 or code in {"ratelimited", "rate_limited"}:
        return Transient(f"{method}: Slack asks to slow down", retry_after=_retry_after(response.headers))
    if status >= 500 or code in _TRANSIENT or not code:
        return Transient(f"{method}: Slack answered {status} {code}".rstrip())
    if code in _UNSHOWABLE:
        return Unshowable(f"{method}: {code}")
    if code in _MEND_TOKEN:
        needed = f" (needed: {body['needed']})" if isinstance(body, dict) and body.get("needed") else ""
        return Misconfigured(f"{method}: {code}{needed}: {_MEND_TOKEN[code]}")
    if code in _MEND_CHANNEL:
        return Closed(f"{method}: {code}: {_MEND_CHANNEL[code]}", archived=code == "is_archived")
    return Permanent(f"{method}: {code}: {_MEND_PERSON.get(code, 'Slack refused the request')}")


def _retry_after(headers: object) -> float:
    """Seconds. Header names come in any case; a value that is no number counts as one second."""
    values = {str(name).lower(): value for name, value in dict(headers or {}).items()}  # type: ignore[call-overload]  # untyped in the SDK
    try:
        return max(0.0, float(values.get("retry-after", _DEFAULT_RETRY_AFTER)))
    except (TypeError, ValueError):
        return _DEFAULT_RETRY_AFTER
