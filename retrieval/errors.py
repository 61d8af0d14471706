"""What can go wrong with documents, the index, and the models of others that help the search.

RetrievalError
├── Unreadable          one file could not be taken in; the others go on
├── IndexMismatch       the index was made with another embedding model or vector size
├── IndexUnavailable    the index cannot be opened, read or written
├── ModelUnavailable    a hosted model gives nothing for now; trying again may work
└── ModelRefused        a hosted model gives nothing until something is mended: its key, its name, what it was sent

The errors of an SDK are mapped to these once, in the module that adapts it.
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


class ModelUnavailable(RetrievalError):
    """A hosted model that is busy, slow, out of reach, or sends what nobody can read. Trying again may work.

    `retry_after` is in seconds, where the other side said so.
    """

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ModelRefused(RetrievalError):
    """A hosted model that will not serve, however often it is asked; the message says what to mend."""
