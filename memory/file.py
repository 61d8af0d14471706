"""The memory file: one SQLite database, opened when first used, shared by all that keep something in it."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from memory.errors import MemoryDamaged, MemoryTooNew, MemoryUnavailable, explained
from memory.migrations import STEPS, migrate, unknown_steps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from sqlite_utils import Database

    from memory.migrations import Step

T = TypeVar("T")

MOST_TOGETHER = 64
"""Writes in one commit."""
SCRUB_WAIT_MS = 250
"""How long emptying the log waits for readers of other processes; what did not work is tried after the next write."""


class _Connections(NamedTuple):
    writer: Database
    reader: Database


@dataclass(frozen=True, slots=True)
class _Write:
    """What waits to be written, and what is waited for."""

    work: Callable[[Database], Any]
    scrub: bool
    future: Future[Any]


class MemoryFile:
    """Work on the file, off the event loop: writes one after another on one thread, reads on another.

    Writes that wait for the disk at the same time are committed together. A committed write is on the disk (WAL,
    synchronous FULL). Deleted text is overwritten (secure_delete); a write that asks for `scrub` also empties the
    write-ahead log, so that no copy lingers there. The file is the owner's alone (mode 600). `busy_seconds` bounds the
    wait for other processes that write. `steps` lead to the schema of what is kept in it.
    """

    def __init__(self, path: Path, *, busy_seconds: float = 5.0, steps: Sequence[Step] = STEPS) -> None:
        self.path = path
        self._steps = steps
        self._busy_ms = int(busy_seconds * 1000)
        self._writing = ThreadPoolExecutor(1, "memory-write")
        self._reading = ThreadPoolExecutor(1, "memory-read")
        self._opening = Lock()
        self._connections: _Connections | None = None
        self._scrub_due = False
        self._asked: deque[_Write] = deque()

    async def open(self) -> None:
        """Open and migrate now instead of at first use. Raises `MemoryUnavailable` and its kinds."""
        await self._run(self._writing, self._connected)

    async def read(self, work: Callable[[Database], T]) -> T:
        """What `work` returns; all its queries see one state of the file."""

        def job() -> T:
            reader = self._connected().reader
            with self._explained(reader), reader.atomic():
                return work(reader)

        return await self._run(self._reading, job)

    async def write(self, work: Callable[[Database], T], *, scrub: bool = False) -> T:
        """What `work` returns, once its changes are on the disk: all of them, or none if it raises.

        Its first statement has to write: a transaction that starts by reading fails, and does not wait, where
        another process writes in between. Where writes are committed together and one of them raises, all are rolled
        back and each is done again by itself.
        """
        asked = _Write(work, scrub, Future())
        self._asked.append(asked)
        try:
            self._writing.submit(self._write_waiting)
        except RuntimeError as error:
            raise self._closed() from error
        result: T = await asyncio.wrap_future(asked.future)
        return result

    async def scrub(self) -> bool:
        """Empty the log if a deletion could not: whether no copy of what was deleted is left in it."""

        def job() -> bool:
            writer = self._connected().writer
            with self._explained(writer):
                self._scrub_due = self._scrub_due and not self._emptied_log(writer)
            return not self._scrub_due

        return await self._run(self._writing, job)

    async def close(self) -> None:
        """Finish what was asked for, then let go of the file and the threads. Calling it again does nothing."""
        await asyncio.to_thread(self._close)

    def _write_waiting(self) -> None:
        """Write all that waits, in one commit; where that fails, each in its own, so that none fails for another."""
        waiting = [self._asked.popleft() for _ in range(min(len(self._asked), MOST_TOGETHER))]
        writes = [one for one in waiting if one.future.set_running_or_notify_cancel()]
        try:
            together = self._written(writes) if len(writes) > 1 else None
        except Exception:  # noqa: BLE001 - whichever of them it was finds it again below
            together = None
        if together is not None:
            for one, result in zip(writes, together, strict=True):
                one.future.set_result(result)
            return
        for one in writes:
            try:
                [result] = self._written([one])
            except BaseException as error:  # noqa: BLE001 - it is raised where the write was asked for
                one.future.set_exception(error)
            else:
                one.future.set_result(result)

    def _written(self, writes: Sequence[_Write]) -> list[Any]:
        """What they return, once the changes of all are on the disk."""
        writer = self._connected().writer
        with self._explained(writer):
            with writer.atomic():
                results = [one.work(writer) for one in writes]
            self._scrub_due = self._scrub_due or any(one.scrub for one in writes)
            if self._scrub_due:
                self._scrub_due = not self._emptied_log(writer)
        return results

    async def _run(self, executor: ThreadPoolExecutor, job: Callable[[], T]) -> T:
        try:
            future = asyncio.get_running_loop().run_in_executor(executor, job)
        except RuntimeError as error:
            raise self._closed() from error
        return await future

    def _closed(self) -> MemoryUnavailable:
        return MemoryUnavailable(f"the memory file {self.path} was closed; open it anew")

    def _connected(self) -> _Connections:
        with self._opening:
            if self._connections is None:
                with explained(self.path):
                    self._connections = self._open()
            return self._connections

    def _open(self) -> _Connections:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.path.touch(mode=0o600)
        writer = self._connect()
        try:
            self._refuse_newer(writer)
            writer.enable_wal()
            writer.execute("PRAGMA synchronous = FULL")
            writer.execute("PRAGMA secure_delete = ON")
            writer.execute("PRAGMA foreign_keys = ON")
            migrate(writer, self._steps)
            reader = self._connect()
            reader.execute("PRAGMA query_only = ON")
        except BaseException:
            writer.close()
            raise
        return _Connections(writer, reader)

    def _refuse_newer(self, db: Database) -> None:
        newer = sorted(unknown_steps(db, self._steps))
        if newer:
            msg = (
                f"{self.path} was written by a newer Citewell (steps {', '.join(newer)}): "
                "install that version, or name another CITEWELL_HOME"
            )
            raise MemoryTooNew(msg)

    def _connect(self) -> Database:
        from sqlite_utils import Database  # here, not above: it takes half a second to load

        connection = sqlite3.connect(self.path, timeout=self._busy_ms / 1000, check_same_thread=False)
        return Database(connection, execute_plugins=False)

    @contextmanager
    def _explained(self, db: Database) -> Iterator[None]:
        """As `explained`; what was read of a damaged file does not outlive its repair."""
        try:
            with explained(self.path):
                yield
        except MemoryDamaged:
            db.execute("PRAGMA shrink_memory")
            raise

    def _emptied_log(self, writer: Database) -> bool:
        writer.execute(f"PRAGMA busy_timeout = {min(SCRUB_WAIT_MS, self._busy_ms)}")
        [(busy, _, _)] = writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        writer.execute(f"PRAGMA busy_timeout = {self._busy_ms}")
        return not busy

    def _close(self) -> None:
        self._writing.shutdown()
        self._reading.shutdown()
        with self._opening:
            if self._connections is not None:
                self._connections.reader.close()
                self._connections.writer.close()
