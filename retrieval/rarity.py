"""How telling a term is: the fewer passages hold it, the more it weighs."""

from __future__ import annotations

import math


def rarity(frequency: int, total: int) -> float:
    """A term's weight, given in how many of `total` passages it stands: 1 where in none, near 0 where in all."""
    return math.log((total + 1) / (frequency + 0.5)) / math.log((total + 1) / 0.5)


def share(part: float, whole: float) -> float:
    """One weight as a part of another; 0 of nothing."""
    return part / whole if whole > 0 else 0.0
