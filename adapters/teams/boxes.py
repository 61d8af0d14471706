"""Where what is sent is noted: on disk; in RAM for guests, and for everyone while the disk cannot be written to."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, TypeVar

from memory.errors import MemoryUnavailable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from datetime import datetime

    from memory.outbox import Outbox, SentPart

T = TypeVar("T")
_LOG = logging.getLogger(__name__)


class Sturdy:
    """An `Outbox` on disk that goes on in RAM while that fails: a person in need cannot wait until a disk is mended."""

    def __init__(self, durable: Outbox, spare: Outbox) -> None:
        self._durable = durable
        self._spare = spare

    async def address(self, place: str) -> str | None:
        """The spare's first: it has one only where the disk could not take it."""
        spare = await self._spare.address(place)
        return spare if spare is not None else await self._read(lambda box: box.address(place), None)

    async def keep_address(self, place: str, address: str, at: datetime) -> None:
        """In the one or the other."""
        await self._write(lambda box: box.keep_address(place, address, at))

    async def begin(self, key: str, part: int, *, of: int, trace: str, at: datetime) -> None:
        """In the one or the other."""
        await self._write(lambda box: box.begin(key, part, of=of, trace=trace, at=at))

    async def stands(self, key: str, part: int, sent_as: str) -> None:
        """In both, since it may have been begun in either."""
        await self._spare.stands(key, part, sent_as)
        await self._write(lambda box: box.stands(key, part, sent_as))

    async def failed(self, key: str, part: int) -> None:
        """In both."""
        await self._spare.failed(key, part)
        await self._write(lambda box: box.failed(key, part))

    async def parts(self, key: str) -> Sequence[SentPart]:
        """What either knows."""
        kept: Sequence[SentPart] = await self._read(lambda box: box.parts(key), ())
        spare = {part.n: part for part in await self._spare.parts(key)}
        merged = {part.n: part for part in kept} | spare
        return [merged[n] for n in sorted(merged)]

    async def answers(self, key: str) -> Sequence[str]:
        """What either knows."""
        kept: Sequence[str] = await self._read(lambda box: box.answers(key), ())
        return list(dict.fromkeys((*kept, *await self._spare.answers(key))))

    async def trace(self, place: str, sent_as: str) -> str | None:
        """What either knows."""
        spare = await self._spare.trace(place, sent_as)
        return spare if spare is not None else await self._read(lambda box: box.trace(place, sent_as), None)

    async def forget_before(self, moment: datetime) -> int:
        """From both."""
        return await self._spare.forget_before(moment) + await self._durable.forget_before(moment)

    async def _write(self, work: Callable[[Outbox], Awaitable[None]]) -> None:
        try:
            await work(self._durable)
        except MemoryUnavailable as error:
            _LOG.warning("what is sent is noted in RAM: %s", error)
            await work(self._spare)

    async def _read(self, work: Callable[[Outbox], Awaitable[T]], otherwise: T) -> T:
        try:
            return await work(self._durable)
        except MemoryUnavailable as error:
            _LOG.warning("what was sent cannot be read: %s", error)
            return otherwise
