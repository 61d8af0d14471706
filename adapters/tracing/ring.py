"""The last turns, in memory."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from bot.turn_record import TurnRecord


class Ring:
    """The last `size` turns, oldest first; they go with the process."""

    def __init__(self, size: int = 500) -> None:
        self._records: deque[TurnRecord] = deque(maxlen=size)
        self._waiting: set[asyncio.Queue[TurnRecord]] = set()

    def keep(self, record: TurnRecord) -> None:
        """Add one, and hand it to all who follow."""
        self._records.append(record)
        for queue in self._waiting:
            if queue.full():
                queue.get_nowait()  # who follows too slowly loses the oldest
            queue.put_nowait(record)

    def forget_words(self) -> None:
        """Drop what was said in all of them, since somebody asked to be forgotten."""
        kept = [record.without_words() for record in self._records]
        self._records.clear()
        self._records.extend(kept)

    def last(self, count: int) -> Sequence[TurnRecord]:
        """Up to so many, oldest first."""
        return list(self._records)[-count:] if count > 0 else []

    def find(self, trace_id: str) -> TurnRecord | None:
        """The one of this id, if it is still here."""
        return next((record for record in reversed(self._records) if record.trace_id == trace_id), None)

    async def follow(self) -> AsyncIterator[TurnRecord]:
        """Every turn that ends from now on."""
        queue: asyncio.Queue[TurnRecord] = asyncio.Queue(maxsize=100)
        self._waiting.add(queue)
        try:
            while True:
                yield await queue.get()
        finally:
            self._waiting.discard(queue)
