"""Files in Slack: what they are, and their bytes, with the bot's token, from Slack's own host and no other."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

import aiohttp

from adapters.offered import NotFetched, Offered
from adapters.slack.errors import mapped
from bot.errors import CitewellError, Misconfigured, Transient

if TYPE_CHECKING:
    from slack_sdk.web.async_client import AsyncWebClient

    from bot.messages import Attachment

_LOG = logging.getLogger(__name__)
HOST = "files.slack.com"
_API = "slack.com"
_MOST_HOPS = 3
_CHUNK = 64 * 1024
_ENDINGS = {"markdown": "md", "text": "txt"}
"""How Slack calls a kind of file that its name does not tell, where that is not the ending."""


class SlackFiles:
    """Slack's side of files. `seconds` bounds a download.

    The token goes to `files.slack.com` over HTTPS alone or, where the API is set to be elsewhere, to that place.
    """

    def __init__(self, client: AsyncWebClient, *, seconds: float = 60.0) -> None:
        self._client = client
        self._seconds = seconds
        api = urlsplit(client.base_url)
        self._elsewhere = (api.scheme, api.netloc) if api.hostname != _API else None

    async def offered(self, file: Attachment) -> Offered:
        """What Slack says of a file now. Raises `NotFetched`."""
        try:
            with mapped("files.info"):
                told = (await self._client.files_info(file=file.id)).get("file") or {}
        except Transient as error:
            raise NotFetched("network", str(error)) from error
        except Misconfigured as error:
            raise NotFetched("no_access", str(error)) from error
        except CitewellError as error:
            raise NotFetched("gone", str(error)) from error
        address = str(told.get("url_private_download") or told.get("url_private") or "")
        if told.get("mode") == "tombstone" or not told.get("id"):
            raise NotFetched("gone", "the file has been deleted")
        if told.get("is_external") or not self._allowed(address):
            raise NotFetched("elsewhere", "the file is not kept by Slack")
        size = told.get("size")
        return Offered(file.id, _name(told, file), address, told.get("permalink"), size if isinstance(size, int) else 0)

    async def fetch(self, file: Offered, into: Path, *, most_bytes: int) -> None:
        """Download it, counting the bytes as they come. Raises `NotFetched`."""
        try:
            async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=self._seconds)) as session:
                await self._follow(session, file, into, most_bytes)
        except (aiohttp.ClientError, TimeoutError) as error:
            raise NotFetched("network", f"a download broke off ({type(error).__name__})") from error

    async def _follow(self, session: aiohttp.ClientSession, file: Offered, into: Path, most_bytes: int) -> None:
        address = file.address
        for _ in range(_MOST_HOPS):
            if not self._allowed(address):
                raise NotFetched("no_access", "Slack sent the download elsewhere; does the app have files:read?")
            headers = {"Authorization": f"Bearer {self._client.token}"}
            async with session.get(address, headers=headers, allow_redirects=False) as got:
                if got.status in {301, 302, 303, 307, 308}:
                    address = urljoin(address, got.headers.get("Location", ""))
                    continue
                self._check(got, file, most_bytes)
                await _write(got, into, most_bytes)
                return
        raise NotFetched("no_access", "the download was sent from one address to the next")

    def _check(self, got: aiohttp.ClientResponse, file: Offered, most_bytes: int) -> None:
        if got.status == 404:
            raise NotFetched("gone", "the file is no longer there")
        if got.status == 429 or got.status >= 500:
            raise NotFetched("network", f"Slack answered {got.status}")
        if got.status != 200:
            raise NotFetched("no_access", f"Slack answered {got.status}; does the app have files:read?")
        page = got.content_type == "text/html" and Path(file.name).suffix.lower() not in {".html", ".htm"}
        if page:
            raise NotFetched("no_access", "Slack sent a page to sign in on; does the app have files:read?")
        if (got.content_length or 0) > most_bytes:
            raise NotFetched("too_large", f"it has {got.content_length} bytes")

    def _allowed(self, address: str) -> bool:
        """Whether the token may go there."""
        try:
            parts = urlsplit(address)
            host, port = parts.hostname, parts.port
        except ValueError:
            return False
        if self._elsewhere is not None:
            return (parts.scheme, parts.netloc) == self._elsewhere
        return parts.scheme == "https" and "@" not in parts.netloc and host == HOST and port in {None, 443}


async def _write(got: aiohttp.ClientResponse, into: Path, most_bytes: int) -> None:
    """Never more than allowed is written, whatever was said of the size."""
    received = 0
    with await asyncio.to_thread(into.open, "wb") as out:
        async for chunk in got.content.iter_chunked(_CHUNK):
            received += len(chunk)
            if received > most_bytes:
                raise NotFetched("too_large", f"it has more than {most_bytes} bytes")
            await asyncio.to_thread(out.write, chunk)


def _name(told: dict[str, Any], file: Attachment) -> str:
    """Its name, with an ending if it had none."""
    name = str(told.get("name") or file.name or told.get("title") or "document")
    kind = str(told.get("filetype") or "")
    return name if Path(name).suffix or not kind.isalnum() else f"{name}.{_ENDINGS.get(kind, kind)}"
