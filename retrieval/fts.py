"""What SQLite's full-text index is given: passages to hold and expressions to match."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.terms import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.terms import Phrase

_POINT = "\ue000"
"""Stands for a decimal point: `unicode61` splits at a full stop and keeps private-use characters."""


def searchable(text: str) -> str:
    """A passage's folded words, so that the index holds just what `retrieval.terms` looks for."""
    return " ".join(written(word) for word in words(text))


def written(term: str) -> str:
    """A word or stem as the index writes it."""
    return term.replace(".", _POINT)


def match_expression(phrases: Sequence[Phrase], columns: Sequence[str] = ()) -> str:
    """An expression that matches a passage with any of the phrases, in these columns or in any; empty without phrases.

    Each stands in quotes and holds letters and digits only, so nothing that a person types is read as query syntax.
    """
    any_of_them = " OR ".join(f'"{" ".join(written(word) for word in phrase)}"' for phrase in phrases)
    return f"{{{' '.join(columns)}}} : ({any_of_them})" if columns and any_of_them else any_of_them
