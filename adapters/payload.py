"""An incoming message as JSON, as the inbox keeps it, and back again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict

from bot.messages import Attachment, Author, IncomingMessage
from memory.columns import storable
from memory.conversation import Conversation

if TYPE_CHECKING:
    from typing import Self


class _Stored(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _StoredAuthor(_Stored):
    id: str
    guest: bool
    locale: str | None
    country: str | None
    timezone: str | None
    unknown: bool = False


class _StoredConversation(_Stored):
    platform: str
    tenant: str
    channel: str
    thread: str


class _StoredFile(_Stored):
    id: str
    name: str


class _StoredMessage(_Stored):
    version: Literal[1] = 1
    id: str
    conversation: _StoredConversation
    author: _StoredAuthor
    text: str
    received_at: AwareDatetime
    files: tuple[_StoredFile, ...] = ()

    @classmethod
    def of(cls, message: IncomingMessage) -> Self:
        where, author = message.conversation, message.author
        return cls(
            id=message.id,
            conversation=_StoredConversation(
                platform=where.platform, tenant=where.tenant, channel=where.channel, thread=where.thread
            ),
            author=_StoredAuthor(
                id=author.id,
                guest=author.guest,
                locale=author.locale,
                country=author.country,
                timezone=author.timezone,
                unknown=author.unknown,
            ),
            text=storable(message.text),
            received_at=message.received_at,
            files=tuple(_StoredFile(id=storable(file.id), name=storable(file.name)) for file in message.files),
        )

    def message(self) -> IncomingMessage:
        return IncomingMessage(
            id=self.id,
            conversation=Conversation(**self.conversation.model_dump()),
            author=Author(**self.author.model_dump()),
            text=self.text,
            received_at=self.received_at,
            files=tuple(Attachment(file.id, file.name) for file in self.files),
        )


def to_payload(message: IncomingMessage) -> str:
    """The message as JSON. Characters that Unicode cannot encode become U+FFFD."""
    return _StoredMessage.of(message).model_dump_json()


def from_payload(payload: str) -> IncomingMessage:
    """The message that `to_payload` wrote. ValueError (pydantic's) for anything else."""
    return _StoredMessage.model_validate_json(payload).message()
