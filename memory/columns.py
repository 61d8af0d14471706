"""How texts and times stand in a store, so that every backend gives back the same."""

from __future__ import annotations

from datetime import UTC, datetime


def storable(text: str) -> str:
    """The text with what Unicode cannot encode replaced by U+FFFD; a surrogate pair becomes its character."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def utc_text(moment: datetime) -> str:
    """An aware time as UTC text of one fixed width, so that text order is time order. ValueError if it is naive."""
    if moment.tzinfo is None:
        raise ValueError("a stored time carries its time zone")
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def utc(text: str) -> datetime:
    """The aware UTC time that `utc_text` wrote."""
    return datetime.fromisoformat(text)
