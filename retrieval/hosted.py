"""What is alike in all that adapts a hosted model: the form of a key, and the wait that a reply asks for."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


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
