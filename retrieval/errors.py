"""What can go wrong with documents and the index.

RetrievalError
├── Unreadable          one file could not be taken in; the others go on
├── IndexMismatch       the index was made with another embedding model or vector size
└── IndexUnavailable    the index cannot be opened, read or written
"""

from __future__ import annotations


class RetrievalError(Exception):
    """The root of them all. The message is for the operator and says how to mend it."""


class Unreadable(RetrievalError):
    """A file that cannot be taken in. `code` is stable for programs ("encrypted", "empty", "scanned", ...)."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class IndexMismatch(RetrievalError):
    """The index holds vectors of another model or size than the one in use."""


class IndexUnavailable(RetrievalError):
    """The index cannot be opened, read or written: damaged, of a newer version, locked, or its disk full."""
