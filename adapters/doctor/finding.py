"""What one look found."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from bot.errors import CitewellError
from memory.errors import MemoryUnavailable
from retrieval.errors import RetrievalError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


class State(StrEnum):
    """How it is. Only a fault makes the command fail; what is not set up is no fault."""

    GOOD = "good"
    WARNING = "warning"
    FAULT = "fault"
    ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class Finding:
    """`said` is what is the case, `mend` what to do about it; neither holds a secret or anybody's words."""

    check: str
    state: State
    said: str
    mend: str = ""


@dataclass(slots=True)
class Findings:
    """What has been found so far, in the order of the looks."""

    all: list[Finding] = field(default_factory=list)

    def good(self, check: str, said: str) -> None:
        """All is well."""
        self.all.append(Finding(check, State.GOOD, said))

    def warn(self, check: str, said: str, mend: str) -> None:
        """It works, and could be better or will not go on working."""
        self.all.append(Finding(check, State.WARNING, said, mend))

    def fault(self, check: str, said: str, mend: str = "") -> None:
        """It does not work."""
        self.all.append(Finding(check, State.FAULT, said, mend))

    def absent(self, check: str, said: str) -> None:
        """It is not set up, which is a choice."""
        self.all.append(Finding(check, State.ABSENT, said))

    @asynccontextmanager
    async def looking_at(self, check: str) -> AsyncIterator[None]:
        """What breaks while looking is what was found. Our own errors say themselves how to mend them."""
        try:
            yield
        except (CitewellError, RetrievalError, MemoryUnavailable) as error:
            self.fault(check, str(error))
        except Exception as error:  # noqa: BLE001 - whatever it is, the other looks go on
            self.fault(
                check, f"it could not be looked at ({type(error).__name__})", "Run it again; if it stays, report it."
            )
