"""What Teams sends, read: which messages are for us, and what they say. Pure.

Source: "Bot Framework -- Activity", and what Teams adds to it (learn.microsoft.com, "Receive messages").
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, cast

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from adapters.teams.markup import words
from adapters.teams.mentions import Mention, without_tags
from bot.messages import IncomingMessage
from memory.conversation import Conversation

if TYPE_CHECKING:
    from datetime import datetime

    from bot.messages import Author

PLATFORM = "teams"
Kind: TypeAlias = Literal["personal", "group", "channel"]
"""What a place is: a chat with one person, a chat of several, or a channel of a team."""

_KINDS: dict[str, Kind] = {"personal": "personal", "groupChat": "group", "channel": "channel"}
ROOT = ";messageid="
"""What stands between a channel's id and that of a thread's first message."""
_COMMAND = re.compile(r"/(sources|help|forget)\b", re.IGNORECASE)
_COUNTRY = re.compile(r"[A-Za-z]{2}")
_MOST_ENTITIES = 200


class Malformed(Exception):
    """No activity that we could go by. The message holds nothing of what was sent."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", alias_generator=to_camel, populate_by_name=True)


_Tenant: TypeAlias = Annotated[str, AfterValidator(str.casefold)]
"""A GUID, which is the same one in capitals: in small letters, as the settings have it."""


class Account(_Part):
    """Somebody in a conversation: a person, or a bot (`28:` and its id)."""

    id: str = Field(min_length=1, max_length=500)
    name: str | None = None
    aad_object_id: str | None = Field(default=None, max_length=100)
    tenant_id: _Tenant | None = None
    user_role: str | None = None

    @property
    def stable_id(self) -> str:
        """The person's id in the directory, which is the same for every bot; else the platform's own."""
        return self.aad_object_id or self.id


class _Place(_Part):
    id: str = Field(min_length=1, max_length=1_000)
    conversation_type: str | None = None
    tenant_id: _Tenant | None = None


class _TenantInfo(_Part):
    id: _Tenant | None = None


class _ChannelData(_Part):
    tenant: _TenantInfo | None = None
    event_type: str | None = None


class _Entity(_Part):
    type: str = ""
    mentioned: Account | None = None
    text: str | None = None
    country: str | None = None
    timezone: str | None = None
    locale: str | None = None


class Activity(_Part):
    """The fields of an activity that we go by."""

    type: str = Field(max_length=100)
    id: str = Field(default="", max_length=500)
    name: str | None = None
    action: str | None = None
    channel_id: str
    service_url: str
    conversation: _Place
    sender: Account = Field(alias="from")
    recipient: Account
    text: str | None = None
    text_format: str | None = Field(default=None, max_length=100)
    locale: str | None = Field(default=None, max_length=100)
    timestamp: str = Field(default="", max_length=100)
    entities: list[Any] | None = None
    channel_data: Any = None
    members_added: list[Account] | None = None
    members_removed: list[Account] | None = None
    reply_to_id: str | None = Field(default=None, max_length=500)
    value: Any = None

    @property
    def kind(self) -> Kind:
        """What the place is; a chat of several where Teams does not say."""
        return _KINDS.get(self.conversation.conversation_type or "", "group")

    @property
    def tenant(self) -> str:
        """Whose place it is; empty where Teams does not say."""
        return self.conversation.tenant_id or self._said.tenant_id

    @property
    def outside(self) -> bool:
        """Whether the activity itself says that its sender belongs to another tenant."""
        return any(other not in {None, "", self.tenant} for other in (self.sender.tenant_id, self._said.tenant_id))

    @property
    def event(self) -> str:
        """What happened to a message: `editMessage`, `softDeleteMessage`, ..."""
        return self._said.event

    @property
    def where(self) -> Conversation:
        """The conversation: in a channel the thread, known by its first message."""
        channel, _, root = self.conversation.id.partition(ROOT)
        thread = (root or self.id) if self.kind == "channel" else ""
        return Conversation(PLATFORM, self.tenant, channel, thread)

    @property
    def by_bot(self) -> bool:
        """Whether a bot sent it, ourselves or another."""
        return self.sender.id.startswith("28:") or self.sender.id == self.recipient.id

    def read_entities(self) -> list[_Entity]:
        """Those of them that can be read."""
        found = []
        for given in (self.entities or ())[:_MOST_ENTITIES]:
            try:
                found.append(_Entity.model_validate(given))
            except ValidationError:
                continue
        return found

    @property
    def _said(self) -> _Said:
        try:
            data = _ChannelData.model_validate(self.channel_data or {})
        except ValidationError:
            return _Said("", "")
        return _Said((data.tenant.id if data.tenant else None) or "", data.event_type or "")


