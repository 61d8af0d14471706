"""What of a reply stands in Slack already, by what we wrote beside each of its messages."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

EVENT_TYPE = "citewell_reply"
"""Of the metadata of every message that answers one."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The first `parts` messages of a reply stand. From the one numbered `plain_from` on it has no blocks."""

    parts: int = 0
    plain_from: int | None = None


def metadata(key: str, trace: str, part: int, parts: int, *, plain_from: int | None) -> dict[str, Any]:
    """What goes beside a message, by which it is found again."""
    payload: dict[str, Any] = {"key": key, "trace": trace, "part": part, "parts": parts}
    if plain_from is not None:
        payload["plain_from"] = plain_from
    return {"event_type": EVENT_TYPE, "event_payload": payload}


def file_name(key: str) -> str:
    """A file's name, which is all that is ours about the message that Slack makes of it."""
    return f"answer-{hashlib.sha256(key.encode()).hexdigest()[:16]}.txt"


def found(key: str, posted: Iterable[Mapping[str, Any]]) -> tuple[Standing, bool]:
    """What stands of the reply to this message among messages of ours, and whether that is all of it.

    A file is the last that a reply can become, so nothing is missing behind one.
    """
    parts: set[int] = set()
    expected, plain_from = 1, None
    for message in posted:
        if any(file.get("name") == file_name(key) for file in message.get("files") or ()):
            return Standing(), True
        payload = (message.get("metadata") or {}).get("event_payload") or {}
        if (message.get("metadata") or {}).get("event_type") == EVENT_TYPE and payload.get("key") == key:
            parts.add(int(payload.get("part", 0)))
            expected = int(payload.get("parts", 1))
            plain_from = payload.get("plain_from", plain_from)
    standing = next(at for at in range(len(parts) + 1) if at not in parts)
    return Standing(standing, plain_from), standing >= expected
