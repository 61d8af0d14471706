"""Tells a channel or person whom the organisation has named that someone may need help, and where they wrote."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from typing import TYPE_CHECKING

from adapters.slack.again import asked_at
from adapters.slack.blocks import alert, content
from adapters.slack.errors import mapped
from adapters.slack.events import is_direct
from adapters.slack.workspaces import home
from bot.errors import CitewellError, Transient

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from slack_sdk.web.async_client import AsyncWebClient

    from adapters.slack.workspaces import Workspaces
    from bot.messages import IncomingMessage
    from bot.wording import AlertWords

_LOG = logging.getLogger(__name__)
_MOST_KNOWN = 1000
_TRIES = 3
_WAIT = 5.0


class Alerts:
    """One alert a message to `target`, an id of a channel or a person of the workspace where it was written.

    A button opens the message; it is never quoted, nor shown by a preview, which Slack adds to links in a text.

    `told_of` waits `patience` seconds at most, since the person's own reply waits for it; what is not through by then
    goes on by itself, in up to three tries. Nobody is told of themselves, nor the channel in which the message stands.
    """

    def __init__(
        self,
        workspaces: Workspaces,
        target: str,
        words: AlertWords,
        *,
        patience: float = 1.0,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._workspaces = workspaces
        self._target = target
        self._words = words
        self._patience = patience
        self._sleep = sleep
        self._told: OrderedDict[str, asyncio.Task[bool]] = OrderedDict()

    async def told_of(self, message: IncomingMessage) -> bool:
        """Whether someone has been told by now. It never raises, and asked again it tells nobody twice."""
        if self._target in {message.author.id, message.conversation.channel}:
            return False
        telling = self._told.get(message.key)
        if telling is None:
            telling = self._told[message.key] = asyncio.create_task(self._tell(message))
            if len(self._told) > _MOST_KNOWN:
                self._told.popitem(last=False)
        done, _ = await asyncio.wait({telling}, timeout=self._patience)
        return bool(done) and not telling.cancelled() and telling.result()

    async def close(self) -> None:
        """Let go of what is under way."""
        for telling in self._told.values():
            telling.cancel()
        await asyncio.gather(*self._told.values(), return_exceptions=True)

    async def _tell(self, message: IncomingMessage) -> bool:
        for tried in range(1, _TRIES + 1):
            try:
                await self._post(message)
            except Transient as error:
                _LOG.warning("nobody is told of %s yet, try %d: %s", message.key, tried, error)
                if tried < _TRIES:
                    await self._sleep(_WAIT if error.retry_after is None else error.retry_after)
            except Exception as error:  # noqa: BLE001 - whatever it is, the person's own reply comes first
                said = error if isinstance(error, CitewellError) else type(error).__name__
                _LOG.error("nobody can be told of %s: %s", message.key, said)
                return False
            else:
                return True
        _LOG.error("nobody was told of %s", message.key)
        return False

    async def _post(self, message: IncomingMessage) -> None:
        where = message.conversation.channel
        said = self._words.direct if is_direct(where) else self._words.channel
        if not asked_at(message):
            said = self._words.comment
        client = (await home(self._workspaces, message)).client
        link = await self._link(client, message)
        post = alert(said.format(person=f"<@{message.author.id}>", channel=f"<#{where}>"), link)
        with mapped("chat.postMessage"):
            await client.chat_postMessage(channel=self._target, unfurl_links=False, unfurl_media=False, **content(post))

    async def _link(self, client: AsyncWebClient, message: IncomingMessage) -> tuple[str, str] | None:
        """A button's label and address; without it the alert still says where."""
        if not asked_at(message):
            return None
        try:
            with mapped("chat.getPermalink"):
                found = await client.chat_getPermalink(
                    channel=message.conversation.channel, message_ts=asked_at(message)
                )
        except CitewellError as error:
            _LOG.warning("an alert goes without its link: %s", error)
            return None
        return self._words.open, str(found.get("permalink") or "")
