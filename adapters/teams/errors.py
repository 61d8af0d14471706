"""The errors of Teams' connector, mapped once to ours.

transient       429 (with its Retry-After), 412, 502, 503, 504, and where no connection could be made
└── Unsure          the request went out and no clear answer came: what it asked for may have been done
misconfigured   a token that is refused
permanent       a conversation that is gone, or closed to us, and anything else that is refused
├── Unshowable      the form or the size of a message: plainer and shorter it may still go through
└── StreamOver      the message that was begun is finished already, was stopped, or took too long
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from bot.errors import CitewellError, Misconfigured, Permanent, Transient

if TYPE_CHECKING:
    from collections.abc import Mapping

_AGAIN = {412, 502, 503, 504}
_TOO_BIG = {"MessageSizeTooBig", "RequestEntityTooLarge", "ActivityTooLarge"}
_STREAM_OVER = "ContentStreamNotAllowed"
_STOPPED = ("exceeded", "cancel")
_CODE = re.compile(r"[A-Za-z0-9_.]{1,80}")
_DEFAULT_RETRY_AFTER = 1.0
_LONGEST_RETRY_AFTER = 300.0
_MEND = "check TEAMS_APP_ID, its password or certificate, TEAMS_TENANT_ID and CITEWELL_TEAMS_CLOUD"
_CLOSED = "the bot was removed or blocked there, or may not write"


class Unsure(Transient):
    """No clear answer came: it may have been done."""


class Unshowable(Permanent):
    """Teams would take the words, but not in this form or at this length."""


class StreamOver(Permanent):
    """A message that was begun takes no more. `finished` unless a person stopped it or its time ran out."""

    def __init__(self, message: str, *, finished: bool) -> None:
        super().__init__(message)
        self.finished = finished


def from_response(call: str, status: int, headers: Mapping[str, str], body: bytes) -> CitewellError:
    """What a refusal means. Messages carry the connector's code and none of its words, which may quote."""
    code, words = _read(body)
    said = f"{call}: {status} {code}".rstrip()
    error: CitewellError
    if status == 429:
        error = Transient(f"{said}: Teams asks to slow down", retry_after=_retry_after(headers))
    elif status in _AGAIN:
        error = Transient(said)
    elif status >= 500:
        error = Unsure(said)
    elif status == 401:
        error = Misconfigured(f"{said}: {_MEND}")
    elif code == _STREAM_OVER:
        error = StreamOver(said, finished=not any(word in words for word in _STOPPED))
    elif status in {400, 413} or code in _TOO_BIG:
        error = Unshowable(said)
    else:
        error = Permanent(f"{said}: {_CLOSED}" if status == 403 else said)
    return error


def _read(body: bytes) -> tuple[str, str]:
    try:
        found: Any = json.loads(body)
        error = found.get("error") or {}
        code, words = str(error.get("code", "")), str(error.get("message", ""))
    except (ValueError, AttributeError, RecursionError):
        return "", ""
    return (code if _CODE.fullmatch(code) else ""), words.casefold()


def _retry_after(headers: Mapping[str, str]) -> float:
    """Seconds; one where none are given that could be read."""
    try:
        return min(max(0.0, float(headers.get("Retry-After", _DEFAULT_RETRY_AFTER))), _LONGEST_RETRY_AFTER)
    except ValueError:
        return _DEFAULT_RETRY_AFTER
