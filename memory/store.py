"""The port to what was said. `SqliteMemory` keeps it; `RamMemory` forgets it with the process (guests, tests)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from memory.conversation import Conversation
    from memory.summary import Summary
    from memory.turn import Fault, Turn


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

    async def answer_of(self, trace_id: str, *, place: str) -> Turn | None:
        """The turn of that trace in `place` (`Conversation.place`), or None."""
        ...

    async def summary(self, conversation: Conversation) -> Summary | None:
        """What was kept last of the conversation's older turns, for as long as all that it covers stands."""
        ...

    async def keep_summary(self, conversation: Conversation, summary: Summary, *, instead_of: Summary | None) -> bool:
        """Keep a summary that was grown from `instead_of`.

        False, and nothing is kept, where that is no longer the one that stands, or a turn that the new one covers
        besides is no longer there as a clean one: someone forgot it while the summary was being written.
        """
        ...

    async def rate(
        self, trace_id: str, *, place: str, author: str, good: bool, fault: Fault | None = None, comment: str = ""
    ) -> bool:
        """Note what a person thinks of an answer in `place` (`Conversation.place`), instead of what they said before.

        `fault` and `comment`, which a person may leave out, say why it was found bad. False, and nothing is kept,
        where no turn of that trace stands there.
        """
        ...

    async def forget(
        self,
        *,
        conversation: Conversation | None = None,
        author: str | None = None,
        platform: str | None = None,
        tenant: str | None = None,
        message: str | None = None,
    ) -> int:
        """Delete what matches all that is given and say how many turns went. What was thought of them goes with them.

        With an author, what they thought of others' turns goes too, and is not counted. `message` is the key of one
        message: its turns are those of every time that it was asked. ValueError if neither a conversation nor an
        author is given.
        """
        ...

    async def forget_before(self, moment: datetime) -> int:
        """Delete turns older than `moment`, with what was thought of them, and say how many went."""
        ...

    async def close(self) -> None:
        """Let go of files and threads. Calling it again does nothing."""
        ...
