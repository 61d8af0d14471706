"""What one passage can say to a question: the sentences that bear most of it, with what belongs to them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING

from bot.clean import clean
from bot.figure import gives
from bot.quote import SHORTEST
from bot.statements import ENDED, Piece, Shape, pieces
from retrieval.terms import stem, words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bot.figure import Figure
    from retrieval.evidence import Hit

_LENGTH = 480
"""So many characters of one passage are plenty; a list or sentence that is begun is ended all the same."""
_SHORT = 450
"""A passage of no more characters is given whole: its sentences were written to stand together."""
_LEAD = 0.6
"""What stands first says it best: the answer begins at the first statement worth this share of the worthiest."""
_STATEMENTS = 4
_LIST_ITEMS = 10
_REPEATED = 0.8
"""A sentence of which this share stands in shorter ones, by runs of three words, is those once more."""
_POINTS_ELSEWHERE = re.compile(
    r"(?:for|to (?:find|get|read|learn))\b.{0,40}\b(?:information|details|more)\b.{0,60}\b(?:go to|see|visit|read)\b"
    r"|see also\b|see\s+[\"\u201c]",
    re.IGNORECASE,
)
_LEANS_BACK = re.compile(
    r"(?:it|its|they|their|them|this|these|those|that|he|she|however|but|also|in addition|for example|such|then|"
    r"otherwise|therefore|instead)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Sought:
    """What a question seeks: the share of it that each of its stems carries, and what figure, if it asks for one."""

    weights: Mapping[str, float]
    figure: Figure | None = None


@dataclass(frozen=True, slots=True)
class Extract:
    """Some pieces of one hit, in the document's order, with the question's words they bear under its headings.

    `own` are those that the pieces hold themselves, `strength` is the share of the question that all of them carry.
    """

    hit: Hit
    pieces: tuple[Piece, ...]
    borne: frozenset[str]
    strength: float
    own: frozenset[str]


def extract(hit: Hit, sought: Sought) -> Extract | None:
    """What the hit can say to it; None where it holds no sentence, or no figure such as is sought."""
    raw, weights = hit.passage.text, sought.weights
    found = _unrepeated(_sayable(pieces(raw), raw), raw)
    above = _stems(" ".join([hit.document.title, *hit.passage.headings])) & weights.keys()
    said = [" ".join([*piece.header, raw[slice(*piece.span)]]) for piece in found]
    bears = [_stems(text) & weights.keys() for text in said]
    # A word that the heading says already tells little about which sentence below it is meant.
    worth = [sum(weights[word] * (0.5 if word in above else 1.0) for word in words_) for words_ in bears]
    able = [i for i, text in enumerate(said) if sought.figure is None or (worth[i] and gives(text, sought.figure))]
    if not able:
        return None
    anchor = max(able, key=lambda i: (round(worth[i], 6), -i))
    first = anchor if sought.figure else _lead(anchor, found, worth)
    short = len(raw) <= _SHORT and all(piece.shape is Shape.SENTENCE for piece in found)
    chosen = list(range(len(found))) if short else _around(first, found, worth, raw)
    while len(chosen) > 1 and _introduces(found[chosen[-1]], raw):
        chosen.pop()
    own = frozenset().union(*(bears[i] for i in ([anchor] if sought.figure else chosen)))
    borne = own | above
    return Extract(
        hit=hit,
        pieces=tuple(found[i] for i in chosen),
        borne=borne,
        strength=sum(weights[word] for word in borne),
        own=own,
    )


def _lead(best: int, found: Sequence[Piece], worth: Sequence[float]) -> int:
    """Where the answer begins: the worthiest piece, or a sentence before it that is worth nearly as much."""
    if found[best].shape is not Shape.SENTENCE:
        return best
    lead = (i for i in range(best) if found[i].shape is Shape.SENTENCE and worth[i] >= _LEAD * worth[best])
    return next(lead, best)


def _unrepeated(found: Sequence[Piece], raw: str) -> list[Piece]:
    """The pieces, each said once: pages taken apart by machines often give a list a second time as running text."""
    parts = [part for piece in found for part in _without_its_list(piece, raw)]
    runs = [_runs(raw[slice(*part.span)]) for part in parts]
    once = []
    for i, run in enumerate(runs):
        shorter = set[tuple[str, ...]]().union(*(one for one in runs if len(one) < len(run)))
        if not run or len(run & shorter) < _REPEATED * len(run):
            once.append(i)
    return [parts[i] for i in once if not any(runs[i] and runs[i] < runs[j] for j in once)]


def _without_its_list(piece: Piece, raw: str) -> list[Piece]:
    """The piece; an item that the whole list follows on its line, from its own words on, as item and running text."""
    text = raw[slice(*piece.span)]
    own, *rest = re.split(r"(?<=[.;])\s+", text, maxsplit=1)
    if piece.shape is not Shape.ITEM or not rest or not _runs(own) or not _runs(own) <= _runs(rest[0]):
        return [piece]
    start, end = piece.span
    after = end - len(rest[0])
    return [replace(piece, span=(start, start + len(own))), Piece(Shape.SENTENCE, (after, end), piece.block)]


def _runs(text: str) -> set[tuple[str, ...]]:
    found = words(text)
    return set(zip(found, found[1:], found[2:], strict=False))


def _around(anchor: int, found: Sequence[Piece], worth: Sequence[float], raw: str) -> list[int]:
    """The anchor with what it needs in order to be understood, and what follows while it belongs to it."""
    first = anchor
    if found[anchor].shape is Shape.ITEM:
        while first > 0 and found[first - 1].block == found[anchor].block:
            first -= 1
        first = first - 1 if first > 0 and _introduces(found[first - 1], raw) else first
    elif found[anchor].shape is Shape.SENTENCE:
        while first > 0 and anchor - first < 2 and _LEANS_BACK.match(raw, found[first].span[0]):
            first -= 1
    chosen = list(range(first, anchor + 1))
    for i in range(anchor + 1, len(found)):
        if not _goes_on(chosen, i, found, worth, raw):
            break
        chosen.append(i)
    return chosen


def _goes_on(chosen: Sequence[int], i: int, found: Sequence[Piece], worth: Sequence[float], raw: str) -> bool:
    last, piece = found[chosen[-1]], found[i]
    if piece.shape is Shape.ITEM and (last.block == piece.block or _introduces(last, raw)):
        return sum(found[j].shape is Shape.ITEM for j in chosen) < _LIST_ITEMS
    length = piece.span[1] - found[chosen[0]].span[0]
    most = _LIST_ITEMS if piece.shape is Shape.ROW else _STATEMENTS
    if len(chosen) >= most or length > _LENGTH:
        return False
    if piece.shape is Shape.ROW:
        introduced = found[chosen[0]].shape is Shape.SENTENCE
        return introduced or (piece.block == last.block and worth[i] >= worth[chosen[-1]] > 0)
    if last.shape is Shape.ROW:
        return False
    return piece.block == last.block or worth[i] > 0 or _introduces(last, raw)


def _introduces(piece: Piece, raw: str) -> bool:
    """Whether a list may follow: "You need:", or a sentence that nothing ends."""
    return piece.shape is Shape.SENTENCE and not raw[: piece.span[1]].endswith(ENDED)


def _sayable(found: Sequence[Piece], raw: str) -> list[Piece]:
    """The pieces that say something by themselves; if only fragments are there, those."""
    quotable = [piece for piece in found if _says_something(raw[slice(*piece.span)])]
    whole = [
        piece
        for piece, following in zip_longest(quotable, quotable[1:])
        if piece.shape is not Shape.SENTENCE or _is_whole(raw[slice(*piece.span)], following)
    ]
    return whole or quotable


def _says_something(text: str) -> bool:
    """Whether it can be quoted, and still says something once links are gone: "See www.example.org." does not."""
    left = clean(text)
    if sum(character.isalnum() for character in text) < SHORTEST or _POINTS_ELSEWHERE.match(text):
        return False
    return left == re.sub(r"[ \t]+", " ", text).strip() or len(words(left)) > 3


def _is_whole(text: str, following: Piece | None) -> bool:
    """Whether it is no caption and no part of a sentence that a passage's edge cuts through."""
    if text[0].islower() or text[0] in ",;:)":
        return False
    return text.endswith((*ENDED, ":")) or (following is not None and following.shape is not Shape.SENTENCE)


def _stems(text: str) -> set[str]:
    return {stem(word) for word in words(text)}
