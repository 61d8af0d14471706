"""The clock on the wall, for those who are given no other."""

from __future__ import annotations

from datetime import UTC, datetime


def utc_now() -> datetime:
    """The time, with its zone."""
    return datetime.now(UTC)
