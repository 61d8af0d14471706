"""The port to what was said. `SqliteMemory` keeps it; `RamMemory` forgets it with the process (guests, tests)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from memory.conversation import Conversation
    from memory.turn import Turn


class Memory(Protocol):
    """Turns by conversation. Every method is safe to call from many tasks at once."""

    async def record(self, turn: Turn) -> None:
        """Keep one turn. Recording the same message of a conversation again replaces what stood there."""
        ...

    async def turns(self, conversation: Conversation, *, limit: int = 50) -> Sequence[Turn]:
        """The conversation's last `limit` turns of every kind, oldest first."""
        ...

    async def last_answer(self, place: str, author: str) -> Turn | None:
        """This person's last grounded answer anywhere in `place` (`Conversation.place`), or None."""
        ...

    async def forget(self, *, conversation: Conversation | None = None, author: str | None = None) -> int:
        """Delete what matches all that is given and say how many turns went. ValueError if nothing is given."""
        ...

    async def forget_before(self, moment: datetime) -> int:
        """Delete turns older than `moment` and say how many went."""
        ...

    async def close(self) -> None:
        """Let go of files and threads. Calling it again does nothing."""
        ...