@dataclass(frozen=True, slots=True)
class _Said:
    tenant_id: str
    event: str


@dataclass(frozen=True, slots=True)
class Heard:
    """A message that is for us."""

    conversation: Conversation
    id: str
    text: str

    def message(self, author: Author, received_at: datetime) -> IncomingMessage:
        """The message as the bot knows it."""
        return IncomingMessage(self.id, self.conversation, author, self.text, received_at)


def parsed(body: bytes) -> Activity:
    """The activity in a request. Raises `Malformed`, which names the fields that are missing or wrong."""
    try:
        return Activity.model_validate_json(body)
    except ValidationError as error:
        fields = sorted({".".join(str(step) for step in one["loc"]) for one in error.errors(include_input=False)})
        raise Malformed(f"missing or wrong: {', '.join(fields) or 'all of it'}") from None
    except (ValueError, RecursionError) as error:
        raise Malformed(f"it cannot be read ({type(error).__name__})") from None


def heard(activity: Activity) -> Heard | None:
    """The message in an activity; None for what no person says to us: bots, cards, and chats that do not mention us."""
    if activity.type not in {"message", "messageUpdate"} or activity.by_bot or not activity.id:
        return None
    if activity.value is not None and not activity.text:
        return None
    if activity.kind != "personal" and not _mentioned(activity):
        return None
    return Heard(activity.where, activity.id, readable(activity))


def readable(activity: Activity) -> str:
    """The text as a person reads it, with no tags or mention of us; `/sources` is `sources`, as commands are listed."""
    us = activity.recipient
    described = [(one.text, one.mentioned) for one in activity.read_entities() if one.type == "mention"]
    mentions = [Mention(text, ours=who.id == us.id) for text, who in described if who is not None]
    names = {who.name for _, who in described if who is not None and who.id == us.id} | {us.name}
    text = without_tags(activity.text or "", mentions, own_names={name for name in names if name})
    marked_up = (activity.text_format or "").casefold() == "xml"
    plain = words(text, marked_up=marked_up).replace("\u00a0", " ").strip()
    lines = "\n".join(" ".join(line.split()) for line in plain.splitlines())
    return _COMMAND.sub(lambda match: match[1].lower(), lines, count=1) if lines.startswith("/") else lines


def country(activity: Activity) -> str | None:
    """Where the person is, as their Teams says."""
    stated = [one.country for one in activity.read_entities() if one.type == "clientInfo" and one.country]
    return stated[0].upper() if stated and _COUNTRY.fullmatch(stated[0]) else None


def timezone(activity: Activity) -> str | None:
    """Their time zone, as their Teams says."""
    stated = [one.timezone for one in activity.read_entities() if one.type == "clientInfo" and one.timezone]
    return stated[0] if stated else None


def concerns_us(activity: Activity, members: list[Account] | None) -> bool:
    """Whether we are among those who came or went."""
    return any(member.id == activity.recipient.id for member in members or ())


def _mentioned(activity: Activity) -> bool:
    return any(
        entity.type == "mention" and entity.mentioned is not None and entity.mentioned.id == activity.recipient.id
        for entity in activity.read_entities()
    )


def as_json(value: object) -> dict[str, Any]:
    """An untrusted value as an object; empty where it is none."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
