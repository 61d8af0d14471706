"""What of the index a question may see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import date


@dataclass(frozen=True, slots=True)
class Scope:
    """These collections, None meaning all; with `today`, without the documents that do not hold on that day."""

    collections: Collection[str] | None = None
    today: date | None = None


EVERYTHING = Scope()
