"""That an answer is on its way, in a chat with one person: a message that Teams shows as being written.

The checked answer then takes its place, once. Teams knows the message by an id, so after a crash the answer can be sent
again without standing there twice: Teams takes the end of a stream once.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from bot.errors import CitewellError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from adapters.teams.address import Address
    from adapters.teams.connector import Sends

_LOG = logging.getLogger(__name__)
_MOST_OPEN = 1_000


class Streams:
    """Those that are open, by the key of the message that they answer.

    None is begun for an answer that comes within `delay` seconds, and what is under way is waited for `patience`.
    """

    def __init__(self, sends: Sends, *, delay: float = 0.25, patience: float = 5.0) -> None:
        self._sends = sends
        self._delay = delay
        self._patience = patience
        self._open: dict[str, asyncio.Task[str]] = {}

    async def begin(self, key: str, to: Address, words: str, note: Callable[[str], Awaitable[None]]) -> None:
        """Show `words` there, and `note` the stream's id. May be cancelled, which does not leave it half begun."""
        await self.pause()
        task = self._open[key] = asyncio.create_task(self._begin(to, words, note))
        if len(self._open) > _MOST_OPEN:
            self._open.pop(next(iter(self._open))).cancel()
        await asyncio.shield(task)

    async def pause(self) -> None:
        """Wait for as long as an answer may take without any sign that it is on its way."""
        await asyncio.sleep(self._delay)

    async def id_of(self, key: str) -> str:
        """The id of the stream that is open, empty where there is none. It is closed with that."""
        task = self._open.pop(key, None)
        if task is None:
            return ""
        done, _ = await asyncio.wait({task}, timeout=self._patience)
        if not done:
            task.cancel()
            return ""
        return task.result()

    async def close(self) -> None:
        """Let go of what is under way."""
        tasks = tuple(self._open.values())
        self._open.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _begin(self, to: Address, words: str, note: Callable[[str], Awaitable[None]]) -> str:
        entity = {"type": "streaminfo", "streamType": "informative", "streamSequence": 1}
        try:
            stream = await self._sends.send(to, {"type": "typing", "text": words, "entities": [entity]})
            if stream:
                await note(stream)
        except CitewellError as error:
            _LOG.debug("no stream: %s", error)
            return ""
        return stream


def ending(activity: dict[str, Any], stream: str) -> dict[str, Any]:
    """The activity as the end of a stream."""
    entity = {"type": "streaminfo", "streamId": stream, "streamType": "final"}
    return {**activity, "entities": [*activity.get("entities", ()), entity]}
