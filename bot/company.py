"""Whether a statement's figure stands with the words that it has in the evidence, or with those of another one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from bot.opposites import has_opposite
from bot.quantities import Quantity, comparable, in_order
from bot.units import UNIT
from retrieval.terms import STOP_WORDS, stem

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

_Token: TypeAlias = str | Quantity

_SENTENCE = re.compile(r"[.!?\u2026]+[\"'\u201d\u2019)\]]*(?=\s|$)")
_CLAUSE = re.compile(r"([,;]\s|\s(?:and|but|while|whereas|or)\s)", re.IGNORECASE)
_FIGURE = 0.25
"""What another figure counts beside a word: a whole row may be put under another name."""
_SAID_BEFORE = 0.95
"""What is left of a word's weight in the later clauses, which may go on from it."""
_MOST = 60
"""So many clauses with figures are compared; a longer text is no quote of a sentence."""
_UNITS = frozenset(UNIT.casefold().split("|"))


@dataclass(frozen=True, slots=True)
class _Clause:
    """The figures of a clause, and how much each of its telling words, and each figure, belongs to it."""

    figures: frozenset[Quantity]
    words: Mapping[_Token, float]

    def of_kind(self, kind: str) -> frozenset[Quantity]:
        """Those of its figures."""
        return frozenset(figure for figure in self.figures if _kind(figure) == kind)


def out_of_company(statement: str, evidence: str) -> bool:
    """Whether a figure stands with words that go with another figure of its kind, however they are worded.

    Of "Adults: 1 g. Children: 250 mg." it is "the dose for children is 1 g": among the evidence's clauses with such a
    figure, one that has only others has more of the statement's words than any that has this one.
    """
    said = list(_clauses(statement))
    held = list(_clauses(evidence))[:_MOST] if said else []
    return any(_astray(figure, clause, held) for clause in said for figure in clause.figures)


def _astray(figure: Quantity, clause: _Clause, held: Sequence[_Clause]) -> bool:
    kind = _kind(figure)
    alike = {at: figures for at, other in enumerate(held) if (figures := other.of_kind(kind))}
    bearing = [held[at] for at, figures in alike.items() if figure in figures]
    rivals = [held[at] for at, figures in alike.items() if not figures <= clause.figures]
    rivals = [one for one in rivals if one not in bearing]
    if not bearing or not rivals:
        return False
    words = {word: weight for word, weight in clause.words.items() if word != figure}
    return max(_shared(words, other) for other in rivals) > max(_shared(words, other) for other in bearing)


def _shared(words: Mapping[_Token, float], clause: _Clause) -> float:
    return sum(min(weight, clause.words.get(word, 0.0)) for word, weight in words.items())


def _kind(figure: Quantity) -> str:
    """Which figures may be put for one another: those of one unit, clock times, weekdays, bare numbers."""
    if figure.unit.startswith("times/"):
        return "rate"
    name = figure.value.partition(" ")[0]
    return figure.unit or (name if name.isalpha() else "")


def _clauses(text: str) -> Iterator[_Clause]:
    """The clauses with figures; those of one sentence that have no figure of a kind in common are one.

    A sentence may go on from the one before it; what no sentence ends, an item or a row, stands alone.
    """
    before: dict[_Token, float] = {}
    for line in text.splitlines():
        for sentence in _SENTENCE.split(line):
            for tokens in _parts(sentence):
                own: dict[_Token, float] = {
                    token: 1.0 if isinstance(token, str) else _FIGURE for token in map(_telling, tokens) if token
                }
                figures = frozenset(token for token in own if isinstance(token, Quantity))
                if figures:
                    yield _Clause(figures, _going_on(before, own, figures) | own)
                before = own | before
        if not line.rstrip().endswith((".", "!", "?")):
            before = {}


def _going_on(
    before: Mapping[_Token, float], own: Mapping[_Token, float], figures: Collection[Quantity]
) -> dict[_Token, float]:
    """What a clause takes over from those before it: words, for less if it has its own, and figures of other kinds."""
    kinds = {_kind(figure) for figure in figures}
    of_words = _SAID_BEFORE if any(isinstance(token, str) for token in own) else 1.0
    return {
        token: weight * of_words if isinstance(token, str) else weight
        for token, weight in before.items()
        if isinstance(token, str) or _kind(token) not in kinds
    }


def _parts(sentence: str) -> Iterator[Sequence[_Token]]:
    begun, tokens = "", list[_Token]()
    for mark, text in _pieces(sentence):
        more = in_order(text)
        if _go_apart(tokens, more):
            yield in_order(begun)
            begun, tokens = text, more
        else:
            begun, tokens = begun + mark + text, tokens + more
    yield in_order(begun)


def _pieces(sentence: str) -> Iterator[tuple[str, str]]:
    first, *more = _CLAUSE.split(sentence)
    yield "", first
    yield from zip(more[::2], more[1::2], strict=True)


def _go_apart(left: Sequence[_Token], right: Sequence[_Token]) -> bool:
    """Whether both have a figure of one kind, and it is no list like "2 or 4 weeks" that they are torn from."""
    kinds = [{_kind(comparable(token)) for token in side if isinstance(token, Quantity)} for side in (left, right)]
    if kinds[0].isdisjoint(kinds[1]):
        return False
    last, first = left[-1], right[0]
    if not (isinstance(last, Quantity) and isinstance(first, Quantity)):
        return True
    return last.unit not in {"", first.unit}


def _telling(token: _Token) -> _Token | None:
    if isinstance(token, Quantity):
        return comparable(token)
    return None if token in STOP_WORDS or has_opposite(token) or token in _UNITS else stem(token)
