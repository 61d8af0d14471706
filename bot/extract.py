"""What one passage can say to a question: the statements that bear most of it, with what belongs to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.figure import gives
from bot.page import Page
from bot.stretch import lead, stretch

if TYPE_CHECKING:
    from bot.sought import Sought
    from bot.statements import Piece
    from retrieval.evidence import Hit


@dataclass(frozen=True, slots=True)
class Extract:
    """Some pieces of one hit, in the document's order, with the question's stems they bear under its headings.

    `own` are those that the pieces hold themselves, `strength` is the share of the question that all of them carry.
    `told` counts what it tells of what is asked of the subject, once in its pieces and twice in its headings. `full`
    says that the headings ask the question.
    """

    hit: Hit
    pieces: tuple[Piece, ...]
    borne: frozenset[str]
    strength: float
    own: frozenset[str]
    told: int
    full: bool

    @property
    def above(self) -> str:
        """Its title and headings, one a line."""
        return "\n".join(dict.fromkeys((self.hit.document.title, *self.hit.passage.headings)))

    @property
    def text(self) -> str:
        """Its pieces as the document has them, one a line."""
        return "\n".join(self.hit.passage.text[slice(*piece.span)] for piece in self.pieces)


def extract(hit: Hit, sought: Sought, *, goes_on: bool = False) -> Extract | None:
    """What the hit can say to it; None where it holds no statement, or no figure such as is sought.

    With `goes_on`, its section began in the passage before, and so did a list without its beginning.
    """
    page = Page.of(hit, sought, goes_on=goes_on)
    able = [i for i, asks in enumerate(page.asks) if not asks and not page.is_unintroduced(i)]
    if sought.figure is not None:
        able = [i for i in able if page.worth[i] and gives(page.said[i], sought.figure)]
    able = [i for i in able if not page.is_caption(i)] or able
    if not able:
        return None
    anchor = max(able, key=lambda i: (not page.is_orphan(i), round(page.worth[i], 6), -i))
    if sought.figure is None:
        opening = next((i for i in able if not page.is_orphan(i)), anchor)
        anchor = opening if page.full else lead(page, anchor, able)
    chosen = [i for i in stretch(page, anchor) if not page.is_unintroduced(i)]
    own = frozenset[str]().union(*(page.bears[i] for i in ([anchor] if sought.figure else chosen)))
    return Extract(
        hit=hit,
        pieces=tuple(page.found[i] for i in chosen),
        borne=own | page.above,
        strength=sought.share(own | page.above),
        own=own,
        told=len(sought.told(" ".join(page.said[i] for i in chosen))) + 2 * page.told_above,
        full=page.full,
    )
