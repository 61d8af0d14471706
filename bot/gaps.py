"""What people asked and the documents lack: the same and near questions together, without what tells who asked."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.redact import redacted, without_placeholders
from retrieval.terms import terms

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from memory.reports import Declined

ALIKE = 0.5
"""Questions are near that share this part of all the informative words of both, stemmed."""


@dataclass(frozen=True, slots=True)
class Gap:
    """One thing that is lacking. `question` is the newest wording of those that asked for it."""

    question: str
    times: int
    first: datetime
    last: datetime


@dataclass(slots=True)
class _Group:
    stems: frozenset[str]
    newest: Declined
    oldest: Declined
    times: int = 1


def gaps(declined: Iterable[Declined]) -> list[Gap]:
    """The gaps, the most frequent first, and of those as frequent the newest.

    What holds no word ("+", "???") asks for nothing that a document could say, and is left out.
    """
    groups: list[_Group] = []
    holding: dict[str, list[int]] = defaultdict(list)
    for one in sorted(declined, key=lambda one: one.at, reverse=True):
        stems = frozenset(terms(without_placeholders(redacted(one.question))))
        if not stems:
            continue
        near = _nearest(stems, groups, holding)
        if near is None:
            for stem in stems:
                holding[stem].append(len(groups))
            groups.append(_Group(stems, one, one))
        else:
            near.oldest, near.times = one, near.times + 1
    found = [Gap(redacted(one.newest.question), one.times, one.oldest.at, one.newest.at) for one in groups]
    return sorted(found, key=lambda gap: (gap.times, gap.last), reverse=True)


def _nearest(stems: frozenset[str], groups: list[_Group], holding: dict[str, list[int]]) -> _Group | None:
    """The group whose newest question shares most with these stems, if that is enough."""
    shared = Counter(number for stem in stems for number in holding.get(stem, ()))
    alike = {number: count / len(stems | groups[number].stems) for number, count in shared.items()}
    best = max(alike, key=alike.__getitem__, default=None)
    return None if best is None or alike[best] < ALIKE else groups[best]
