"""How many passages a search sees, and in how many of them a stem stands: counted once until something changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval.fts import match_expression, written
from retrieval.sqlite_rows import json_list
from retrieval.terms import stem

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection

_AMONG_SOME = """
    SELECT count(*) FROM ({numbers}) f
    CROSS JOIN passages p INDEXED BY passages_places ON p.number = f.number
    CROSS JOIN documents d ON d.number = p.document
    WHERE (:collections IS NULL OR d.collection IN (SELECT value FROM json_each(:collections)))
    AND d.number NOT IN (SELECT value FROM json_each(:lapsed))
"""
_PASSAGES = _AMONG_SOME.format(numbers="SELECT number FROM passages")
_WITH_WORD = _AMONG_SOME.format(numbers="SELECT rowid AS number FROM passages_fts WHERE passages_fts MATCH :term")
_WITH_STEM = _AMONG_SOME.format(numbers="SELECT DISTINCT doc AS number FROM instances WHERE term = :term")
"""What is matched is stemmed once more. A stem that this would change is read where it stands, which is slower."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What of the index a search sees: these collections, None meaning all, without the documents of these numbers."""

    collections: frozenset[str] | None
    lapsed: frozenset[int]

    @property
    def everything(self) -> bool:
        """Whether nothing is left out."""
        return self.collections is None and not self.lapsed

    @property
    def limits(self) -> dict[str, str | None]:
        """As queries take them."""
        collections = None if self.collections is None else json_list(self.collections)
        return {"collections": collections, "lapsed": json_list(self.lapsed)}


class Counts:
    """The counts of every part of the index that was asked for, at one state of the file."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._changes = -1
        self._parts: dict[Seen, PartCounts] = {}

    def among(self, seen: Seen, changes: int) -> PartCounts:
        """Those of what is seen. `changes` tells states of the file apart."""
        if changes != self._changes:
            self._parts, self._changes = {}, changes
        if seen not in self._parts:
            self._parts[seen] = PartCounts(self._connection, seen)
        return self._parts[seen]


class PartCounts:
    """The counts of one part of the index, while nothing is written."""

    def __init__(self, connection: sqlite3.Connection, seen: Seen) -> None:
        self._connection = connection
        self._seen = seen
        self._known: dict[str, int] = {}
        query = "SELECT count(*) FROM passages" if seen.everything else _PASSAGES
        (self.total,) = connection.execute(query, seen.limits).fetchone()

    def of(self, term: str) -> int:
        """In how many passages a stem stands."""
        if term not in self._known:
            self._known[term] = self._counted(term)
        return self._known[term]

    def of_each(self, terms: Collection[str]) -> tuple[int, dict[str, int]]:
        """The number of passages, and in how many of them each stem stands."""
        return self.total, {term: self.of(term) for term in terms}

    def _counted(self, term: str) -> int:
        everywhere = self._connection.execute("SELECT doc FROM vocabulary WHERE term = ?", (written(term),)).fetchone()
        if everywhere is None:
            return 0
        if self._seen.everything:
            return int(everywhere[0])
        if stem(term) == term:
            query, wanted = _WITH_WORD, match_expression([(term,)])
        else:
            query, wanted = _WITH_STEM, written(term)
        (found,) = self._connection.execute(query, {"term": wanted, **self._seen.limits}).fetchone()
        return int(found)
