"""What a search knows of each of its hits beside the question, as numbers for the fitted reranker."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from retrieval.rarity import rarity, share
from retrieval.terms import STOP_WORDS, stem, words

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from typing import TypeAlias

    from retrieval.evidence import Hit

    Weight: TypeAlias = Callable[[str], float]
    """A term's rarity."""

    _Places: TypeAlias = Mapping[str, Sequence[int]]
    """Where each of the question's terms stands in a text, counted in words; only those that stand there."""

WINDOW = 25
"""Words in a row, about a sentence, that may hold what is asked."""

UNLISTED = 60
"""The rank of a hit in a list that did not hold it: behind all that are."""

_K1, _B = 1.2, 0.75
_TITLE = 2
"""How many times a word of the title counts in BM25, as in the search by words."""
_STEMMED_ALIKE = 5
"""Letters that two words share from the start, if they are to count as alike: `cardiac`, `cardiology`."""

BY_WORDS = (
    "fused / best",
    "keyword rank",
    "bm25 / best",
    "bm25 standing",
    "coverage",
    "coverage - best",
    "title",
    "headings",
    "rare",
    "rare - best",
    "alike",
    "alike - best",
    "as written",
    "near pairs",
    "near pairs standing",
    "phrases",
    "window",
    "window standing",
    "topic",
    "length",
)
"""Shares of the question are by weight: a term weighs 1 if it stands nowhere, less the more common it is.

fused, keyword rank   the search's own score, and the logarithm of the rank in the list by words
bm25                  over the passage, its headings and its title, of every informative term
coverage              share of the question in the passage with its title, headings and columns
title, headings       share of the question in those alone
rare                  as coverage, by the weights' squares: what is most telling counts the most
alike                 as coverage, words that begin alike included
as written            as coverage, of the passage and title, without stemming
near pairs            share of neighbouring informative words that stand within three words of each other
phrases               share of all neighbouring words that stand so in the passage or title
window                share of the question in the best `WINDOW` words in a row
topic                 share of the title that the question names
length                natural logarithm of the number of words

`/ best` and `- best` compare with the highest in this list; `standing` counts standard deviations from its mean.
"""

WITH_VECTORS = (*BY_WORDS, "vector rank", "cosine", "cosine - best", "cosine standing")
"""With the likeness in meaning of question and passage."""


def wanted_terms(question: str, hits: Sequence[Hit]) -> set[str]:
    """The terms whose document frequencies `features` needs: the question's, and those of the titles."""
    return {stem(word) for text in (question, *(hit.document.title for hit in hits)) for word in words(text)}


def features(question: str, hits: Sequence[Hit], total: int, frequencies: Mapping[str, int]) -> list[dict[str, float]]:
    """One row a hit, in order, of `WITH_VECTORS` if every hit has a cosine, else of `BY_WORDS`.

    `frequencies` has every one of `wanted_terms`, of `total` passages. A hit's row is the same in whatever order the
    hits come.
    """

    def weight(term: str) -> float:
        return rarity(frequencies[term], total)

    asked = _Asked.read(question, weight)
    read = [_Read.of(hit) for hit in hits]
    usual = max(1.0, sum(len(one.body) + len(one.title) for one in read) / max(1, len(read)))
    rows = [_row(asked, hit, one, usual) for hit, one in zip(hits, read, strict=True)]
    for name in ("fused", "bm25"):
        _ratio(rows, name)
    for name in ("coverage", "rare", "alike", "cosine"):
        _below(rows, name)
    for name in ("bm25", "near pairs", "window", "cosine"):
        _standing(rows, name)
    return rows


@dataclass(frozen=True, slots=True)
class _Asked:
    """The question: its informative stems and their weights, and which words stand side by side."""

    weights: Mapping[str, float]
    written: Mapping[str, str]
    pairs: frozenset[tuple[str, str]]
    phrases: frozenset[tuple[str, str]]
    weight: Weight
    whole: float
    squares: float

    @classmethod
    def read(cls, question: str, weight: Weight) -> _Asked:
        every = words(question)
        informative = [word for word in every if word not in STOP_WORDS] or every
        stems = _stems(informative)
        weights = {term: weight(term) for term in stems}
        return cls(
            weights=weights,
            written=dict(zip(informative, stems, strict=True)),
            pairs=frozenset(pair for pair in pairwise(stems) if pair[0] != pair[1]),
            phrases=frozenset(pairwise(_stems(every))),
            weight=weight,
            whole=math.fsum(weights.values()),
            squares=math.fsum(weight * weight for weight in weights.values()),
        )

    def share(self, terms: Collection[str]) -> float:
        """How much of the question's weight stands in these."""
        return share(math.fsum([weight for term, weight in self.weights.items() if term in terms]), self.whole)

    def phrases_in(self, read: _Read) -> int:
        """How many of the question's neighbouring words stand so in the body or the title."""
        return len(self.phrases.intersection(pairwise(read.body)) | self.phrases.intersection(pairwise(read.title)))

    def written_in(self, read: _Read) -> set[str]:
        """The terms whose words stand in the body or the title as they are written in the question."""
        there = self.written.keys() & read.written
        return {self.written[word] for word in there}

    def rare_share(self, terms: Collection[str]) -> float:
        """The same by the weights' squares."""
        found = math.fsum([weight * weight for term, weight in self.weights.items() if term in terms])
        return share(found, self.squares)


