"""What Slack sends, read: which messages are for us, and what they say. Pure.

Both events of one mention (`app_mention` and `message.channels`) and every retry read to the same key, since the key
is the message's own timestamp in its channel.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, TypeAdapter, ValidationError

from bot.messages import Attachment, IncomingMessage
from memory.conversation import Conversation

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from datetime import datetime

    from bot.messages import Author

PLATFORM = "slack"
DIRECT = "D"
"""How the ids of direct messages begin; by itself, one that nobody has opened yet."""
_SPOKEN = {None, "", "file_share", "thread_broadcast"}
_ENTITY = re.compile(r"<([^<>]*)>")
_USER = re.compile(r"<@([UW][A-Z0-9]+)(?:\|[^<>]*)?>")
_GROUP_MENTION = re.compile(r"<!(?:here|channel|everyone|subteam\^[^<>]*)>|<!(?:here|channel|everyone)\|[^<>]*>")


class Reason(Enum):
    """Why a message may be for us."""

    MENTION = auto()
    DIRECT = auto()
    THREAD = auto()
    """A reply in a channel thread that addresses nobody: ours only if we are in that thread already."""

    FILES = auto()
    """Files in a channel that is meant for them."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Who we are in one workspace: its id, our user and bot there.

    `enterprise` is the organisation that the workspace belongs to, `app` our app; empty where not known.
    """

    team: str
    user: str
    bot: str
    enterprise: str = ""
    app: str = ""


@dataclass(frozen=True, slots=True)
class Heard:
    """A message that may be for us. `outside` says that the event itself names another workspace as its author's."""

    conversation: Conversation
    ts: str
    user: str
    text: str
    reason: Reason
    outside: bool
    files: tuple[Attachment, ...] = ()

    def message(self, author: Author, received_at: datetime) -> IncomingMessage:
        """The message as the bot knows it."""
        return IncomingMessage(self.ts, self.conversation, author, self.text, received_at, self.files)


class SlackFile(BaseModel):
    """A file of a message, as far as we go by what an event says of it."""

    model_config = ConfigDict(extra="ignore")

    id: str
    name: str = ""


def _files(given: object) -> list[dict[str, str]]:
    """Those that have an id. What else stands there costs the message nothing."""
    known = [one for one in given if isinstance(one, dict) and one.get("id")] if isinstance(given, list) else []
    return [{"id": str(one["id"]), "name": str(one.get("name") or "")} for one in known]


Files = Annotated[list[SlackFile], BeforeValidator(_files)]
"""The files of a message, as a field of what Slack sends."""
_FILES: TypeAdapter[list[SlackFile]] = TypeAdapter(Files)


class Event(BaseModel):
    """The fields of a message event that we go by."""

    model_config = ConfigDict(extra="ignore")

    type: Literal["message", "app_mention"]
    channel: str
    ts: str
    user: str
    text: str | None = None
    subtype: str | None = None
    channel_type: str | None = None
    thread_ts: str | None = None
    bot_id: str | None = None
    hidden: bool = False
    team: str | None = None
    user_team: str | None = None
    source_team: str | None = None
    files: Files = []


def read(body: Mapping[str, Any], me: Identity, *, for_files: Collection[str] = ()) -> Heard | None:
    """The message in an event, or None for what is not said to us by a person: edits, joins, bots, our own words.

    `for_files` are the channels in which files are for us without a mention.
    """
    try:
        event = Event.model_validate(body.get("event"))
    except ValidationError:
        return None
    if event.subtype not in _SPOKEN or event.bot_id or event.hidden or event.user in {me.user, "USLACKBOT"}:
        return None
    reason = _reason(event, me, for_files)
    if reason is None:
        return None
    thread = event.thread_ts or ("" if reason is Reason.DIRECT else event.ts)
    return Heard(
        conversation=Conversation(PLATFORM, me.team, event.channel, thread),
        ts=event.ts,
        user=event.user,
        text=readable(event.text or "", me),
        reason=reason,
        outside=not {event.team, event.user_team, event.source_team} <= {None, "", me.team, me.enterprise},
        files=_attached(event.files),
    )


def attachments(message: Mapping[str, Any]) -> tuple[Attachment, ...]:
    """The files of a message as Slack lists it."""
    return _attached(_FILES.validate_python(message.get("files")))


def _attached(files: Iterable[SlackFile]) -> tuple[Attachment, ...]:
    return tuple(Attachment(file.id, file.name) for file in files)


def is_shared_event(body: Mapping[str, Any]) -> bool:
    """Whether an event says that it happened where people of other workspaces are."""
    return bool(body.get("is_ext_shared_channel"))


def is_direct(channel: str) -> bool:
    """Whether a channel id is that of a direct message between one person and us."""
    return channel.startswith(DIRECT)


def readable(text: str, me: Identity) -> str:
    """Slack's text as a person reads it: our own mention gone, labels for links, no ids of other people."""
    without_us = re.sub(rf"<@{re.escape(me.user)}(?:\|[^<>]*)?>[ \t]*[,:;]?", " ", text)
    shown = _ENTITY.sub(lambda match: _shown(match[1]), without_us)
    unescaped = shown.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    return "\n".join(" ".join(line.split()) for line in unescaped.strip().splitlines())


def _reason(event: Event, me: Identity, for_files: Collection[str]) -> Reason | None:
    if event.channel_type == "im" or is_direct(event.channel):
        return Reason.DIRECT if event.type == "message" else None
    text = event.text or ""
    mentioned = set(_USER.findall(text))
    if event.type == "app_mention" or me.user in mentioned:
        return Reason.MENTION
    if event.files and event.channel in for_files and not mentioned:
        return Reason.FILES
    in_thread = event.thread_ts is not None and event.thread_ts != event.ts
    return Reason.THREAD if in_thread and not mentioned and not _GROUP_MENTION.search(text) else None


def _shown(entity: str) -> str:
    target, _, label = entity.partition("|")
    match target[:1]:
        case "@":
            return f"@{label}" if label else "@someone"
        case "#":
            return f"#{label}" if label else "#channel"
        case "!":
            return label or ("@group" if target.startswith("!subteam") else f"@{target[1:].split('^')[0]}")
        case _:
            return label or target.removeprefix("mailto:")
