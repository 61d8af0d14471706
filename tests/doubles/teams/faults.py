"""What a test makes go wrong with the next call of a kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class RateLimited:
    """HTTP 429; `retry_after` in seconds."""

    retry_after: int = 1


@dataclass(frozen=True, slots=True)
class Broken:
    """A status above 500, or 412; `after_the_fact` means that the call took effect all the same."""

    status: int = 502
    after_the_fact: bool = False


@dataclass(frozen=True, slots=True)
class Refuses:
    """A status and the connector's code."""

    status: int
    code: str
    words: str = "SECRET words of the connector"


@dataclass(frozen=True, slots=True)
class Stuck:
    """No answer until the caller goes away; `after_the_fact` means that the call took effect."""

    after_the_fact: bool = False


@dataclass(frozen=True, slots=True)
class Dropped:
    """The call takes effect, and the connection breaks before the answer."""


Fault: TypeAlias = RateLimited | Broken | Refuses | Stuck | Dropped
