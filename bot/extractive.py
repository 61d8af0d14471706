"""Answers without a model: the passages' own sentences, chosen for the question."""

from __future__ import annotations

import asyncio
import math
import re
from typing import TYPE_CHECKING

from bot.answer import Answer, Fact, Ungrounded
from bot.aspect import MOST_WORDS, OF_FIGURES, asked
from bot.extract import extract
from bot.figure import figure_asked, measured, without_measure
from bot.followup_words import GENERAL, GROUPS
from bot.level import level_asked
from bot.sayable import NEGATIONS
from bot.sought import Sought
from bot.spoken import sentences
from bot.topic import is_general, own_words, spans
from retrieval.designator import designated, names
from retrieval.terms import STOP_WORDS, stem, terms, words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bot.answer import Sentence
    from bot.answerer import Hear
    from bot.extract import Extract
    from memory.replay import Said
    from retrieval.designator import Designated
    from retrieval.document import Passage
    from retrieval.evidence import Evidence, Hit
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
_GENERAL = frozenset(stem(word) for word in GENERAL)
_PASSAGES = 3
_LOOKED_AT = 6
_ITEM = re.compile(r"\s*[-*+\u2022\u25aa\u25e6\u2013]\s")
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
        aspects = {name: stems for name, stems in asked(question).items() if figure is None or name in OF_FIGURES}
        sought = Sought(weights, figure, aspects)
        telling_apart = designated(question) if len(words(question)) <= MOST_WORDS else []
        hits = evidence.hits if telling_apart else evidence.hits[:_LOOKED_AT]
        going_on = await self._going_on(hits)
        made = await asyncio.to_thread(_extracts, hits, sought, going_on)
        level = level_asked(question)
        able = [one for one in made if one and not (level and level.is_missed_by(f"{one.above}\n{one.text}"))]
        extracts = _of_the_named(able, telling_apart)
        # A word that no passage holds cannot be told from a slip of the pen; of a figure, it may be the drug itself.
        named = weights.keys() if figure else frozenset[str]().union(*(one.borne for one in extracts))
        about = [measured(question)] if figure else parts
        subjects = {word for part in about for word in _subject(part, {word: weights[word] for word in named})}
        if figure:
            extracts = [one for one in extracts if one.borne & subjects and one.strength >= _FIGURE]
        said: list[Sentence] = []
        for one in _chosen(extracts, sought, subjects, near=_NEAR_PART if len(parts) > 1 else _NEAR):
            said += [sentence for sentence in sentences(one, first=not said) if not _is_said(sentence, said)]
        return Fact(tuple(said)) if said else Ungrounded()

    async def _going_on(self, hits: Sequence[Hit]) -> set[str]:
        """The passages that begin with an item of a list and go on with the section of the passage before them."""
        begun = {_before(hit.passage): hit.passage for hit in hits if _ITEM.match(hit.passage.text)}
        before = await self._index.passages(list(begun)) if begun else ()
        same = [hit.passage for hit in before if hit.passage.headings == begun[hit.passage.id].headings]
        return {begun[passage.id].id for passage in same}

    async def _weights(self, question: str, scope: Scope) -> dict[str, float]:
        """The share of the question that each of its informative stems carries; together 1."""
        stems = terms(question)
        total, frequencies = await self._index.document_frequencies(
            stems, collections=scope.collections, today=scope.today
        )
        rarity = {one: math.log1p(total / (1 + frequencies.get(one, 0))) for one in stems}
        whole = sum(rarity.values()) or 1.0
        return {one: weight / whole for one, weight in rarity.items()}


def _extracts(hits: Sequence[Hit], sought: Sought, going_on: set[str]) -> list[Extract | None]:
    """What each hit can say. It takes long enough to hold everyone else up, so it runs in a thread."""
    return [extract(hit, sought, goes_on=hit.passage.id in going_on) for hit in hits]


def _before(passage: Passage) -> str:
    """The id of the passage before it."""
    return f"{passage.document_id}#{passage.ordinal - 1}"


def _of_the_named(extracts: Sequence[Extract], telling_apart: Sequence[Designated]) -> list[Extract]:
    """Those that speak of each of these: of hepatitis A, nothing on B answers.

    Where a letter tells them apart, pages on it are enough, unless one that mentions it bears more of the question.
    """
    named = [one for one in extracts if all(names(f"{one.above}\n{one.text}", name) for name in telling_apart)]
    titled = [one for one in named if all(names(one.above, name) for name in telling_apart)]
    lettered = any(not mark.isdecimal() for _, mark in telling_apart)
    most = max((one.strength for one in named), default=0.0)
    return titled if lettered and any(one.strength >= most for one in titled) else named


def _subject(part: str, weights: Mapping[str, float]) -> set[str]:
    """The most telling word of a part of the question, by its stem: what it is about, not what it asks of that.

    Several where they tell as much, as words often do in a few leaflets.
    """
    named = own_words(part) or [match[0] for match in spans(part) if not is_general(match[0])]
    own = ({stem(word) for text in named for word in words(text)} & weights.keys()) - _GENERAL
    there = own or weights.keys() & set(terms(part))
    most = max((weights[one] for one in there), default=0.0)
    return {one for one in there if math.isclose(weights[one], most)}


def _chosen(extracts: Sequence[Extract], sought: Sought, subjects: set[str], *, near: float) -> list[Extract]:
    """The one that leads, then each that adds enough.

    One that adds must be of the same document, name the subject, or those for whom is asked. Once they were named, only
    what names them is added: what a clinic does for all is no answer to "for children".
    """
    if not extracts:
        return []
    weights = sought.weights
    chosen = [_leading(extracts, sought, subjects)]
    borne = set(chosen[0].borne)
    asked_for = weights.keys() & _GROUPS
    for one in extracts:
        gain = sum(weights[word] for word in one.borne - borne)
        names = one.borne & subjects
        akin = one.hit.document.id == chosen[0].hit.document.id or names
        least = _NEAR_PART if one.borne & asked_for - borne else near
        if akin and borne & asked_for <= one.borne and one.strength >= least and gain >= _NEW:
            chosen.append(one)
            borne |= one.borne
    return chosen[:_PASSAGES]


def _leading(extracts: Sequence[Extract], sought: Sought, subjects: set[str]) -> Extract:
    """The best-ranked document that is of the subject; of it, the passage that tells what is asked."""
    asking = frozenset[str]().union(*sought.aspects.values())

    def to_the_subject(one: Extract) -> tuple[bool, bool, bool]:
        title = set(terms(one.hit.document.title))
        # "Hereditary pancreatitis" has the asking word of "Is diabetes hereditary?", and is of something else.
        elsewhere = bool(title & asking) and not title & subjects
        about = bool(one.borne & subjects) or title <= sought.weights.keys()
        return about, not elsewhere, bool(one.own or (one.full and one.told))

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