@dataclass(frozen=True, slots=True)
class _Read:
    """A hit's words, stemmed, by where they stand; `written` are those of the body and title as they are."""

    title: list[str]
    headings: list[str]
    body: list[str]
    written: frozenset[str]
    everywhere: frozenset[str]

    @classmethod
    def of(cls, hit: Hit) -> _Read:
        title, body = words(hit.document.title), words(hit.passage.text)
        headings = "\n".join(heading for heading in hit.passage.headings if heading != hit.document.title)
        fields = _stems(title), _stems(words(headings)), _stems(body)
        everywhere = frozenset(_stems(words(hit.passage.about))).union(*fields)
        return cls(*fields, written=frozenset(title + body), everywhere=everywhere)


def _stems(some: Iterable[str]) -> list[str]:
    return list(map(stem, some))


def _row(asked: _Asked, hit: Hit, read: _Read, usual: float) -> dict[str, float]:
    """What is known of one hit by itself; `usual` is the hits' mean length in words."""
    body, title = _places(asked, read.body), _places(asked, read.title)
    row = {
        "fused": hit.score,
        "keyword rank": math.log(hit.keyword_rank or UNLISTED),
        "bm25": _bm25(asked, read, body, title, usual),
        "coverage": asked.share(read.everywhere),
        "title": asked.share(title),
        "headings": asked.share(set(read.headings)),
        "rare": asked.rare_share(read.everywhere),
        "alike": _alike(asked, read.everywhere),
        "as written": asked.share(asked.written_in(read)),
        "near pairs": _near_pairs(asked, body, title),
        "phrases": share(asked.phrases_in(read), len(asked.phrases)),
        "window": _window(asked, body),
        "topic": _topic(asked, read.title),
        "length": math.log(1 + len(read.body)),
    }
    if hit.cosine is not None:
        row |= {"vector rank": math.log(hit.vector_rank or UNLISTED), "cosine": hit.cosine}
    return row


def _bm25(asked: _Asked, read: _Read, body: _Places, title: _Places, usual: float) -> float:
    """As a share of what a passage full of every term would have."""
    slack = _K1 * (1 - _B + _B * (len(read.body) + len(read.title)) / usual)

    def count(term: str) -> int:
        return len(body.get(term, ())) + read.headings.count(term) + _TITLE * len(title.get(term, ()))

    counts = [(weight, count(term)) for term, weight in asked.weights.items()]
    return share(math.fsum([weight * times / (times + slack) for weight, times in counts]), asked.whole)


def _places(asked: _Asked, stems: Sequence[str]) -> _Places:
    """Where each of the question's terms stands."""
    weights = asked.weights
    places: dict[str, list[int]] = {}
    for place in [at for at, term in enumerate(stems) if term in weights]:
        places.setdefault(stems[place], []).append(place)
    return places


def _alike(asked: _Asked, terms: Collection[str]) -> float:
    sought = {term[:_STEMMED_ALIKE] for term in asked.weights if term not in terms}
    if not sought:
        return asked.share(asked.weights)
    begun = {start for term in terms if len(term) >= _STEMMED_ALIKE and (start := term[:_STEMMED_ALIKE]) in sought}
    return asked.share({term for term in asked.weights if term in terms or term[:_STEMMED_ALIKE] in begun})


def _near_pairs(asked: _Asked, *fields: _Places) -> float:
    """A pair weighs what the commoner of its two words does."""

    def near(one: str, other: str) -> bool:
        return any(
            abs(here - there) <= 3
            for places in fields
            for here in places.get(one, ())
            for there in places.get(other, ())
        )

    weights = {pair: min(asked.weights[pair[0]], asked.weights[pair[1]]) for pair in asked.pairs}
    return share(math.fsum(weight for pair, weight in weights.items() if near(*pair)), math.fsum(weights.values()))


def _window(asked: _Asked, places: _Places) -> float:
    standing = sorted((place, term) for term, all_ in places.items() for place in all_)
    held: Counter[str] = Counter()
    best = weight = 0.0
    first = 0
    for place, term in standing:
        weight += 0.0 if held[term] else asked.weights[term]
        held[term] += 1
        while standing[first][0] <= place - WINDOW:
            gone = standing[first][1]
            held[gone] -= 1
            weight -= 0.0 if held[gone] else asked.weights[gone]
            first += 1
        best = max(best, weight)
    return share(best, asked.whole)


def _topic(asked: _Asked, title: Iterable[str]) -> float:
    weights = {term: asked.weight(term) for term in title}
    named = math.fsum(weight for term, weight in weights.items() if term in asked.weights)
    return share(named, math.fsum(weights.values()))


def _ratio(rows: Sequence[dict[str, float]], name: str) -> None:
    best = max((row[name] for row in rows), default=0.0)
    for row in rows:
        row[f"{name} / best"] = share(row[name], best)


def _below(rows: Sequence[dict[str, float]], name: str) -> None:
    held = [row[name] for row in rows if name in row]
    for row in rows:
        if name in row:
            row[f"{name} - best"] = row[name] - max(held)


def _standing(rows: Sequence[dict[str, float]], name: str) -> None:
    held = [row[name] for row in rows if name in row]
    if not held:
        return
    mean = math.fsum(held) / len(held)
    spread = math.sqrt(math.fsum((value - mean) ** 2 for value in held) / len(held))
    for row in rows:
        if name in row:
            row[f"{name} standing"] = share(row[name] - mean, spread)
