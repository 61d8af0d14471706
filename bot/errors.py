"""What can go wrong, told apart by what can be done about it.

    CitewellError
    ├── Transient      worth trying again: a time-out, a rate limit, a server that is down
    │   ├── Busy               more is asked of us than we take on
    │   └── Malformed          a reply that is out of shape, even when asked for a second time
    ├── Permanent      not mended by trying again: a bad key, a request that is refused as malformed
    │   └── Misconfigured      the operator's to mend; the message says how
    └── Refused        the model would not answer, which is an ending of its own and no fault

The errors of an SDK are mapped to these once, in the module that adapts it. Documents, index and memory have trees of
their own (`retrieval.errors`, `memory.errors`). A decline is a value (`bot.answer.Ungrounded`), never an error. People
see a fixed sentence and the trace's id, never the text of an exception.
"""

from __future__ import annotations

import traceback

from retrieval.errors import ModelRefused, ModelUnavailable, RetrievalError


class CitewellError(Exception):
    """The root of them all."""


class Transient(CitewellError):
    """Trying again later may work. `retry_after` is in seconds, where the other side said so."""

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Busy(Transient):
    """Too much waits already; the message is not taken on."""


class Malformed(Transient):
    """What the model wrote is not in the form asked for. The server is well, and may answer what is asked next."""


class Permanent(CitewellError):
    """Trying again will not help."""


class Misconfigured(Permanent):
    """A setting, key or file that the operator has to mend; the message says which and how."""


class Refused(CitewellError):
    """The model declined to answer."""


def for_retrieval(error: CitewellError) -> RetrievalError:
    """The same in the terms of `retrieval`, which asks models through ports and knows nothing of this tree."""
    if isinstance(error, Transient):
        return ModelUnavailable(f"{error}.", retry_after=error.retry_after)
    return ModelRefused(f"{error}.")


def outline(error: BaseException) -> str:
    """The error's type and where it arose. Its message is left out, as is a traceback: they may quote what was said."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{type(error).__name__} at {frames[-1].name}:{frames[-1].lineno}" if frames else type(error).__name__
