"""What can go wrong with the memory file.

    MemoryUnavailable      it cannot be opened, read or written just now: locked, read-only, disk full, closed
    ├── MemoryDamaged      the file is not a database, or parts of it are unreadable
    └── MemoryTooNew       a newer Citewell wrote it

Each message is for the operator, names the file and says how to mend it.
"""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_UNDECODABLE = "Could not decode to UTF-8"
"""How Python's module begins to say that a text is none any more; it goes on with the text itself."""
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_UNAVAILABLE = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_READONLY,
    }
)


class MemoryUnavailable(Exception):
    """The root of them all."""


class MemoryDamaged(MemoryUnavailable):
    """The file does not read as a database. Nothing was changed in it."""


class MemoryTooNew(MemoryUnavailable):
    """The file holds a schema that this version does not know. Nothing was changed in it."""


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Raise the faults of a file, its folder or its disk as `MemoryUnavailable`; our own mistakes stay as they are."""
    try:
        yield
    except OSError as error:
        msg = f"cannot make {path} ({error.strerror}): see that the folder is yours to write, or name another one"
        raise MemoryUnavailable(msg) from error
    except sqlite3.Error as error:
        primary_code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        if str(error).startswith(_UNDECODABLE):
            raise _damaged(path, "a text in it is none any more") from None
        if primary_code in _DAMAGED:
            raise _damaged(path, str(error)) from error
        if primary_code in _UNAVAILABLE:
            msg = (
                f"cannot use {path} ({error}): see that the disk has room, that the file and its folder are yours "
                "to write, and that no other program holds the file"
            )
            raise MemoryUnavailable(msg) from error
        raise


def _damaged(path: Path, why: str) -> MemoryDamaged:
    return MemoryDamaged(
        f"{path} is damaged or no database ({why}): put a backup in its place, "
        "or move it away to start with an empty memory"
    )
