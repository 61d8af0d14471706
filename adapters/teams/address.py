"""Where replies go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from adapters.teams.activities import ROOT, Kind

if TYPE_CHECKING:
    from typing import Self

    from adapters.teams.activities import Activity

_ABOUT_MESSAGES = {"message", "messageUpdate", "messageDelete"}


class Address(BaseModel):
    """Where replies go: the reference that Bot Framework says to keep. It holds nobody's words.

    One is kept for each place: of a channel `conversation` is its own id then, and `in_thread` gives that of a thread.
    `bot` is who we are there.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    service_url: str = Field(min_length=1)
    conversation: str
    kind: Kind
    tenant: str
    bot: str

    def in_thread(self, root: str) -> Self:
        """The same place, in the thread that begins with this message; without one, the place itself."""
        return self.model_copy(update={"conversation": f"{self.conversation}{ROOT}{root}"}) if root else self

    @classmethod
    def read(cls, stored: str) -> Self | None:
        """The one that was stored so; None for anything else."""
        try:
            return cls.model_validate_json(stored)
        except ValidationError:
            return None


def address_of(activity: Activity) -> Address:
    """Where replies to this activity go; in a channel, into the thread."""
    root = activity.where.thread if activity.type in _ABOUT_MESSAGES or ROOT in activity.conversation.id else ""
    return place_of(activity).in_thread(root)


def place_of(activity: Activity) -> Address:
    """The place as it is kept."""
    return Address(
        service_url=activity.service_url,
        conversation=activity.where.channel,
        kind=activity.kind,
        tenant=activity.tenant,
        bot=activity.recipient.id,
    )
