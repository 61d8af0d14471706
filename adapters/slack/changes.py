"""What Slack says of a message that was changed or deleted, read. Pure.

Links that are unfurled come as changes too, with the same words as before: those are no edits. A deleted message that
others have replied to comes as a change into a tombstone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from adapters.slack.events import PLATFORM, Files, Heard, Identity, is_direct, readable
from adapters.slack.events import read as heard_in
from memory.conversation import Conversation

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

_TOMBSTONE = "tombstone"
_TIMESTAMP = r"^\d{1,20}\.\d{1,20}$"


@dataclass(frozen=True, slots=True)
class Edited:
    """A person changed their message's words. `heard` is the message as it reads now, None if it is not for us."""

    conversation: Conversation
    user: str
    ts: str
    edited_ts: str
    heard: Heard | None

    @property
    def key(self) -> str:
        """The message's key, the same as before."""
        return f"{self.conversation.place}:{self.ts}"


@dataclass(frozen=True, slots=True)
class Deleted:
    """A person's message is gone."""

    conversation: Conversation
    user: str
    ts: str

    @property
    def key(self) -> str:
        """The key that it had."""
        return f"{self.conversation.place}:{self.ts}"


Change: TypeAlias = Edited | Deleted


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore")


class _By(_Part):
    user: str | None = None
    ts: str = Field(pattern=_TIMESTAMP)


class _Written(_Part):
    ts: str = Field(pattern=_TIMESTAMP)
    user: str | None = None
    text: str | None = None
    subtype: str | None = None
    thread_ts: str | None = None
    bot_id: str | None = None
    team: str | None = None
    user_team: str | None = None
    source_team: str | None = None
    edited: _By | None = None
    files: Files = []


class ChangeEvent(_Part):
    """The fields of such an event that we go by."""

    type: Literal["message"]
    subtype: Literal["message_changed", "message_deleted"]
    channel: str
    channel_type: str | None = None
    message: _Written | None = None
    previous_message: _Written | None = None


def is_change(event: Mapping[str, Any]) -> bool:
    """Whether an event is one of these."""
    return event.get("subtype") in {"message_changed", "message_deleted"}


def read_change(body: Mapping[str, Any], me: Identity, *, for_files: Collection[str] = ()) -> Change | None:
    """The change in an event; None for what changes nothing that a person wrote, bots and ourselves included.

    `for_files` are the channels in which files are for us without a mention.
    """
    try:
        event = ChangeEvent.model_validate(body.get("event"))
    except ValidationError:
        return None
    now, before = event.message, event.previous_message
    if event.subtype == "message_deleted" or (now is not None and now.subtype == _TOMBSTONE):
        return None if before is None else _deleted(event, before, me)
    return None if now is None else _edited(event, now, before, me, for_files)


def _deleted(event: ChangeEvent, gone: _Written, me: Identity) -> Deleted | None:
    if gone.user is None or not _by_a_person(gone, me):
        return None
    return Deleted(_conversation(event, gone, me), gone.user, gone.ts)


def _edited(
    event: ChangeEvent, now: _Written, before: _Written | None, me: Identity, for_files: Collection[str]
) -> Edited | None:
    if now.user is None or now.edited is None or not _by_a_person(now, me):
        return None
    if now.edited.user not in {None, now.user}:
        return None
    if before is not None and readable(before.text or "", me) == readable(now.text or "", me):
        return None
    conversation = _conversation(event, now, me)
    thread = now.thread_ts if now.thread_ts != now.ts else None
    said = now.model_dump(exclude={"edited"}) | {"thread_ts": thread}
    said |= {"type": "message", "channel": event.channel, "channel_type": event.channel_type}
    return Edited(conversation, now.user, now.ts, now.edited.ts, heard_in({"event": said}, me, for_files=for_files))


def _by_a_person(message: _Written, me: Identity) -> bool:
    return not message.bot_id and message.user not in {me.user, "USLACKBOT"}


def _conversation(event: ChangeEvent, message: _Written, me: Identity) -> Conversation:
    """As it was when the message came: the first of a thread did not know of its thread then."""
    direct = event.channel_type == "im" or is_direct(event.channel)
    thread = message.thread_ts if message.thread_ts != message.ts else None
    return Conversation(PLATFORM, me.team, event.channel, thread or ("" if direct else message.ts))
