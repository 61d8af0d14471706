"""What a quote says where it stands: whole sentences, an item below the line that introduces it, a row under its columns.

A quote may be cut so that it says the opposite: "stop taking it" of "do not stop taking it", "are pregnant" of a list
of who must not have it. What a statement says is therefore held against this, and not against the quote alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.statements import Piece, Shape, pieces

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.evidence import Hit


@dataclass(frozen=True, slots=True)
class Reading:
    """The sentences, items and rows that a quote touches, each on one line, and what stands above them.

    `leads` introduce items and fragments: the line before their list, and the heading over it. `names` are the
    document's title, the headings and the columns' names: what a statement is about need not stand in its quote.
    """

    said: tuple[str, ...]
    leads: tuple[str, ...]
    names: tuple[str, ...]

    @property
    def text(self) -> str:
        """What is said, below what introduces it, a line each."""
        return "\n".join([*self.leads, *self.said])

    @property
    def named(self) -> str:
        """The same, and what it is about."""
        return "\n".join([self.text, *self.names])


def reading(hit: Hit, span: tuple[int, int]) -> Reading:
    """How the quote at `span` of the hit's passage reads; a quote outside of any statement reads as it is."""
    raw = hit.passage.text
    found = pieces(raw)
    touched = [i for i, piece in enumerate(found) if piece.span[0] < span[1] and span[0] < piece.span[1]]
    said = [_line(raw[slice(*found[i].span)]) for i in touched] or [_line(raw[slice(*span)])]
    columns = [name for i in touched for name in found[i].header]
    return Reading(
        said=tuple(said),
        leads=_leads(hit, found, touched),
        names=(hit.document.title, *hit.passage.headings, *columns),
    )


def _leads(hit: Hit, found: Sequence[Piece], touched: Sequence[int]) -> tuple[str, ...]:
    raw = hit.passage.text
    leads: list[str] = []
    for i in touched:
        if found[i].shape is not Shape.ITEM:
            continue
        before = i
        while before > 0 and found[before].block == found[i].block:
            before -= 1
        start, end = found[before].span
        if found[before].shape is Shape.SENTENCE and (raw[end - 1] == ":" or before == i - 1):
            leads.append(_line(raw[start:end]))
        leads += hit.passage.headings[-1:]
    return tuple(dict.fromkeys(leads))


def _line(text: str) -> str:
    return " ".join(text.split())
