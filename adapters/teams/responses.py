"""What Teams is told in the response itself: it shows that at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Response:
    """An HTTP status, and JSON."""

    status: int
    body: Any = None
