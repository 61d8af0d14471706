"""Answers without a model: the passages' own sentences, chosen for the question."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from bot.answer import Answer, Fact, Sentence, Ungrounded
from bot.extract import Sought, extract
from bot.figure import figure_asked, measured, without_measure
from bot.statements import Shape, cells
from bot.topic import is_general, own_words, spans
from retrieval.terms import stem, terms, words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bot.answerer import Hear
    from bot.extract import Extract
    from bot.statements import Piece
    from memory.replay import Said
    from retrieval.evidence import Evidence
    from retrieval.index import Index

_NEAR = 0.4
"""A further passage is worth its room if its best statement bears this share of the question by itself, ..."""
_NEW = 0.2
"""... and at least so much of it that the passages before do not."""
_FIGURE = 0.6
"""A figure answers if its sentence bears this share of the question; of a neighbouring subject, figures mislead."""
_PASSAGES = 3
_LOOKED_AT = 6
_PARTS = re.compile(
    r"[?!;]|\.\s|,?\s+\band\s+(?=(?:what|which|who|when|where|why|how|is|are|do|does|can|should)\b)", re.IGNORECASE
)
"""What parts a question that asks several things, each of which has a subject of its own."""


class ExtractiveAnswerer:
    """Quotes the best sentences of the best passages, in the order of the document.

    The first passage in the order of the search leads, if it names the subject. It is quoted from where it bears most
    of the question's informative words, each weighed by its rarity in the index, and on while what follows belongs to
    it. A list is kept whole with the line that introduces it. Where a figure is asked for, only a sentence that gives
    one answers.
    """

    def __init__(self, index: Index) -> None:
        self._index = index

    @property
    def name(self) -> str:
        """As traces name it."""
        return "extractive"

    async def answer(
        self, question: str, evidence: Evidence, history: Sequence[Said], hear: Hear | None = None
    ) -> Answer:
        """A fact where a hit has a sentence in it that can answer; `history` changes nothing. It is written at once."""
        del history, hear
        parts = [part for part in _PARTS.split(question) if terms(part)]
        figure = figure_asked(question) if len(parts) == 1 else None
        weights = await self._weights(without_measure(question) if figure else question)
        sought = Sought(weights, figure)
        extracts = [one for hit in evidence.hits[:_LOOKED_AT] if (one := extract(hit, sought))]
        # A word that no passage holds cannot be told from a slip of the pen; of a figure, it may be the drug itself.
        named = weights.keys() if figure else frozenset[str]().union(*(one.borne for one in extracts))
        about = [measured(question)] if figure else parts
        subjects = {word for part in about for word in _subject(part, {word: weights[word] for word in named})}
        if figure:
            extracts = [one for one in extracts if one.borne & subjects and one.strength >= _FIGURE]
        said: dict[str, Sentence] = {}
        for one in _chosen(extracts, weights, subjects):
            for sentence in _sentences(one, first=not said):
                said.setdefault(sentence.text.casefold().removeprefix("- "), sentence)
        return Fact(tuple(said.values())) if said else Ungrounded()

    async def _weights(self, question: str) -> dict[str, float]:
        """The share of the question that each of its informative stems carries; together 1."""
        stems = terms(question)
        total, frequencies = await self._index.document_frequencies(stems)
        rarity = {one: math.log1p(total / (1 + frequencies.get(one, 0))) for one in stems}
        whole = sum(rarity.values()) or 1.0
        return {one: weight / whole for one, weight in rarity.items()}


def _subject(part: str, weights: Mapping[str, float]) -> set[str]:
    """The most telling word of a part of the question, by its stem: what it is about, not what it asks of that.

    Several where they tell as much, as words often do in a few leaflets.
    """
    named = own_words(part) or [match[0] for match in spans(part) if not is_general(match[0])]
    own = {stem(word) for text in named for word in words(text)} & weights.keys()
    there = own or weights.keys() & set(terms(part))
    most = max((weights[one] for one in there), default=0.0)
    return {one for one in there if math.isclose(weights[one], most)}


def _chosen(extracts: Sequence[Extract], weights: Mapping[str, float], subjects: set[str]) -> list[Extract]:
    """The best-ranked that is of the subject and bears some of the question itself; then each that adds enough.

    One that adds must be of the subject too, or hold a word that tells as much: "for children" of a clinic for all.
    """
    chosen: list[Extract] = []
    borne: set[str] = set()
    least = min((weights[word] for word in subjects), default=0.0)
    telling = {word for word, weight in weights.items() if weight >= least or math.isclose(weight, least)}
    for one in sorted(extracts, key=lambda one: (not one.borne & subjects, not one.own)):
        gain = sum(weights[word] for word in one.borne - borne)
        if not chosen or (one.borne & telling and one.strength >= _NEAR and gain >= _NEW):
            chosen.append(one)
            borne |= one.borne
    return chosen[:_PASSAGES]


def _sentences(extract: Extract, *, first: bool) -> list[Sentence]:
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
