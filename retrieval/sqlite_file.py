"""One SQLite file, opened for a writer and readers of several processes, and what its errors mean."""

from __future__ import annotations

import asyncio
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from retrieval.errors import IndexUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

P = ParamSpec("P")
T = TypeVar("T")

BUSY_SECONDS = 30.0
"""How long a write waits for another process's write."""

_REMEDIES = {
    sqlite3.SQLITE_NOTADB: "is not an index. Move it away and ingest the documents again.",
    sqlite3.SQLITE_CORRUPT: "is damaged. Move it away and ingest the documents again, or put a backup in its place.",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened. Check that its folder exists and that this user may write there.",
    sqlite3.SQLITE_READONLY: "cannot be written. Check that this user may write it and its folder.",
    sqlite3.SQLITE_PERM: "cannot be written. Check that this user may write it and its folder.",
    sqlite3.SQLITE_FULL: "cannot grow: the disk is full. Free some space and run the same command again.",
    sqlite3.SQLITE_IOERR: "cannot be read or written: the disk reports an error. Check the disk and its free space.",
    sqlite3.SQLITE_BUSY: f"has been locked by another process for {BUSY_SECONDS:.0f} s. End it, or try again later.",
    sqlite3.SQLITE_LOCKED: "is locked. Try again later.",
}


def connect(path: Path) -> sqlite3.Connection:
    """A connection that any one thread at a time may use; transactions are begun and ended by hand.

    A file that it makes is its owner's alone (mode 600, a folder 700), and so are SQLite's own files beside it.
    """
    with mended(path):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not path.exists():
            path.touch(mode=0o600)
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            connection.row_factory = sqlite3.Row
            connection.execute("PRAGMA journal_mode = wal")
            connection.execute("PRAGMA synchronous = normal")
            connection.execute("PRAGMA foreign_keys = on")
            connection.execute("PRAGMA cache_size = -8192")  # in KiB; the system keeps the file's pages too
        except sqlite3.Error:
            connection.close()
            raise
    return connection


@contextmanager
def writing(connection: sqlite3.Connection) -> Iterator[None]:
    """All or nothing; waits for its turn before it reads, so what it read is still so when it writes."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def reading(connection: sqlite3.Connection) -> Iterator[None]:
    """One moment of the file: writes that others finish meanwhile are not seen."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


@contextmanager
def mended(path: Path) -> Iterator[None]:
    """Turns what SQLite says of the file, its disk or its locks into `IndexUnavailable`; other errors pass."""
    try:
        yield
    except OSError as error:
        message = f"The index {path} {_REMEDIES[sqlite3.SQLITE_CANTOPEN]} ({error.strerror})"
        raise IndexUnavailable(message) from error
    except sqlite3.DatabaseError as error:
        remedy = _REMEDIES.get(getattr(error, "sqlite_errorcode", 0) & 0xFF)
        if remedy is None:
            raise
        message = f"The index {path} {remedy}"
        raise IndexUnavailable(message) from error


class Lane:
    """One thread with one connection; jobs run in the order they come."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self._path = path
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="citewell-index")
        self._open = True

    @classmethod
    def open(cls, path: Path) -> Lane:
        """A lane with a connection of its own. IndexUnavailable if the file cannot be used."""
        return cls(path, connect(path))

    async def run(self, job: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What `job` returns; what it raises about the file, its disk or its locks as IndexUnavailable."""
        if not self._open:
            message = f"The index {self._path} has been closed."
            raise IndexUnavailable(message)

        def work() -> T:
            try:
                with mended(self._path):
                    return job(*args, **kwargs)
            except IndexUnavailable:
                # What was read of a damaged file would outlive its repair.
                self.connection.execute("PRAGMA shrink_memory")
                raise

        return await asyncio.get_running_loop().run_in_executor(self._executor, work)

    async def close(self) -> None:
        """Finish the jobs that wait, then let go. Calling it again does nothing."""
        if self._open:
            self._open = False
            await asyncio.get_running_loop().run_in_executor(self._executor, self.connection.close)
            self._executor.shutdown(wait=False)
