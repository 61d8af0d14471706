"""What of a passage can be said by itself: whole statements, each once, without what only points elsewhere."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from itertools import islice, zip_longest
from typing import TYPE_CHECKING

from bot.clean import GAP, clean, single_spaced
from bot.instruction import addresses_a_machine, stands_in_an_order
from bot.quote import SHORTEST
from bot.statements import ENDED, Piece, Shape, is_ended, pieces
from retrieval.terms import words

if TYPE_CHECKING:
    from collections.abc import Sequence

NEGATIONS = frozenset({"no", "not", "never", "without", "cannot"})
_REPEATED = 0.8
"""A sentence of which this share stands in other ones, by runs of three words, is those once more."""
_LONGEST_FRAGMENT = 240
"""Where a passage has no whole sentence, so many characters may be a note ("9 to 5, Room 4"); more are a rest."""
_SHARES = 6
_TABLE_RUN_TOGETHER = re.compile(rf"(?:\d\s?%[^.;]{{0,80}}){{{_SHARES}}}")
"""Names and shares in one line: a table that lost its rows on the way."""
_ITEM_CUT = re.compile(r"\s[-\u2022]\s+\w+(?:\s\w+){0,2}\.$")
"""The first words of an item at the end of running text: the rest stands in the next passage."""
_POINTS_ELSEWHERE = re.compile(
    r"\(?(?:(?:please )?watch (?:the|this|a) video|to (?:enlarge|reduce|shrink|play|see|watch) (?:the|this) video)\b"
    r"|(?:for|to (?:find|get|read|learn))\b.{0,40}\b(?:information|details|more)\b.{0,60}\b(?:go to|see|visit|read)\b"
    r"|see also\b|see\s+[\"\u201c]",
    re.IGNORECASE,
)
_OF_ITSELF = re.compile(
    r"[>\s*_]*this (?:article|booklet|brochure|document|fact ?sheet|handout|information|leaflet|page|publication)\s+"
    r"(?:is|was|has(?: not)? been)\s+(?:not\s+)?(?:last\s+)?"
    r"(?:copyrighted|developed|intended|made up|meant|printed|produced|provided|published|reviewed|updated|written)\b",
    re.IGNORECASE,
)
"""It says what the text is, and nothing of what it is about."""


@lru_cache(maxsize=512)  # it is the same whatever is asked, and some passages are asked for again and again
def sayable(raw: str) -> tuple[Piece, ...]:
    """The statements of a passage's raw text that say something by themselves, each once; else its short fragments.

    What gives orders to a machine is none of them.
    """
    found = pieces(raw)
    if addresses_a_machine(raw):
        found = tuple(one for one in found if not stands_in_an_order(raw, one.span))
    return tuple(_unrepeated(_whole(found, raw), raw))


def introduces(piece: Piece, raw: str) -> bool:
    """Whether a list may follow: "You need:", or a sentence that nothing ends."""
    return piece.shape is Shape.SENTENCE and not is_ended(raw, piece.span[1])


def _runs(text: str) -> frozenset[tuple[str, ...]]:
    """The runs of three words in it, by which what is said twice is known."""
    found = words(text)
    return frozenset(zip(found, found[1:], found[2:], strict=False))


def _unrepeated(found: Sequence[Piece], raw: str) -> list[Piece]:
    """The pieces, each said once: pages taken apart by machines often give a list a second time as running text.

    What differs in a figure or a negation is not the same.
    """
    parts = [part for piece in found for part in _without_its_list(piece, raw)]
    said = [_runs(raw[slice(*part.span)]) for part in parts]
    sharp = [_sharp(raw[slice(*part.span)]) for part in parts]
    shortest: dict[object, int] = {}  # of the pieces that hold it, for each run and sharp word
    for runs, sharp_words in zip(said, sharp, strict=True):
        for one in (*runs, *sharp_words):
            shortest[one] = min(shortest.get(one, len(runs)), len(runs))
    once = []
    for n, own in enumerate(said):
        held = sum(shortest[run] < len(own) for run in own)
        told = all(shortest[word] < len(own) for word in sharp[n])
        if not (own and held >= _REPEATED * len(own) and told):
            once.append(n)
    return [parts[n] for n in once if not any(said[n] and said[n] < said[m] and sharp[n] == sharp[m] for m in once)]


def _sharp(text: str) -> frozenset[str]:
    """The words that make another statement of the same one: figures and negations."""
    return frozenset(word for word in words(text) if word in NEGATIONS or word[0].isdigit())


def _without_its_list(piece: Piece, raw: str) -> list[Piece]:
    """The piece; an item that the whole list follows on its line, from its own words on, as item and running text."""
    text = raw[slice(*piece.span)]
    own, *rest = re.split(r"(?<=[.;])\s+", text, maxsplit=1)
    if piece.shape is not Shape.ITEM or not rest or not _runs(own) or not _runs(own) <= _runs(rest[0]):
        return [piece]
    start, end = piece.span
    after = end - len(rest[0])
    if rest[0][0].islower():
        return [replace(piece, span=(start, start + len(own)))]
    return [replace(piece, span=(start, start + len(own))), Piece(Shape.SENTENCE, (after, end), piece.block)]


def _whole(found: Sequence[Piece], raw: str) -> list[Piece]:
    quotable = [piece for piece in found if _says_something(raw[slice(*piece.span)])]
    whole = [
        piece
        for piece, following in zip_longest(quotable, quotable[1:])
        if piece.shape is not Shape.SENTENCE or _is_whole(raw[slice(*piece.span)], following)
    ]
    return whole or [
        piece
        for piece in quotable
        if piece.span[1] - piece.span[0] <= _LONGEST_FRAGMENT and not raw[piece.span[0]].islower()
    ]


def _says_something(text: str) -> bool:
    """Whether it can be quoted, and still says something once links are gone: "See www.example.org." does not.

    A sentence from whose middle one was taken only leads there: "Visit … to confirm your identity."
    """
    left = clean(text)
    table = text.count("%") >= _SHARES and _TABLE_RUN_TOGETHER.search(text)
    if table or left.count(GAP) > text.count(GAP):
        return False
    if sum(1 for _ in islice(filter(str.isalnum, text), SHORTEST)) < SHORTEST or _POINTS_ELSEWHERE.match(text):
        return False
    if _OF_ITSELF.match(text):
        return False
    return left == single_spaced(text) or len(words(left)) > 3


def _is_whole(text: str, following: Piece | None) -> bool:
    """Whether it is no caption and no part of a sentence that a passage's edge cuts through."""
    if text[0].islower() or text[0] in ",;:)" or (following is None and _ITEM_CUT.search(text)):
        return False
    return text.rstrip("*_").endswith((*ENDED, ":")) or (
        following is not None and following.shape is not Shape.SENTENCE
    )
