"""Files that people send, as their platform offers them, and who may have them taken in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from retrieval.document import PUBLIC

if TYPE_CHECKING:
    from pathlib import Path

    from bot.messages import Attachment, IncomingMessage


class NotFetched(Exception):
    """A file cannot be had. `code` is one of the reasons in the wording, the message is for the operator."""

    def __init__(self, code: str, why: str) -> None:
        super().__init__(why)
        self.code = code


@dataclass(frozen=True, slots=True)
class Offered:
    """A file on its platform: where it is, where people open it, and what is said of it. Sizes in bytes."""

    id: str
    name: str
    address: str
    link: str | None
    size: int


class Files(Protocol):
    """What a platform can do about the files in its messages."""

    async def offered(self, file: Attachment) -> Offered:
        """What there is. Raises `NotFetched`."""
        ...

    async def fetch(self, file: Offered, into: Path, *, most_bytes: int) -> None:
        """Download it, and no more than so many bytes. Raises `NotFetched`."""
        ...

    async def tell(self, message: IncomingMessage, text: str) -> None:
        """Show how far it is, in one message that changes. Its failure never matters."""
        ...


@dataclass(frozen=True, slots=True)
class Permission:
    """By the operator's settings: `people` may send files directly and in `channels`, into `collection` by default."""

    people: frozenset[str] = frozenset()
    channels: frozenset[str] = frozenset()
    collection: str = PUBLIC
    most_bytes: int = 20_000_000
