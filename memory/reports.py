"""What the people who run the bot may look at: what was declined, and what was marked down. Never by whom."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory.columns import utc, utc_text
from memory.turn import Fault, TurnKind

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from memory.file import MemoryFile


@dataclass(frozen=True, slots=True)
class Declined:
    """A question, standing alone, that the documents did not answer."""

    question: str
    at: datetime


@dataclass(frozen=True, slots=True)
class MarkedDown:
    """A question whose answer someone marked down; `passages` are the ids of those it stood on, none if declined.

    `faults` and `comments` are what people gave as their reasons.
    """

    trace_id: str
    question: str
    kind: TurnKind
    at: datetime
    passages: tuple[str, ...]
    faults: tuple[Fault, ...] = ()
    comments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ratings:
    """How many marks up and down there are."""

    good: int
    bad: int


class Reports:
    """Reads the memory file. Every method may raise `MemoryUnavailable`; `since` is an aware time, None for all."""

    def __init__(self, file: MemoryFile) -> None:
        self._file = file

    async def declined(self, since: datetime | None = None) -> Sequence[Declined]:
        """What people asked that the documents lack, oldest first."""
        query = "SELECT standalone, at FROM turns WHERE kind = ? AND at >= ? ORDER BY at, id"
        rows = await self._file.read(lambda db: db.execute(query, [TurnKind.UNGROUNDED.value, _from(since)]).fetchall())
        return [Declined(question, utc(at)) for question, at in rows]

    async def marked_down(self, since: datetime | None = None) -> Sequence[MarkedDown]:
        """What at least one person marked down, oldest first."""
        query = """
            SELECT trace_id, standalone, kind, at, (
                SELECT json_group_array(id) FROM (SELECT id FROM sources WHERE turn = turns.id ORDER BY position)
            ), (
                SELECT json_group_array(reason) FROM (SELECT reason FROM ratings WHERE turn = turns.id AND reason != '')
            ), (
                SELECT json_group_array(comment) FROM (
                    SELECT comment FROM ratings WHERE turn = turns.id AND comment != ''
                )
            )
            FROM turns WHERE at >= ? AND id IN (SELECT turn FROM ratings WHERE NOT good) ORDER BY at, id
        """
        rows = await self._file.read(lambda db: db.execute(query, [_from(since)]).fetchall())
        return [
            MarkedDown(
                trace,
                question,
                TurnKind(kind),
                utc(at),
                tuple(json.loads(ids)),
                tuple(map(Fault, json.loads(faults))),
                tuple(json.loads(comments)),
            )
            for trace, question, kind, at, ids, faults, comments in rows
        ]

    async def ratings(self, since: datetime | None = None) -> Ratings:
        """The marks of all people."""
        query = """
            SELECT coalesce(sum(good), 0), count(*) FROM ratings WHERE turn IN (SELECT id FROM turns WHERE at >= ?)
        """
        [(good, marks)] = await self._file.read(lambda db: db.execute(query, [_from(since)]).fetchall())
        return Ratings(good, marks - good)


def _from(since: datetime | None) -> str:
    return "" if since is None else utc_text(since)
