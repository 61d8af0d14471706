"""What of a reply stands in Slack already, by what we wrote beside each of its messages."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from adapters.slack.again import about
from memory.turn import AGAIN

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from adapters.slack.events import Identity

EVENT_TYPE = "citewell_reply"
"""Of the metadata of every message that answers one."""
TELLING = "citewell_intake"
"""Of the metadata of a message that tells how far files are, until the report takes its place."""


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


def telling(key: str) -> dict[str, Any]:
    """What goes beside a message that tells how far the files of another are."""
    return {"event_type": TELLING, "event_payload": {"key": key}}


def answers_key(message: Mapping[str, Any], me: Identity) -> str | None:
    """The key of the message that this one of ours answers; None for what is no reply of ours."""
    return _key(message, EVENT_TYPE) if _is_ours(message, me) else None


def tells_of(message: Mapping[str, Any], key: str) -> bool:
    """Whether a message of ours tells how far the files of the one of this key are."""
    return _key(message, TELLING) == key


def came_of(message: Mapping[str, Any], key: str, me: Identity) -> bool:
    """Whether a message is ours and stands there because of the question of this key, however often it was asked."""
    if not _is_ours(message, me):
        return False
    keys = (_key(message, EVENT_TYPE), _key(message, TELLING))
    return any(other is not None and about(key)(other) for other in keys) or bool(files_of(message, key))


def files_of(message: Mapping[str, Any], key: str) -> list[str]:
    """The ids of the files in it that hold an answer to the question of this key."""
    stem = file_name(key).removesuffix(".txt")
    names = {str(file.get("id")): str(file.get("name")) for file in message.get("files") or ()}
    return [id_ for id_, name in names.items() if name == f"{stem}.txt" or name.startswith(f"{stem}-")]


def file_name(key: str) -> str:
    """A file's name, which is all that is ours about the message that Slack makes of it.

    Of what was asked again it begins as that of the question does.
    """
    question, again, _ = key.partition(AGAIN)
    return f"answer-{_digest(question)}{f'-{_digest(key)}' if again else ''}.txt"


def found(key: str, posted: Iterable[Mapping[str, Any]]) -> tuple[Standing, bool]:
    """What stands of the reply to this message among messages of ours, and whether that is all of it.

    A file is the last that a reply can become, so nothing is missing behind one.
    """
    parts: set[int] = set()
    expected, plain_from = 1, None
    for message in posted:
        if any(file.get("name") == file_name(key) for file in message.get("files") or ()):
            return Standing(), True
        if _key(message, EVENT_TYPE) == key:
            payload = message["metadata"]["event_payload"]
            parts.add(int(payload.get("part", 0)))
            expected = int(payload.get("parts", 1))
            plain_from = payload.get("plain_from", plain_from)
    standing = next(at for at in range(len(parts) + 1) if at not in parts)
    return Standing(standing, plain_from), standing >= expected


def _is_ours(message: Mapping[str, Any], me: Identity) -> bool:
    return bool(me.bot) and message.get("bot_id") == me.bot


def _key(message: Mapping[str, Any], event_type: str) -> str | None:
    """The key in the metadata of this type, if there is one."""
    metadata = message.get("metadata") or {}
    key = (metadata.get("event_payload") or {}).get("key") if metadata.get("event_type") == event_type else None
    return key if isinstance(key, str) else None


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
