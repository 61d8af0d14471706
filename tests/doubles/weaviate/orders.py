"""What a test tells the double to do beside its work: refuse, fail, or hold a call until the test lets it go."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

VERSION = "1.38.11"
"""Of the server that the double is modelled on, and says it is."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Objects whose property has this value are refused, as by a server that is short of memory or disk."""

    property: str
    value: Any
    reason: str


@dataclass(frozen=True, slots=True)
class Orders:
    """`key` is the one to ask for. `failing` ends every gRPC call with an error.

    Collections are made with so many `replicas`, and so many `nodes` of the cluster answer; a new one has a shard a
    node, unless it says otherwise.
    """

    key: str | None = None
    version: str = VERSION
    refusal: Refusal | None = None
    failing: bool = False
    ready: bool = True
    replicas: int = 1
    nodes: int = 1

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> Orders:
        """From JSON."""
        refusal = given.get("refusal")
        return cls(**{**given, "refusal": Refusal(**refusal) if refusal else None})


class Hold:
    """Holds the `at`th gRPC call of this name, or of any, until it is let go.

    Each object of a batch counts as a call too, "Object". Other calls are served meanwhile.
    """

    def __init__(self, at: int, call: str | None) -> None:
        self._changed = threading.Condition()
        self._left = at
        self._call = call
        self._reached = self._over = False

    def passing(self, call: str) -> None:
        """A call begins; returns when it may go on."""
        with self._changed:
            if self._over or self._reached or self._call not in (None, call):
                return
            self._left -= 1
            if self._left == 0:
                self._reached = True
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._over)

    def wait(self) -> bool:
        """Whether a call is held, as soon as one is or none can be any more."""
        with self._changed:
            self._changed.wait_for(lambda: self._reached or self._over)
            return self._reached

    def let_go(self) -> None:
        """Calls go on, the held one and any other."""
        with self._changed:
            self._over = True
            self._changed.notify_all()
