"""What a quote says where it stands: whole sentences, an item below what introduces it, a row under its columns.

A quote may be cut so that it says the opposite: "stop taking it" of "do not stop taking it", "are pregnant" of a list
of who must not have it. What a statement says is therefore held against this, and not against the quote alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.instruction import addresses_a_machine
from bot.row import read_row
from bot.statements import Piece, Shape, pieces

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retrieval.evidence import Hit

_ENDED = re.compile(r"[.!?\u2026\u3002\uff01\uff1f][\"'\u201d\u2019)\]*_]*\s*\Z")
"""Narrower than `statements.is_ended`, for which a bracket ends a line too: "Do not take it if (see below)" has to
count as the beginning of what its list says."""
_BULLET = re.compile(r"^(?:[-*+\u2022\u25aa\u25e6\u2013]|\d{1,3}[.)])\s+")


@dataclass(frozen=True, slots=True)
class Reading:
    """The sentences, items and rows that a quote touches, each on one line, and what stands above them.

    `leads` introduce items: the line before their list, and the heading over it; `joined` are the items with
    these before them, `alone` what nothing introduces, `rows` a table's rows read under their columns. `names` are the
    document's title, the headings and the columns' names: what a statement is about need not stand in its quote.
    """

    said: tuple[str, ...]
    leads: tuple[str, ...]
    joined: tuple[str, ...]
    alone: tuple[str, ...]
    rows: tuple[str, ...]
    names: tuple[str, ...]

    @property
    def text(self) -> str:
        """What is said, below what introduces it and together with it, a line each."""
        return "\n".join([*self.leads, *self.said, *self.joined])

    @property
    def figured(self) -> str:
        """The same, and each figure of a row with the unit that its column gives it."""
        return "\n".join([self.text, *self.rows])

    @property
    def named(self) -> str:
        """The same, and what it is about."""
        return "\n".join([self.figured, *self.names])

    @property
    def in_place(self) -> str:
        """The same without items that are torn from what introduces them: "5 mg" below "no more than:" is a limit."""
        return "\n".join([*self.leads, *self.joined, *self.alone, *self.rows, *self.names])


def reading(hit: Hit, span: tuple[int, int]) -> Reading:
    """How the quote at `span` of the hit's passage reads; a quote outside of any statement reads as it is."""
    raw = hit.passage.text
    found = pieces(raw)
    touched = [i for i, piece in enumerate(found) if piece.span[0] < span[1] and span[0] < piece.span[1]]
    said = [_line(raw[slice(*found[i].span)]) for i in touched] or [_line(raw[slice(*span)])]
    titles, headings = (
        [one for one in some if not addresses_a_machine(one)]  # what gives orders names nothing
        for some in ([hit.document.title], hit.passage.headings)
    )
    led = {i: _leads(raw, headings, found, i) for i in touched if found[i].shape is Shape.ITEM}
    rows = [found[i] for i in touched if found[i].shape is Shape.ROW]
    items = {i: _BULLET.sub("", _line(raw[slice(*found[i].span)])) for i in led}
    return Reading(
        said=tuple(said),
        leads=tuple(dict.fromkeys(lead for leads in led.values() for lead in leads)),
        joined=tuple(_joined(leads, items[i]) for i, leads in led.items() if leads),
        alone=tuple(line for i, line in zip(touched or [-1], said, strict=True) if not led.get(i)),
        rows=tuple(read_row(_line(raw[slice(*row.span)]), row.header) for row in rows),
        names=(*titles, *headings, *(name for i in touched for name in found[i].header)),
    )


def is_whole(raw: str, span: tuple[int, int]) -> bool:
    """Whether the span is one of the raw text's sentences, items or rows, but for the item's sign."""
    quote = _line(raw[slice(*span)])
    touched = [piece for piece in pieces(raw) if piece.span[0] < span[1] and span[0] < piece.span[1]]
    return len(touched) == 1 and quote in {line := _line(raw[slice(*touched[0].span)]), _BULLET.sub("", line)}


def _leads(raw: str, headings: Sequence[str], found: Sequence[Piece], item: int) -> list[str]:
    """The line that introduces the item's list, and the heading over it."""
    before = item
    while before > 0 and found[before].shape is Shape.ITEM and found[before].block == found[item].block:
        before -= 1
    start, end = found[before].span
    introduced = found[before].shape is Shape.SENTENCE and not _ENDED.search(raw[start:end])
    return [*([_line(raw[start:end])] if introduced else []), *headings[-1:]]


def _joined(leads: Sequence[str], item: str) -> str:
    """The item behind the line that introduces it, and that behind its heading."""
    nearest, *further = leads
    return " ".join([*(f"{lead.rstrip(':')}:" for lead in further), nearest.rstrip(":"), item])


def _line(text: str) -> str:
    return " ".join(text.split())
