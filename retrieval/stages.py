"""The stages of one search as they run: each timed, and none that may be missed waited for too long."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from retrieval.errors import RetrievalError
from retrieval.evidence import Stage

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

log = logging.getLogger(__name__)

Result = TypeVar("Result")

_PLAIN = {"hyde": "made-up passage", "rewriter": "second wording", "second-search": "second search"}


def plain_name(who: str) -> str:
    """What helps a search, as an operator reads it; `who` is how the reasons of `degraded` begin."""
    return _PLAIN.get(who, who)


@dataclass(frozen=True, slots=True)
class Stages:
    """What has run so far, in `done`. `patience` is in seconds; `clock` counts seconds and never goes back."""

    clock: Callable[[], float]
    patience: float
    done: list[Stage] = field(default_factory=list)
    suffix: str = ""

    def again(self) -> Stages:
        """The stages of a second search, with " again" behind their names."""
        return replace(self, done=[], suffix=" again")

    @property
    def slow(self) -> bool:
        """Whether a backend's time has run out already."""
        return any(stage.degraded is not None and stage.degraded.endswith("-slow") for stage in self.done)

    def add(self, name: str, backend: str, began: float, returned: int, degraded: str | None = None) -> None:
        """Note a stage that began at that time and ends now."""
        milliseconds = (self.clock() - began) * 1000
        self.done.append(Stage(f"{name}{self.suffix}", backend, milliseconds, returned, degraded))

    async def attempt(self, who: str, work: Awaitable[Result]) -> tuple[Result | None, str | None]:
        """What a backend gives that the search can do without, or why it gave nothing (`degraded`).

        Whatever it raises is logged, without the text it may quote, and kept from the search.
        """
        try:
            async with asyncio.timeout(self.patience):
                return await work, None
        except TimeoutError:
            return None, f"{who}-slow"
        except Exception as error:  # noqa: BLE001 - whatever a backend raises, the search goes on without it
            shown = error if isinstance(error, RetrievalError) else type(error).__name__
            log.warning("Going on without the %s: %s", plain_name(who), shown)
            return None, f"{who}-failed"
