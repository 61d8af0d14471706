"""Answers without a model: the passages' own sentences, chosen for the question."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

from bot.answer import Answer, Fact, Sentence, Ungrounded
from bot.clean import clean
from bot.quote import SHORTEST
from bot.statements import ENDED, Piece, Shape, cells, pieces
from retrieval.terms import stem, terms, words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memory.replay import Exchange
    from retrieval.evidence import Evidence, Hit
    from retrieval.index import Index

_LENGTH = 480
"""So many characters of one passage are plenty; a list or sentence that is begun is ended all the same."""
_SHORT = 450
"""A passage of no more characters is given whole: its sentences were written to stand together."""
_LEAD = 0.6
"""What stands first says it best: the answer begins at the first statement worth this share of the worthiest."""
_STATEMENTS = 4
_LIST_ITEMS = 10
_EVEN = 0.05
"""Passages that differ by no more in what they bear of the question stay in the order of the search."""
_NEAR = 0.4
"""A further passage is worth its room if its best statement bears this share of the question by itself, ..."""
_NEW = 0.2
"""... and at least so much of it that the passages before do not."""
_PASSAGES = 3
_LOOKED_AT = 6
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
class _Extract:
    """Some pieces of one hit, in the document's order, with the question's words they bear under its headings.

    `own` are those that the pieces hold themselves, `strength` is the share of the question that all of them carry.
    """

    hit: Hit
    pieces: tuple[Piece, ...]
    borne: frozenset[str]
    strength: float
    own: frozenset[str]


class ExtractiveAnswerer:
    """Quotes the best sentences of the best passages, in the order of the document.

    It begins where a passage bears most of the question's informative words, each weighed by its rarity in the index,
    and goes on while what follows belongs to it. A list is kept whole with the line that introduces it.
    """

    def __init__(self, index: Index) -> None:
        self._index = index

    @property
    def name(self) -> str:
        """As traces name it."""
        return "extractive"

    async def answer(self, question: str, evidence: Evidence, history: Sequence[Exchange]) -> Answer:
        """Always a fact where there is a hit with a sentence in it; `history` changes nothing."""
        del history
        weights = await self._weights(question)
        extracts = [extract for hit in evidence.hits[:_LOOKED_AT] if (extract := _extract(hit, weights))]
        said: dict[str, Sentence] = {}
        for extract in _chosen(extracts, weights):
            for sentence in _sentences(extract, first=not said):
                said.setdefault(sentence.text.casefold(), sentence)
        return Fact(tuple(said.values())) if said else Ungrounded()

    async def _weights(self, question: str) -> dict[str, float]:
        """The share of the question that each of its informative stems carries; together 1."""
        stems = terms(question)
        total, frequencies = await self._index.document_frequencies(stems)
        rarity = {one: math.log1p(total / (1 + frequencies.get(one, 0))) for one in stems}
        whole = sum(rarity.values()) or 1.0
        return {one: weight / whole for one, weight in rarity.items()}


def _chosen(extracts: Sequence[_Extract], weights: Mapping[str, float]) -> list[_Extract]:
    """The best-ranked of those that bear most of the question, some of it themselves; then each that adds enough."""
    most = max((extract.strength for extract in extracts), default=0.0)
    chosen: list[_Extract] = []
    borne: set[str] = set()
    for extract in sorted(extracts, key=lambda extract: (extract.strength < most - _EVEN, not extract.own)):
        gain = sum(weights[word] for word in extract.borne - borne)
        if not chosen or (extract.strength >= _NEAR and gain >= _NEW):
            chosen.append(extract)
            borne |= extract.borne
    return chosen[:_PASSAGES]


def _extract(hit: Hit, weights: Mapping[str, float]) -> _Extract | None:
    raw = hit.passage.text
    found = _sayable(pieces(raw), raw)
    if not found:
        return None
    above = _stems(" ".join([hit.document.title, *hit.passage.headings])) & weights.keys()
    bears = [_stems(raw[slice(*piece.span)] + " " + " ".join(piece.header)) & weights.keys() for piece in found]
    # A word that the heading says already tells little about which sentence below it is meant.
    worth = [sum(weights[word] * (0.5 if word in above else 1.0) for word in words_) for words_ in bears]
    anchor = _anchor(found, worth)
    short = len(raw) <= _SHORT and all(piece.shape is Shape.SENTENCE for piece in found)
    chosen = list(range(len(found))) if short else _around(anchor, found, worth, raw)
    while len(chosen) > 1 and _introduces(found[chosen[-1]], raw):
        chosen.pop()
    own = frozenset().union(*(bears[i] for i in chosen))
    borne = own | above
    return _Extract(
        hit=hit,
        pieces=tuple(found[i] for i in chosen),
        borne=borne,
        strength=sum(weights[word] for word in borne),
        own=own,
    )


def _anchor(found: Sequence[Piece], worth: Sequence[float]) -> int:
    """Where the answer begins: the worthiest piece, or a sentence before it that is worth nearly as much."""
    best = max(range(len(found)), key=lambda i: (round(worth[i], 6), -i))
    if found[best].shape is not Shape.SENTENCE:
        return best
    lead = (i for i in range(best) if found[i].shape is Shape.SENTENCE and worth[i] >= _LEAD * worth[best])
    return next(lead, best)


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


def _sentences(extract: _Extract, *, first: bool) -> list[Sentence]:
    passage = extract.hit.passage
    made = []
    for piece, before in zip(extract.pieces, (None, *extract.pieces), strict=False):
        quote = passage.text[slice(*piece.span)]
        opens = not first if before is None else before.block != piece.block and piece.shape is Shape.SENTENCE
        made.append(Sentence(_spoken(quote, piece), passage.id, quote, new_paragraph=opens))
    return made


def _spoken(quote: str, piece: Piece) -> str:
    """The quote as it is read out: on one line, without markup, a row's cells beside their column names."""
    if piece.shape is Shape.ROW:
        row = cells(quote)
        named = len(piece.header) == len(row)
        shown = (
            [f"{name}: {cell}" if name else cell for name, cell in zip(piece.header, row, strict=True)]
            if named
            else row
        )
        return "- " + " · ".join(one for one in shown if one.strip(": "))
    text = re.sub(r"^>\s?|(?<=\n)>\s?", "", quote)
    text = re.sub(r"(\*\*|__|(?<![*\w])[*_](?=\w)|(?<=[\w.!?])[*_](?![*\w]))", "", text)
    text = " ".join(text.split())
    text = re.sub(r"^[*+\u2022\u25aa\u25e6\u2013]\s", "- ", text)
    bare = piece.shape is Shape.ITEM and not re.match(r"-\s|\d{1,3}[.)]\s", text)
    return f"- {text}" if bare else text
