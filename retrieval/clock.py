"""The clock on the wall, for those who are given no other."""

from __future__ import annotations

from datetime import UTC, date, datetime


def utc_now() -> datetime:
    """The time, with its zone."""
    return datetime.now(UTC)


def utc_today() -> date:
    """The day in UTC, by which documents begin and cease to hold."""
    return utc_now().date()
