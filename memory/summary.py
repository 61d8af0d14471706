"""What was said earlier in a conversation, in few words: made of clean turns alone, and gone with any of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Summary:
    """A conversation's older turns in a model's words.

    `covers` are the trace ids of the turns it was made of, oldest first. A store lets go of it as soon as a turn of the
    conversation is deleted or replaced, so it never tells what its turns no longer do.
    """

    text: str
    covers: tuple[str, ...]
