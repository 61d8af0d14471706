"""What the bot knows and how its parts are, for those who open its page and those who run it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memory.errors import MemoryUnavailable
from retrieval.errors import RetrievalError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Mapping
    from datetime import datetime

    from retrieval.index import Index


@dataclass(frozen=True, slots=True)
class Holdings:
    """The documents that someone may see: how many in each collection, and when any last changed."""

    collections: Mapping[str, int] = field(default_factory=dict)
    updated_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Health:
    """How the parts are, for an operator. `faults` are lines on what does not run as it should; none is good.

    `ready` says whether questions can be answered from documents at all.
    """

    backends: str
    passages: int
    embedded: int
    waiting: int
    faults: tuple[str, ...]
    ready: bool


class Overview:
    """Asks the index, and `waiting` how many messages have no answer yet. `backends` is a line that names what was
    chosen for each stage; `by_meaning` says that there is a model whose vectors the passages should have.
    """

    def __init__(self, index: Index, backends: str, waiting: Callable[[], Awaitable[int]], *, by_meaning: bool) -> None:
        self._index = index
        self._backends = backends
        self._waiting = waiting
        self._by_meaning = by_meaning

    async def holdings(self, visible: Collection[str] | None) -> Holdings | None:
        """What stands in these collections (None: in all); None where the index cannot say."""
        try:
            status = await self._index.status()
        except RetrievalError:
            return None
        seen = {name: n for name, n in sorted(status.collections.items()) if visible is None or name in visible}
        return Holdings(seen, status.updated_at if seen else None)

    async def health(self) -> Health:
        """How the parts are now. It never raises for a part that is down: that is what it tells."""
        faults: list[str] = []
        passages = embedded = 0
        try:
            status = await self._index.status()
        except RetrievalError as error:
            faults.append(f"The index does not answer: {error}")
        else:
            passages, embedded = status.passages, status.embedded
            if not passages:
                faults.append("The index is empty: take documents in with citewell ingest.")
            elif self._by_meaning and embedded < passages:
                faults.append(f"{passages - embedded} of {passages} passages are found by words alone so far.")
        waiting = 0
        try:
            waiting = await self._waiting()
        except MemoryUnavailable as error:
            faults.append(f"The memory file cannot be read: {error}")
        return Health(self._backends, passages, embedded, waiting, tuple(faults), ready=passages > 0)
