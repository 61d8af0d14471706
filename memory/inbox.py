"""Messages taken in and not yet answered, so that a crash silences none and a duplicate is known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from memory.columns import storable, utc, utc_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlite_utils import Database

    from memory.file import MemoryFile


@dataclass(frozen=True, slots=True)
class InboxEntry:
    """One accepted message. `payload` is the caller's to write and read; `accepted_at` is an aware time."""

    key: str
    conversation: str
    payload: str
    accepted_at: datetime

    def __post_init__(self) -> None:
        if self.accepted_at.tzinfo is None:
            raise ValueError("an entry's time carries its time zone")


class Inbox(Protocol):
    """Accepted, begun any number of times, done. Every method is safe to call from many tasks at once."""

    async def accept(self, entry: InboxEntry) -> bool:
        """Store it before returning. False, and nothing is changed, if its key was seen before in whatever state."""
        ...

    async def knows(self, key: str) -> bool:
        """Whether the key was ever accepted, in whatever state it is."""
        ...

    async def begin(self, key: str) -> int:
        """Count one more attempt and say which it is, from 1; 0 if nothing is pending under that key."""
        ...

    async def amend(self, key: str, payload: str) -> bool:
        """Put another payload in the place of a pending one's; False, and nothing is changed, if none is pending."""
        ...

    async def give_back(self, key: str) -> None:
        """The attempt came to nothing in good order, and does not count. An unknown key is no error."""
        ...

    async def done(self, key: str) -> None:
        """Answered: wipe the words and keep the key. An unknown key is no error."""
        ...

    async def pending(self) -> Sequence[InboxEntry]:
        """What was accepted and is not done, oldest first."""
        ...

    async def waiting(self) -> int:
        """How many that are; no words are read."""
        ...

    async def forget_before(self, moment: datetime, *, keep: int = 0) -> int:
        """Drop the keys of done messages accepted before `moment` and say how many went; pending ones stay.

        The `keep` last accepted stay whatever their time says: a clock that was wrong may have written it.
        """
        ...

    async def forget(self, beginning: str) -> int:
        """Drop all messages whose keys begin so, keys and words, and say how many of them waited."""
        ...

    async def close(self) -> None:
        """Let go of files and threads. Calling it again does nothing."""
        ...


class SqliteInbox:
    """An `Inbox` that outlives the process. Every method may raise `MemoryUnavailable`."""

    def __init__(self, file: MemoryFile) -> None:
        self._file = file

    async def accept(self, entry: InboxEntry) -> bool:
        """Whether it is new; it is on the disk when this returns."""
        values = [*map(storable, (entry.key, entry.conversation, entry.payload)), utc_text(entry.accepted_at)]
        insert = """
            INSERT INTO inbox (key, conversation, payload, accepted_at) VALUES (?, ?, ?, ?)
            ON CONFLICT (key) DO NOTHING
        """
        return await self._file.write(lambda db: db.execute(insert, values).rowcount == 1)

    async def knows(self, key: str) -> bool:
        """Whether the file holds the key."""
        query = "SELECT 1 FROM inbox WHERE key = ?"
        return await self._file.read(lambda db: db.execute(query, [storable(key)]).fetchone() is not None)

    async def begin(self, key: str) -> int:
        """The number of this attempt, counted through restarts."""
        update = "UPDATE inbox SET attempts = attempts + 1 WHERE key = ? AND NOT done RETURNING attempts"

        def count(db: Database) -> int:
            return sum(attempts for (attempts,) in db.execute(update, [storable(key)]).fetchall())

        return await self._file.write(count)

    async def amend(self, key: str, payload: str) -> bool:
        """Replace the words; what they were is wiped, from the file and its log."""
        update = "UPDATE inbox SET payload = ? WHERE key = ? AND NOT done"
        values = [storable(payload), storable(key)]
        return await self._file.write(lambda db: db.execute(update, values).rowcount == 1, scrub=True)

    async def give_back(self, key: str) -> None:
        """One attempt less."""
        update = "UPDATE inbox SET attempts = max(0, attempts - 1) WHERE key = ? AND NOT done"
        await self._file.write(lambda db: db.execute(update, [storable(key)]))

    async def done(self, key: str) -> None:
        """Wipe the words, from the file and its log."""
        update = "UPDATE inbox SET done = 1, payload = '', conversation = '' WHERE key = ?"
        await self._file.write(lambda db: db.execute(update, [storable(key)]), scrub=True)

    async def pending(self) -> Sequence[InboxEntry]:
        """What waits, oldest first."""
        query = "SELECT key, conversation, payload, accepted_at FROM inbox WHERE NOT done ORDER BY accepted_at, id"
        rows = await self._file.read(lambda db: list(db.query(query)))
        return [InboxEntry(**{**row, "accepted_at": utc(row["accepted_at"])}) for row in rows]

    async def waiting(self) -> int:
        """Counted in the file."""
        query = "SELECT count(*) FROM inbox WHERE NOT done"
        return await self._file.read(lambda db: int(db.execute(query).fetchone()[0]))

    async def forget_before(self, moment: datetime, *, keep: int = 0) -> int:
        """Drop old keys that are done."""
        delete = """
            DELETE FROM inbox WHERE done AND accepted_at < ?
            AND id NOT IN (SELECT id FROM inbox ORDER BY id DESC LIMIT ?)
        """
        return await self._file.write(lambda db: db.execute(delete, [utc_text(moment), keep]).rowcount)

    async def forget(self, beginning: str) -> int:
        """Drop them, from the file and its log."""
        delete = "DELETE FROM inbox WHERE substr(key, 1, length(:beginning)) = :beginning RETURNING done"
        given = {"beginning": storable(beginning)}
        return await self._file.write(
            lambda db: sum(not done for (done,) in db.execute(delete, given).fetchall()), scrub=True
        )

    async def close(self) -> None:
        """Close the memory file, for all that share it. Calling it again does nothing."""
        await self._file.close()


