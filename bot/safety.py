"""The gate that every message passes first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Clear:
    """Nothing to see to."""

    rule: str = "clear"


@dataclass(frozen=True, slots=True)
class Mention:
    """Self-harm as a subject, with nobody at risk in sight: answered, with the lines attached outside the text."""

    rule: str


@dataclass(frozen=True, slots=True)
class SelfHarm:
    """Someone may be at risk now, the writer or a person they speak of."""

    rule: str


@dataclass(frozen=True, slots=True)
class Violence:
    """A threat to others, or a request to help harm them."""

    rule: str


SafetyVerdict: TypeAlias = Clear | Mention | SelfHarm | Violence
