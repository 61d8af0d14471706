"""Whether a statement gives a figure in the place of another: "adults 5 mg, children 10 mg" for the reverse."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from bot.quantities import Quantity, comparable, in_order
from retrieval.terms import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_Token: TypeAlias = str | Quantity

_CLOSE = 2.0
"""So much of the same wording around two figures says that they stand in the same place."""
_FUNCTION = 0.25
"""What a function word counts of that, or another figure; a telling word counts one."""

_FAR = 30
"""Words beside a figure that are looked at, each way."""
_MOST = 40
"""A statement of more figures is no sentence, and would take long to compare."""


def exchanged(statement: str, evidence: str) -> bool:
    """Whether a figure stands where the evidence has the same words around another one, and nowhere around it.

    The places of the evidence that are most alike decide. A figure whose surroundings have no likeness there, as in a
    free paraphrase, is let pass: that it is borne at all is `bot.quantities`' to say.
    """
    said, held = in_order(statement), in_order(evidence)
    places = [at for at, token in enumerate(held) if isinstance(token, Quantity)]
    if sum(isinstance(token, Quantity) for token in said) > _MOST:
        return True
    for at, token in enumerate(said):
        if not isinstance(token, Quantity):
            continue
        alike = {place: _around(said, at, held, place) for place in places}
        most = max(alike.values(), default=0.0)
        nearest = [held[place] for place in places if alike[place] == most]
        if most >= _CLOSE and not any(_equal(token, other) for other in nearest):
            return True
    return False


def _around(said: Sequence[_Token], at: int, held: Sequence[_Token], place: int) -> float:
    """The weight of the words that run alike before and behind the two figures."""
    before = zip(reversed(said[max(0, at - _FAR) : at]), reversed(held[max(0, place - _FAR) : place]), strict=False)
    behind = zip(said[at + 1 : at + 1 + _FAR], held[place + 1 : place + 1 + _FAR], strict=False)
    return sum(_run(before)) + sum(_run(behind))


def _run(pairs: Iterator[tuple[_Token, _Token]]) -> Iterator[float]:
    for one, other in pairs:
        if isinstance(one, Quantity) and isinstance(other, Quantity):
            yield _FUNCTION
        elif one == other:
            yield _FUNCTION if one in STOP_WORDS else 1.0
        else:
            return


def _equal(token: _Token, other: _Token) -> bool:
    """Whether two figures may be the same; one without a unit, or a share and percent, is for others to judge."""
    if not (isinstance(token, Quantity) and isinstance(other, Quantity)):
        return False
    units = {token.unit, other.unit}
    alike = comparable(token) == comparable(other)
    return alike or ("" in units and (token.value, token.limit) == (other.value, other.limit)) or units == {"", "%"}
