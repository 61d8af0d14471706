"""The Socket Mode connection: opened, kept, and let go of whole."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from typing import TYPE_CHECKING

from slack_bolt.adapter.socket_mode.async_internals import send_async_response
from slack_sdk.socket_mode.aiohttp import SocketModeClient

from adapters.slack.errors import mapped

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from slack_bolt.response import BoltResponse
    from slack_sdk.socket_mode.async_client import AsyncBaseSocketModeClient
    from slack_sdk.socket_mode.request import SocketModeRequest
    from slack_sdk.web.async_client import AsyncWebClient

_LOG = logging.getLogger(__name__)


class _Client(SocketModeClient):
    """The SDK's client, but for frames that make it log a traceback: they are left out, and one line says so."""

    async def enqueue_message(self, message: str) -> None:
        """Queue a frame."""
        if _readable(message):
            await super().enqueue_message(message)
        else:
            _LOG.warning("Slack sent a frame that cannot be used: not acknowledged")


class SocketConnection:
    """A connection that hands the payload of every envelope to `answer`: the SDK's, with two faults mended.

    The SDK tries an address again and again when connecting fails, though Slack's addresses hold for seconds: as long
    as there is no connection, the address is thrown away every `ping_interval` seconds, and the SDK asks for a fresh
    one. And closing waits for the SDK's tasks, which it only cancels.
    """

    def __init__(
        self,
        answer: Callable[[object], Awaitable[BoltResponse]],
        client: AsyncWebClient,
        app_token: str,
        *,
        logger: logging.Logger,
        ping_interval: float = 10,
    ) -> None:
        self._client = client
        self._app_token = app_token
        self._ping_interval = ping_interval
        self._answer = answer
        self._socket = _Client(app_token, logger=logger, web_client=client, ping_interval=ping_interval)
        self._socket.socket_mode_request_listeners.append(self._take)
        self._renewing: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Connect. Raises `Misconfigured` for a bad app token, `Transient` if Slack does not answer."""
        with mapped("apps.connections.open"):
            opened = await self._client.apps_connections_open(app_token=self._app_token)
        self._socket.wss_uri = str(opened["url"])
        self._renewing = asyncio.create_task(self._renew())
        await self._socket.connect()  # type: ignore[no-untyped-call]  # untyped in the SDK

    async def close(self) -> None:
        """Disconnect and let go of everything."""
        client = self._socket
        await client.close()  # type: ignore[no-untyped-call]  # untyped in the SDK
        owned = (self._renewing, client.message_processor, client.current_session_monitor, client.message_receiver)
        tasks = [task for task in owned if isinstance(task, asyncio.Task)]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def connected(self) -> bool:
        """Whether messages can arrive now."""
        return await self._socket.is_connected()

    async def _take(self, client: AsyncBaseSocketModeClient, request: SocketModeRequest) -> None:
        """Acknowledge an envelope if its answer is a success; Slack sends an event again that is not acknowledged."""
        started = time.time()
        await send_async_response(client, request, await self._answer(request.payload), started)

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(self._ping_interval)
            if not await self.connected():
                self._socket.wss_uri = None


def _readable(frame: str) -> bool:
    """Whether the SDK can read it: text other than JSON it leaves alone, of JSON it wants objects in objects."""
    if not frame.startswith("{"):
        return True
    try:
        message = json.loads(frame)
    except (ValueError, RecursionError):
        return False
    return "payload" not in message or isinstance(message["payload"], dict)
