"""What comes in and what goes out, the same on every platform."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from memory.turn import Source, TurnKind

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from memory.conversation import Conversation

__all__ = ["Attachment", "Author", "IncomingMessage", "Reply", "Resource", "Respond", "Show", "Source", "TurnKind"]

_TEXTED = re.compile(r"Text (?:(?P<word>[A-Z0-9]+) to )?(?P<number>\d+)")


@dataclass(frozen=True, slots=True)
class Author:
    """Who wrote. `guest` is anyone from outside the organisation: of them nothing is written down.

    `locale` is a language tag ("en-GB"), `country` an ISO 3166 code ("GB"), `timezone` an IANA name; each None
    where the platform does not say. `unknown` says that it could not be asked just now, so that a guest is assumed.
    """

    id: str
    guest: bool = False
    locale: str | None = None
    country: str | None = None
    timezone: str | None = None
    unknown: bool = False


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that came with a message: the platform's own id for it, and its name. Nothing of it has been fetched."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class IncomingMessage:
    """One message that is for us. `id` is the platform's own id for it (Slack's ts, Teams' activity id)."""

    id: str
    conversation: Conversation
    author: Author
    text: str
    received_at: datetime
    files: tuple[Attachment, ...] = ()

    @property
    def key(self) -> str:
        """The same for every delivery of one message, whatever event carried it (promise 7)."""
        return f"{self.conversation.place}:{self.id}"


@dataclass(frozen=True, slots=True)
class Resource:
    """A line or page that helps a person in need, from the reviewed file; the model never touches it.

    `phone` is as dialled, `text` says what to send where ("Text HOME to 741741"), `url` opens a chat or site.
    """

    name: str
    phone: str | None = None
    text: str | None = None
    url: str | None = None
    hours: str | None = None
    country: str | None = None

    @property
    def links(self) -> dict[str, str]:
        """What a click may do, where a platform can: `call` (tel:), `text` (sms:) and `open` (https:)."""
        links = {}
        if self.phone:
            number, _, extension = self.phone.partition(" ext ")
            links["call"] = f"tel:{re.sub('[ -]', '', number)}" + (f";ext={extension}" if extension else "")
        if self.text and (sent := _TEXTED.fullmatch(self.text)):
            links["text"] = f"sms:{sent['number']}" + (f"?body={sent['word']}" if sent["word"] else "")
        if self.url:
            links["open"] = self.url
        return links


@dataclass(frozen=True, slots=True)
class Reply:
    """What a person gets back, before any platform's formatting.

    `text` is light Markdown with `[n]` markers that point into `sources`; `resources` stand outside it, and so does
    `confidence` in [0, 1], which only a fact has. `private` asks the platform to show it to the author alone. Where
    `if_alerted` is given, people whom the organisation has named for it are to be told that help may be needed, and
    once they have been, these words belong at the end of the text. `undo` is the id by which what was done can be
    undone, `more` that of the rows that are not shown yet; each is offered on a button, opaque, and looked up again on
    click.
    """

    kind: TurnKind
    text: str
    trace_id: str
    sources: tuple[Source, ...] = ()
    resources: tuple[Resource, ...] = ()
    confidence: float | None = None
    private: bool = False
    if_alerted: str = ""
    undo: str = ""
    more: str = ""

    def as_json(self) -> dict[str, Any]:
        """The reply as the commands print it; the names are stable."""
        return {
            "kind": self.kind.value,
            "text": self.text,
            "sources": [_source_json(source) for source in self.sources],
            "resources": [{**asdict(resource), "links": resource.links} for resource in self.resources],
            "confidence": self.confidence,
            "trace_id": self.trace_id,
        }


Show: TypeAlias = "Callable[[str], None]"
"""Is given an answer's text as it grows, from its beginning each time; what it holds has passed its check. The text of
the reply goes on from there, or does not begin so: then what was shown does not stand. It must not block."""


class Respond(Protocol):
    """Whatever gives a message its reply, and shows an answer early where it can and is asked to."""

    async def __call__(self, message: IncomingMessage, show: Show | None = None, /) -> Reply:
        """The reply, whole, whatever was shown of it."""
        ...


def _source_json(source: Source) -> dict[str, Any]:
    """`review_by` stands on marked sources alone."""
    named = asdict(source)
    due = named.pop("review_by")
    return named | ({"review_by": due.isoformat()} if due else {})
