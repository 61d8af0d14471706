"""What is alike in all that adapts a hosted model: the form of a key, a client that is made when it is needed, and the
wait that a reply asks for.
"""

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

T = TypeVar("T")


class Later(Generic[T]):
    """What is made when it is first asked for, in a thread, and once however many ask together.

    For the SDKs' clients: loading one takes up to a second and 60 MB, which a bot that nobody has asked yet need not
    have spent. Whatever making it raises, the one who asked is raised; the next one has it tried again.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._making = asyncio.Lock()
        self.made: T | None = None

    async def get(self) -> T:
        """The one that is made."""
        async with self._making:
            if self.made is None:
                self.made = await asyncio.to_thread(self._make)
            return self.made


def key_fault(setting: str, key: str) -> str | None:
    """What to say of a key that cannot be one, None of any other. Of the key itself it says nothing."""
    if key.isascii() and key.split() == [key]:
        return None
    return f"{setting} holds something that no key has: copy it again, without spaces"


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds that a reply asks to wait, where it gives a plausible number of them."""
    try:
        seconds = float(headers.get("retry-after", ""))
    except ValueError:
        return None
    return seconds if 0 <= seconds < math.inf else None
