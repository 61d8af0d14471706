"""Ten leaflets of a made-up clinic, so that everything can be tried before there are documents of one's own."""

from __future__ import annotations

from pathlib import Path


def documents() -> Path:
    """The folder that holds the ten leaflets and nothing else, in a checkout and in an installed package alike."""
    return Path(__file__).resolve().parent / "documents"
