"""What a test makes go wrong with the next call of a method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class RateLimited:
    """HTTP 429; `retry_after` in seconds."""

    retry_after: int = 1


@dataclass(frozen=True, slots=True)
class Broken:
    """HTTP 500; `after_the_fact` means that the call took effect all the same."""

    after_the_fact: bool = False


@dataclass(frozen=True, slots=True)
class ApiError:
    """HTTP 200 with `ok: false`."""

    error: str


@dataclass(frozen=True, slots=True)
class Stuck:
    """No answer until the caller goes away."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """The call takes effect, and the connection breaks before the answer."""


Fault: TypeAlias = RateLimited | Broken | ApiError | Stuck | Dropped
