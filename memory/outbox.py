"""What went out where a platform cannot be asked what stands there: noted before it is sent, and again once it stands.

So a crash in between is seen afterwards for what it is: a message of which nobody knows whether it arrived. Nothing of
what was said is kept here, only ids and where replies go.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from memory.columns import storable, utc_text
from memory.turn import AGAIN

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from memory.file import MemoryFile


@dataclass(frozen=True, slots=True)
class SentPart:
    """Part `n` of a reply in `of` parts. `sent_as` is its id there; empty where it was begun and no more is known."""

    n: int
    of: int
    sent_as: str


class Outbox(Protocol):
    """Addresses by place, and the parts of replies by the key of the message that they answer.

    Every method is safe to call from many tasks at once, and may raise `MemoryUnavailable`.
    """

    async def address(self, place: str) -> str | None:
        """Where replies in this place (`Conversation.place`) go; the caller's to write and read."""
        ...

    async def keep_address(self, place: str, address: str, at: datetime) -> None:
        """From now on they go there."""
        ...

    async def begin(self, key: str, part: int, *, of: int, trace: str, at: datetime) -> None:
        """This part of the reply is about to be sent, in place of whatever was noted of it before."""
        ...

    async def stands(self, key: str, part: int, sent_as: str) -> None:
        """It was sent, and bears this id there."""
        ...

    async def failed(self, key: str, part: int) -> None:
        """It surely was not sent."""
        ...

    async def parts(self, key: str) -> Sequence[SentPart]:
        """What was begun of the reply to this message, in order."""
        ...

    async def answers(self, key: str) -> Sequence[str]:
        """The ids of what stands in answer to this message, also where it was asked `AGAIN`."""
        ...

    async def trace(self, place: str, sent_as: str) -> str | None:
        """The trace of the reply that a part of this id belongs to, in this place (`Conversation.place`)."""
        ...

    async def forget_before(self, moment: datetime) -> int:
        """Drop what is older than `moment`, and say how much that was."""
        ...


class SqliteOutbox:
    """An `Outbox` that outlives the process."""

    def __init__(self, file: MemoryFile) -> None:
        self._file = file
        self._known: dict[str, str] = {}

    async def address(self, place: str) -> str | None:
        """As it was kept last, in this process or an earlier one."""
        query = "SELECT address FROM addresses WHERE place = ?"
        row = await self._file.read(lambda db: db.execute(query, [storable(place)]).fetchone())
        return None if row is None else str(row[0])

    async def keep_address(self, place: str, address: str, at: datetime) -> None:
        """On the disk when this returns. Once that is so, the same again costs nothing."""
        if self._known.get(place) == address:
            return
        upsert = """
            INSERT INTO addresses (place, address, at) VALUES (?, ?, ?)
            ON CONFLICT (place) DO UPDATE SET address = excluded.address, at = excluded.at
        """
        values = [storable(place), storable(address), utc_text(at)]
        await self._file.write(lambda db: db.execute(upsert, values))
        self._known[place] = address
        if len(self._known) > _MOST_KNOWN:
            del self._known[next(iter(self._known))]

    async def begin(self, key: str, part: int, *, of: int, trace: str, at: datetime) -> None:
        """On the disk when this returns."""
        upsert = """
            INSERT INTO outbox (key, part, parts, trace, sent_as, at) VALUES (?, ?, ?, ?, '', ?)
            ON CONFLICT (key, part)
            DO UPDATE SET parts = excluded.parts, trace = excluded.trace, sent_as = '', at = excluded.at
        """
        values = [storable(key), part, of, trace, utc_text(at)]
        await self._file.write(lambda db: db.execute(upsert, values))

    async def stands(self, key: str, part: int, sent_as: str) -> None:
        """On the disk when this returns."""
        update = "UPDATE outbox SET sent_as = ? WHERE key = ? AND part = ?"
        await self._file.write(lambda db: db.execute(update, [storable(sent_as), storable(key), part]))

    async def failed(self, key: str, part: int) -> None:
        """As if it had never been begun."""
        delete = "DELETE FROM outbox WHERE key = ? AND part = ?"
        await self._file.write(lambda db: db.execute(delete, [storable(key), part]))

    async def parts(self, key: str) -> Sequence[SentPart]:
        """What this process or an earlier one noted."""
        query = "SELECT part, parts, sent_as FROM outbox WHERE key = ? ORDER BY part"
        rows = await self._file.read(lambda db: db.execute(query, [storable(key)]).fetchall())
        return [SentPart(int(n), int(of), str(sent_as)) for n, of, sent_as in rows]

    async def answers(self, key: str) -> Sequence[str]:
        """Whatever this process or an earlier one sent."""
        query = """
            SELECT sent_as FROM outbox WHERE (key = ? OR substr(key, 1, ?) = ?) AND part >= 0 AND sent_as <> ''
            ORDER BY key, part
        """
        again = f"{storable(key)}{AGAIN}"
        values = [storable(key), len(again), again]
        rows = await self._file.read(lambda db: db.execute(query, values).fetchall())
        return [str(sent_as) for (sent_as,) in rows]

    async def trace(self, place: str, sent_as: str) -> str | None:
        """Ids are looked for in their own place only."""
        query = "SELECT trace FROM outbox WHERE sent_as = ? AND substr(key, 1, ?) = ? AND part >= 0"
        start = f"{storable(place)}:"
        values = [storable(sent_as), len(start), start]
        row = await self._file.read(lambda db: db.execute(query, values).fetchone())
        return None if row is None else str(row[0])

    async def forget_before(self, moment: datetime) -> int:
        """Addresses too: the next message brings a new one."""
        before = [utc_text(moment)]
        self._known.clear()
        return await self._file.write(
            lambda db: sum(
                db.execute(f"DELETE FROM {table} WHERE at < ?", before).rowcount  # noqa: S608 - two names of our own
                for table in ("outbox", "addresses")
            )
        )


