"""The Socket Mode connection: opened, kept, and let go of whole."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler

from adapters.slack.errors import mapped

if TYPE_CHECKING:
    import logging

    from slack_bolt.async_app import AsyncApp
    from slack_sdk.web.async_client import AsyncWebClient


class SocketConnection:
    """Bolt's own connection, with two faults mended.

    The SDK tries an address again and again when connecting fails, though Slack's addresses hold for seconds: as long
    as there is no connection, the address is thrown away every `ping_interval` seconds, and the SDK asks for a fresh
    one. And closing waits for the SDK's tasks, which it only cancels.
    """

    def __init__(
        self,
        bolt: AsyncApp,
        client: AsyncWebClient,
        app_token: str,
        *,
        logger: logging.Logger,
        ping_interval: float = 10,
    ) -> None:
        self._client = client
        self._app_token = app_token
        self._ping_interval = ping_interval
        self._handler = AsyncSocketModeHandler(
            bolt, app_token, logger=logger, web_client=client, ping_interval=ping_interval
        )
        self._renewing: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Connect. Raises `Misconfigured` for a bad app token, `Transient` if Slack does not answer."""
        with mapped("apps.connections.open"):
            opened = await self._client.apps_connections_open(app_token=self._app_token)
        self._handler.client.wss_uri = str(opened["url"])
        self._renewing = asyncio.create_task(self._renew())
        await self._handler.connect_async()  # type: ignore[no-untyped-call]  # untyped in Bolt

    async def close(self) -> None:
        """Disconnect and let go of everything."""
        client = self._handler.client
        await self._handler.close_async()  # type: ignore[no-untyped-call]  # untyped in Bolt
        owned = (self._renewing, client.message_processor, client.current_session_monitor, client.message_receiver)
        tasks = [task for task in owned if isinstance(task, asyncio.Task)]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def connected(self) -> bool:
        """Whether messages can arrive now."""
        return await self._handler.client.is_connected()

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(self._ping_interval)
            if not await self.connected():
                self._handler.client.wss_uri = None