@dataclass(slots=True)
class _Waiting:
    entry: InboxEntry
    attempts: int = 0


class RamInbox:
    """An `Inbox` that goes with the process: for guests, and for tests. It keeps the last `keys` done keys."""

    def __init__(self, *, keys: int = 10_000) -> None:
        self._most_done = keys
        self._waiting: dict[str, _Waiting] = {}
        self._done: dict[str, datetime] = {}

    async def accept(self, entry: InboxEntry) -> bool:
        """Whether it is new."""
        if await self.knows(entry.key):
            return False
        self._waiting[entry.key] = _Waiting(entry)
        return True

    async def knows(self, key: str) -> bool:
        """Whether it waits or was done."""
        return key in self._waiting or key in self._done

    async def begin(self, key: str) -> int:
        """The number of this attempt."""
        waiting = self._waiting.get(key)
        if waiting is None:
            return 0
        waiting.attempts += 1
        return waiting.attempts

    async def amend(self, key: str, payload: str) -> bool:
        """Replace the words."""
        waiting = self._waiting.get(key)
        if waiting is None:
            return False
        waiting.entry = replace(waiting.entry, payload=payload)
        return True

    async def give_back(self, key: str) -> None:
        """One attempt less."""
        if (waiting := self._waiting.get(key)) is not None:
            waiting.attempts = max(0, waiting.attempts - 1)

    async def done(self, key: str) -> None:
        """Wipe the words and keep the key."""
        waiting = self._waiting.pop(key, None)
        if waiting is None:
            return
        self._done[key] = waiting.entry.accepted_at
        if len(self._done) > self._most_done:
            del self._done[next(iter(self._done))]

    async def pending(self) -> Sequence[InboxEntry]:
        """What waits, oldest first."""
        return sorted((waiting.entry for waiting in self._waiting.values()), key=lambda entry: entry.accepted_at)

    async def waiting(self) -> int:
        """Counted."""
        return len(self._waiting)

    async def forget_before(self, moment: datetime, *, keep: int = 0) -> int:
        """Drop old keys that are done."""
        last = set(list(self._done)[-keep:] if keep else ())
        old = [key for key, accepted_at in self._done.items() if accepted_at < moment and key not in last]
        for key in old:
            del self._done[key]
        return len(old)

    async def forget(self, beginning: str) -> int:
        """Drop them."""
        waiting = [key for key in self._waiting if key.startswith(beginning)]
        for key in waiting:
            del self._waiting[key]
        for key in [key for key in self._done if key.startswith(beginning)]:
            del self._done[key]
        return len(waiting)

    async def close(self) -> None:
        """Forget everything."""
        self._waiting.clear()
        self._done.clear()
