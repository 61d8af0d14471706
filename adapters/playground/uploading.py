"""A document from the page, taken in as those from Slack are: the same limits, the same report, the same undo."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aiohttp import ClientError, web
from aiohttp.http_exceptions import HttpProcessingError
from pydantic import BaseModel, ConfigDict, Field

from adapters.app import utc_now
from adapters.offered import NotFetched, Offered
from adapters.playground import PLATFORM
from adapters.playground.asking import TENANT, conversation, member
from bot.messages import Attachment, IncomingMessage
from retrieval.errors import RetrievalError

if TYPE_CHECKING:
    from pathlib import Path

    from aiohttp import StreamReader

    from adapters.app import Application

_CHUNK = 64 * 1024
_LONGEST_NAME = 300


class Undoing(BaseModel):
    """What the page sends to have an upload taken out again."""

    model_config = ConfigDict(extra="forbid")

    undo: str = Field(pattern=r"^[0-9a-f]{32}$")


@dataclass(frozen=True, slots=True)
class _Body:
    name: str
    size: int
    stream: StreamReader


class Uploading:
    """Whoever may use the page may give documents. `adapters.offered.Files`, of the bodies that are coming in now."""

    def __init__(self, app: Application) -> None:
        self._app = app
        self._bodies: dict[str, _Body] = {}
        app.intake.register(PLATFORM, TENANT, self, lambda _: True, anyone=True)

    async def take_in(self, request: web.Request) -> dict[str, Any]:
        """Read the body as a document of the name and into the collection that the query names.

        The report, and an id to undo it by where something was taken in. ValueError where there is no name.
        """
        name, into = request.query.get("name", "").strip(), request.query.get("collection", "").strip()
        if not name or len(name) > _LONGEST_NAME:
            raise ValueError("the document needs a name")
        id_ = self._app.engine.new_id()
        self._bodies[id_] = _Body(name, request.content_length or 0, request.content)
        where, file = conversation(id_), Attachment(id_, name)
        message = IncomingMessage(id_, where, member(), into and f"into {into}", utc_now(), files=(file,))
        try:
            reply = await self._app.intake.take_in(message)
        except RetrievalError:
            reply = None
        finally:
            del self._bodies[id_]
        said = reply.text if reply else self._app.engine.wording.documents.why["fault"]
        return {"said": said, "undo": reply.undo if reply else ""}

    async def undo(self, undoing: Undoing) -> dict[str, Any]:
        """Take it out again, and nothing else: what is said of that."""
        done, said = await self._app.intake.undo(undoing.undo, conversation(undoing.undo), member())
        return {"said": said, "done": done}

    async def offered(self, file: Attachment) -> Offered:
        """What the page says of it."""
        body = self._bodies[file.id]
        return Offered(file.id, body.name, address="", link=None, size=body.size)

    async def fetch(self, file: Offered, into: Path, *, most_bytes: int) -> None:
        """Onto the disk as it comes, and no more of it than may be. Raises `NotFetched`."""
        stream, read = self._bodies[file.id].stream, 0
        out = await asyncio.to_thread(into.open, "wb")
        try:
            async for chunk in stream.iter_chunked(_CHUNK):
                if (read := read + len(chunk)) > most_bytes:
                    raise NotFetched("too_large", f"more than {most_bytes} bytes came")
                await asyncio.to_thread(out.write, chunk)
        except (ClientError, HttpProcessingError, web.PayloadAccessError, ConnectionError) as error:
            raise NotFetched("network", f"an upload broke off ({type(error).__name__})") from error
        finally:
            await asyncio.to_thread(out.close)

    async def tell(self, message: IncomingMessage, text: str) -> None:
        """The page shows by itself that it is at work."""