@dataclass(slots=True)
class _Part:
    of: int
    trace: str
    at: datetime
    sent_as: str = ""


@dataclass(slots=True)
class RamOutbox:
    """An `Outbox` that goes with the process, for guests and for tests. It keeps the last `most` of everything."""

    most: int = 10_000
    _addresses: dict[str, tuple[str, datetime]] = field(default_factory=dict)
    _parts: dict[str, dict[int, _Part]] = field(default_factory=dict)

    async def address(self, place: str) -> str | None:
        """As it was kept last."""
        known = self._addresses.get(place)
        return None if known is None else known[0]

    async def keep_address(self, place: str, address: str, at: datetime) -> None:
        """In place of the one before."""
        self._addresses.pop(place, None)
        self._addresses[place] = (address, at)
        if len(self._addresses) > self.most:
            del self._addresses[next(iter(self._addresses))]

    async def begin(self, key: str, part: int, *, of: int, trace: str, at: datetime) -> None:
        """Note it."""
        self._parts.setdefault(key, {})[part] = _Part(of, trace, at)
        if len(self._parts) > self.most:
            del self._parts[next(iter(self._parts))]

    async def stands(self, key: str, part: int, sent_as: str) -> None:
        """Note its id."""
        if (noted := self._parts.get(key, {}).get(part)) is not None:
            noted.sent_as = sent_as

    async def failed(self, key: str, part: int) -> None:
        """As if it had never been begun."""
        self._parts.get(key, {}).pop(part, None)

    async def parts(self, key: str) -> Sequence[SentPart]:
        """What was noted."""
        noted = sorted(self._parts.get(key, {}).items())
        return [SentPart(n, one.of, one.sent_as) for n, one in noted]

    async def answers(self, key: str) -> Sequence[str]:
        """Whatever was noted."""
        return [
            noted.sent_as
            for asked, parts in sorted(self._parts.items())
            if asked == key or asked.startswith(f"{key}{AGAIN}")
            for part, noted in sorted(parts.items())
            if part >= 0 and noted.sent_as
        ]

    async def trace(self, place: str, sent_as: str) -> str | None:
        """Ids are looked for in their own place only."""
        return next(
            (
                noted.trace
                for key, parts in self._parts.items()
                if key.startswith(f"{place}:")
                for part, noted in parts.items()
                if part >= 0 and noted.sent_as == sent_as
            ),
            None,
        )

    async def forget_before(self, moment: datetime) -> int:
        """Addresses too."""
        addresses = [one for one, (_, at) in self._addresses.items() if at < moment]
        parts = [(key, part) for key, noted in self._parts.items() for part, one in noted.items() if one.at < moment]
        for one in addresses:
            del self._addresses[one]
        for key, part in parts:
            del self._parts[key][part]
        return len(addresses) + len(parts)


_MOST_KNOWN = 10_000
