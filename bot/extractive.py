"""Answers without a model: the passages' own sentences, chosen for the question."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from bot.answer import Answer, Fact, Ungrounded
from bot.aspect import asked
from bot.extract import extract
from bot.figure import figure_asked, measured, without_measure
from bot.followup_words import GROUPS
from bot.sayable import NEGATIONS
from bot.sought import Sought
from bot.spoken import sentences
from bot.topic import is_general, own_words, spans
from retrieval.terms import STOP_WORDS, stem, terms, words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bot.answer import Sentence
    from bot.answerer import Hear
    from bot.extract import Extract
    from memory.replay import Said
    from retrieval.evidence import Evidence
    from retrieval.index import Index
    from retrieval.scope import Scope

_NEAR = 0.6
"""A further passage is worth its room if it bears this share of the question by itself, ..."""
_NEAR_PART = 0.4
"""... or this much where several things are asked, ..."""
_NEW = 0.2
"""... and at least so much of it that the passages before do not."""
_RANK = 0.03
"""What a place further down in the order of the search costs, against the share of the question that is borne."""
_TELLS = 0.15
"""What it is worth that a passage of the leading document tells what is asked of the subject; twice by its headings."""
_FIGURE = 0.6
"""A figure answers if its sentence bears this share of the question; of a neighbouring subject, figures mislead."""
_GROUPS = frozenset(stem(word) for word in GROUPS)
_PASSAGES = 3
_LOOKED_AT = 6
_LISTED = re.compile(r"- |\d{1,3}[.)] |.*[^.!?]\Z", re.DOTALL)
_PARTS = re.compile(
    r"[?!;]|\.\s|,?\s+\band\s+(?=(?:what|which|who|when|where|why|how|is|are|do|does|can|should)\b)", re.IGNORECASE
)
"""What parts a question that asks several things, each of which has a subject of its own."""


class ExtractiveAnswerer:
    """Quotes the best sentences of the best passages, in the order of the document.

    The first document in the order of the search that names the subject leads, with the passage of it that tells what
    is asked. It is quoted from where it bears most of the question's informative words, each weighed by its rarity in
    the index, and on while what follows belongs to it; from its beginning, where its heading asks the question. A list
    is kept whole with the line that introduces it. Where a figure is asked for, only a sentence that gives one answers.
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
        weights = await self._weights(without_measure(question) if figure else question, evidence.scope)
        sought = Sought(weights, figure, asked(question) if figure is None else {})
        extracts = [one for hit in evidence.hits[:_LOOKED_AT] if (one := extract(hit, sought))]
        # A word that no passage holds cannot be told from a slip of the pen; of a figure, it may be the drug itself.
        named = weights.keys() if figure else frozenset[str]().union(*(one.borne for one in extracts))
        about = [measured(question)] if figure else parts
        subjects = {word for part in about for word in _subject(part, {word: weights[word] for word in named})}
        if figure:
            extracts = [one for one in extracts if one.borne & subjects and one.strength >= _FIGURE]
        said: list[Sentence] = []
        for one in _chosen(extracts, weights, subjects, near=_NEAR_PART if len(parts) > 1 else _NEAR):
            said += [sentence for sentence in sentences(one, first=not said) if not _is_said(sentence, said)]
        return Fact(tuple(said)) if said else Ungrounded()

    async def _weights(self, question: str, scope: Scope) -> dict[str, float]:
        """The share of the question that each of its informative stems carries; together 1."""
        stems = terms(question)
        total, frequencies = await self._index.document_frequencies(
            stems, collections=scope.collections, today=scope.today
        )
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


def _chosen(
    extracts: Sequence[Extract], weights: Mapping[str, float], subjects: set[str], *, near: float
) -> list[Extract]:
    """The one that leads, then each that adds enough.

    One that adds must be of the same document, name the subject, or those for whom is asked. Once they were named, only
    what names them is added: what a clinic does for all is no answer to "for children".
    """
    if not extracts:
        return []
    chosen = [_leading(extracts, weights, subjects)]
    borne = set(chosen[0].borne)
    asked_for = weights.keys() & _GROUPS
    for one in extracts:
        gain = sum(weights[word] for word in one.borne - borne)
        names = one.borne & (subjects | asked_for)
        akin = one.hit.document.id == chosen[0].hit.document.id or names
        least = _NEAR_PART if one.borne & asked_for - borne else near
        if akin and borne & asked_for <= one.borne and one.strength >= least and gain >= _NEW:
            chosen.append(one)
            borne |= one.borne
    return chosen[:_PASSAGES]


def _leading(extracts: Sequence[Extract], weights: Mapping[str, float], subjects: set[str]) -> Extract:
    """The best-ranked document that is of the subject; of it, the passage that tells what is asked."""

    def to_the_subject(one: Extract) -> tuple[bool, bool]:
        titled = set(terms(one.hit.document.title)) <= weights.keys()
        return bool(one.borne & subjects) or titled, bool(one.own or (one.full and one.told))

    first = max(extracts, key=lambda one: (*to_the_subject(one), -one.hit.rank))
    of_document = [
        one
        for one in extracts
        if one.hit.document.id == first.hit.document.id and to_the_subject(one) == to_the_subject(first)
    ]
    best = max(of_document, key=lambda one: one.strength + _TELLS * one.told - _RANK * one.hit.rank)
    section = [one for one in of_document if one.hit.passage.headings == best.hit.passage.headings and one.own]
    return min(section, key=lambda one: one.hit.passage.ordinal) if best.full and section else best


def _is_said(sentence: Sentence, said: Sequence[Sentence]) -> bool:
    """Whether one before it holds all that it says: each figure, negation and informative word.

    An item, a row and what leads to them stay, so that lists and tables are whole; unless it is the same once more.
    """
    if _LISTED.match(sentence.text):
        return any(one.text == sentence.text for one in said)
    telling = {word for word in words(sentence.text) if word not in STOP_WORDS or word in NEGATIONS}
    return any(telling <= set(words(one.text)) for one in said)
