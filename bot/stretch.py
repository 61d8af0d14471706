"""Which statements of a passage are said together: whole lists, what is leant on, and no more than is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.sayable import introduces
from bot.statements import Shape, is_ended

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.page import Page

_LENGTH = 480
"""So many characters of one passage are plenty; a sentence that is begun is ended all the same."""
_LIST_LENGTH = 900
_SHORT = 450
"""A passage of no more characters is given whole: its sentences were written to stand together."""
_STATEMENTS = 4
_LIST_ITEMS = 10
_LEAD = 0.6
"""What stands first says it best: the answer begins at the first statement worth this share of the worthiest."""


def stretch(page: Page, anchor: int) -> list[int]:
    """The anchor with what it needs in order to be understood, and what follows while it belongs to it, in order.

    It never ends on what only leads to something else.
    """
    if _is_short(page):
        chosen = _whole(page, anchor)
    elif page.found[anchor].shape is Shape.ITEM:
        chosen = _list(page, anchor)
    else:
        chosen = list(range(_led(page, anchor), anchor + 1))
        for i in range(anchor + 1, len(page.found)):
            if not _goes_on(page, chosen, i):
                break
            chosen.append(i)
    while len(chosen) > 1 and (introduces(page.found[chosen[-1]], page.raw) or page.is_caption(chosen[-1])):
        chosen.pop()
    return chosen


def lead(page: Page, best: int, able: Sequence[int]) -> int:
    """Where an answer begins: the worthiest piece, or a sentence before it that is worth nearly as much."""
    if page.found[best].shape is not Shape.SENTENCE:
        return best
    asked = max((i for i in range(best) if page.asks[i]), default=-1)
    before = (i for i in able if asked < i < best and page.found[i].shape is Shape.SENTENCE and not page.is_orphan(i))
    return next((i for i in before if page.worth[i] >= _LEAD * page.worth[best]), best)


def _is_short(page: Page) -> bool:
    prose = all(piece.shape is Shape.SENTENCE for piece in page.found)
    return len(page.raw) <= _SHORT and prose and not any(page.asks)


def _whole(page: Page, anchor: int) -> list[int]:
    """All of it; of what tells what is asked, from its paragraph on, or from the anchor in the first paragraph."""
    if not page.tells[anchor]:
        return list(range(len(page.found)))
    block = page.found[anchor].block
    begun = next(i for i, piece in enumerate(page.found) if piece.block == block)
    return list(range(begun or _led(page, anchor), len(page.found)))


def _led(page: Page, anchor: int) -> int:
    """Where to begin so that the anchor is understood: what it leans back on, the question that it replies to."""
    first = anchor
    while page.found[anchor].shape is Shape.SENTENCE and first > 0 and anchor - first < 2 and page.leans_back(first):
        first -= 1
    return first


def _list(page: Page, anchor: int) -> list[int]:
    """The list with the line that introduces it.

    Of a long one, and of sentences that nothing introduces, the items that say about as much as the anchor.
    """
    items = [i for i, piece in enumerate(page.found) if piece.block == page.found[anchor].block]
    before = items[0] - 1
    introduced = before >= 0 and introduces(page.found[before], page.raw)
    length = page.found[items[-1]].span[1] - page.found[items[0]].span[0]
    sentences = not introduced and all(is_ended(page.raw, page.found[i].span[1]) for i in items)
    if sentences or len(items) > _LIST_ITEMS or length > _LIST_LENGTH:
        items = [i for i in items if page.worth[i] >= _LEAD * page.worth[anchor]]
        items = items[max(0, items.index(anchor) - _LIST_ITEMS + 1) :][:_LIST_ITEMS]
    return [before, *items] if introduced else items


def _goes_on(page: Page, chosen: Sequence[int], i: int) -> bool:
    last, piece, start = page.found[chosen[-1]], page.found[i], page.found[chosen[0]].span[0]
    if page.asks[i]:
        return False
    introduced = introduces(last, page.raw)
    if piece.shape is Shape.ITEM and (last.block == piece.block or introduced):
        items = sum(page.found[j].shape is Shape.ITEM for j in chosen)
        return items < _LIST_ITEMS and piece.span[1] - start <= _LIST_LENGTH
    most = _LIST_ITEMS if piece.shape is Shape.ROW else _STATEMENTS
    if len(chosen) >= most or piece.span[1] - start > _LENGTH:
        return False
    if piece.shape is Shape.ROW:
        after_text = page.found[chosen[0]].shape is Shape.SENTENCE
        return after_text or (piece.block == last.block and page.worth[i] >= page.worth[chosen[-1]] > 0)
    if last.shape is Shape.ROW:
        return False
    return page.worth[i] > 0 or introduced or (piece.block == last.block and _belongs(page, chosen, i))


def _belongs(page: Page, chosen: Sequence[int], i: int) -> bool:
    """Whether a sentence without a word of the question still is of its answer."""
    return len(chosen) < 2 or page.full or page.leans_back(i)
