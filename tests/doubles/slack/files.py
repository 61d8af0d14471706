"""Files that people have uploaded: `files.info`, and their bytes for whoever brings the bot's token.

Without it, or without the scope, Slack sends a browser to a page to sign in on, and so does this.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aiohttp import web

from tests.doubles.slack.limits import Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

_SCOPE = "files:read"


@dataclass(slots=True)
class File:
    """One file. `told` is what Slack says of it beside the usual, `redirect` where its download is sent to.

    Its download waits until `opened` is set, as it is from the start.
    """

    id: str
    name: str
    data: bytes
    told: dict[str, Any] = field(default_factory=dict)
    redirect: str | None = None
    status: int = 200
    opened: asyncio.Event = field(default_factory=asyncio.Event)


class FileStore:
    """The files of one workspace. `origin` is where they are downloaded, `asked` which headers came with it."""

    def __init__(self, *, bot_token: str, scopes: Collection[str] | None) -> None:
        self.origin = ""
        self.asked: list[tuple[str, str]] = []
        self._bot_token = bot_token
        self._scopes = scopes
        self._files: dict[str, File] = {}

    def add(self, id_: str, name: str, data: bytes, **told: Any) -> File:
        """A person uploads a file."""
        self._files[id_] = File(id_, name, data, told)
        self._files[id_].opened.set()
        return self._files[id_]

    def delete(self, id_: str) -> None:
        """Its person deletes it."""
        del self._files[id_]

    def shared(self, *ids: str) -> list[dict[str, Any]]:
        """`files` of a message event."""
        return [self._described(self._files[one]) for one in ids]

    def _described(self, file: File) -> dict[str, Any]:
        address = f"{self.origin}/files-pri/{file.id}/{file.name}"
        kind = file.name.rpartition(".")[2]
        named = {"id": file.id, "name": file.name, "title": file.name, "filetype": kind, "pretty_type": kind.upper()}
        kept = {"size": len(file.data), "mode": "hosted", "is_external": False, "external_type": "", "created": 1764500}
        seen = {"editable": False, "is_public": False, "public_url_shared": False, "display_as_bot": False}
        links = {
            "url_private": address,
            "url_private_download": address,
            "permalink": f"https://clinic.slack.com/files/U0AMINA/{file.id}/{file.name}",
        }
        return {**named, **kept, **seen, **links, "username": "", "mimetype": "", "channels": [], "groups": []}

    @property
    def methods(self) -> dict[str, Callable[[dict[str, Any]], dict[str, Any]]]:
        """What each method does with its arguments."""
        return {"files.info": self._info}

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """Answer a download."""
        authorization = request.headers.get("Authorization", "")
        file = self._files.get(request.match_info["id"])
        self.asked.append((request.match_info["id"], authorization))
        if authorization != f"Bearer {self._bot_token}" or (self._scopes is not None and _SCOPE not in self._scopes):
            raise web.HTTPFound(f"{self.origin}/signin")
        if file is None:
            raise web.HTTPNotFound
        await file.opened.wait()
        if file.redirect is not None:
            raise web.HTTPFound(file.redirect)
        return web.Response(body=file.data, status=file.status, content_type="application/octet-stream")

    async def sign_in(self, _: web.Request) -> web.Response:
        """The page that a browser ends on."""
        return web.Response(text="<html>Sign in</html>", content_type="text/html")

    def _info(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        file = self._files.get(arguments["file"])
        if file is None:
            raise Refused("file_not_found", arguments["file"])
        return {"file": self._described(file) | {"file_access": "visible"} | file.told}
