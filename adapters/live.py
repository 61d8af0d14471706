"""What answers now, and the settings it goes by: replaced as one when settings are read again, never by halves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adapters.settings import Settings
    from bot.messages import IncomingMessage, Reply, Show
    from bot.turn import Engine


@dataclass(slots=True)
class Live:
    """A turn that has begun ends with the engine that it began with."""

    settings: Settings
    engine: Engine

    async def respond(self, message: IncomingMessage, show: Show | None = None) -> Reply:
        """The reply of the engine of now."""
        return await self.engine.respond(message, show)

    def failure(self, message: IncomingMessage, error: BaseException) -> Reply:
        """What it says where a turn broke."""
        return self.engine.failure(message, error)
