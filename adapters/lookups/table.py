"""A table as a look-up: its rows in a SQLite database in memory that takes no writing, found by bound parameters."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import sqlite3
from dataclasses import dataclass
from datetime import date
from threading import Lock
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, create_model

from adapters.lookups.read import cells
from adapters.lookups.row import STRICT, checked, may_be_shown, named, origin_of, result_model, shown
from bot.lookup import FEW, Card, Found, LookupFailed, Row
from bot.lookup_days import TELLING, weekday_of
from bot.lookup_vocabulary import KeyIndex, Vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from pydantic import BaseModel

    from adapters.lookups.settings import TableSettings
    from bot.messages import Author

logger = logging.getLogger(__name__)

_MOST_VALUES = 20
_LOOKED_AT = 1_000


@dataclass(frozen=True, slots=True)
class _Loaded:
    """What was read of the file when it was as `stamp` says."""

    stamp: tuple[int, int]
    rows: sqlite3.Connection
    vocabulary: Vocabulary


class Table:
    """A `Lookup` over one declared table below `home`; read anew whenever its file has changed."""

    def __init__(self, name: str, settings: TableSettings, home: Path) -> None:
        self._settings = settings
        self._file = home / settings.file.expanduser()
        self._columns = tuple(settings.columns)
        self._lock = Lock()
        self._loaded: _Loaded | None = None
        self.card = _card(name, settings)

    def vocabulary(self) -> Vocabulary:
        """The words of the file as it is now."""
        return self._now().vocabulary

    async def run(self, arguments: BaseModel, author: Author, *, start: int = 0, most: int = FEW) -> Found:
        """The rows with one of the given values in each key; of a personal table the author's own alone."""
        given = arguments.model_dump(exclude_none=True)
        if self._settings.person is not None:
            given[self._settings.person] = [author.id]
        where = " AND ".join(f"{self._at(name)} IN ({', '.join('?' * len(values))})" for name, values in given.items())
        bound = [value for values in given.values() for value in values]
        count, found = await asyncio.to_thread(self._select, where or "1", bound, start, most)
        return Found(tuple(found.values()), count)

    async def again(self, row_ids: Sequence[str], author: Author) -> dict[str, Row]:
        """The rows of these ids that are there and, in a personal table, the author's."""
        where, bound = f"id IN ({', '.join('?' * len(row_ids))})", [*row_ids]
        if self._settings.person is not None:
            where, bound = f"{where} AND {self._at(self._settings.person)} = ?", [*bound, author.id]
        _, found = await asyncio.to_thread(self._select, where, bound, 0, len(row_ids))
        return found

    def close(self) -> None:
        """Let go of the rows."""
        with self._lock:
            if self._loaded is not None:
                self._loaded.rows.close()
                self._loaded = None

    def _select(self, where: str, bound: Sequence[str], start: int, most: int) -> tuple[int, dict[str, Row]]:
        """`where` is made of our own numbered columns; what people and files say is bound. Blocking."""
        rows = self._now().rows
        named_columns = ", ".join(["id", *map(self._at, self._columns)])
        with self._lock:
            [count] = rows.execute(f"SELECT count(*) FROM row WHERE {where}", bound).fetchone()  # noqa: S608 - as above
            found = rows.execute(
                f"SELECT {named_columns} FROM row WHERE {where} ORDER BY rowid LIMIT ? OFFSET ?",  # noqa: S608 - as above
                [*bound, most, start],
            ).fetchall()
        return count, {row_id: self._row(row_id, texts) for row_id, *texts in found}

    def _at(self, column: str) -> str:
        return f"c{self._columns.index(column)}"

    def _row(self, row_id: str, texts: Sequence[str]) -> Row:
        by_name = dict(zip(self._columns, texts, strict=True))
        origin = origin_of(self._settings, self.card, by_name, self._settings.as_of)
        place, written = f"a row of {self._file.name}", {name: by_name[name] for name in self.card.columns}
        values = checked(self.card, written, place)
        may_be_shown(self.card, written, place)
        return Row(row_id, values, written, origin)

    def _now(self) -> _Loaded:
        try:
            found = self._file.stat()
        except OSError as error:
            msg = f"look-up {self.card.name}: {self._file} cannot be read ({error.strerror})"
            raise LookupFailed(msg) from None
        stamp = (found.st_mtime_ns, found.st_size)
        with self._lock:
            if self._loaded is None or self._loaded.stamp != stamp:
                loaded = self._load(stamp)
                if self._loaded is not None:
                    self._loaded.rows.close()
                self._loaded = loaded
            return self._loaded

    def _load(self, stamp: tuple[int, int]) -> _Loaded:
        said = self._settings
        headers = [column.header or name for name, column in said.columns.items()]
        try:
            first: dict[str, str] = {}
            read = [self._spelt(row, first) for row in cells(self._file, headers, said.view)]
        except LookupFailed as error:
            msg = f"look-up {self.card.name}: {error}"
            raise LookupFailed(msg) from None
        kept = [row for row in read if row is not None]
        if len(kept) < len(read):
            left_out = len(read) - len(kept)
            logger.error("look-up %s: %d rows whose keys do not fit their types are left out", self.card.name, left_out)
        keys = {}
        for name in self.card.keys:
            at = self._columns.index(name)
            keys[name] = KeyIndex.of(
                said.columns[name].type, (row[at] for row in kept if row[at]), exact=said.columns[name].exact
            )
        return _Loaded(stamp, self._filled(kept), _vocabulary(said, self.card, keys, self._timely(kept)))

    def _timely(self, rows: Sequence[Sequence[str]]) -> list[str]:
        """The columns that are declared as text and tell times or days, as far as some rows show."""
        text = [name for name in self.card.columns if self._settings.columns[name].type == "text"]
        some = rows[:_LOOKED_AT]
        return [name for name in text if any(TELLING.search(row[self._columns.index(name)]) for row in some)]

    def _spelt(self, row: tuple[str, ...], first: dict[str, str]) -> tuple[str, ...] | None:
        """Days in their one spelling, keys as they are spelt `first`; None where one should be a day and is none.

        SQLite takes "Ä" and "ä" for two letters.
        """
        spelt = list(row)
        for name in self.card.keys:
            at, kind = self._columns.index(name), self._settings.columns[name].type
            if kind == "weekday":
                if (day := weekday_of(row[at])) is None:
                    return None
                spelt[at] = day
            elif kind == "date":
                try:
                    spelt[at] = date.fromisoformat(row[at][:10]).isoformat()
                except ValueError:
                    return None
            elif not row[at].isascii():
                spelt[at] = first.setdefault(row[at].casefold(), row[at])
        return tuple(spelt)

    def _filled(self, rows: Iterable[tuple[str, ...]]) -> sqlite3.Connection:
        connection = sqlite3.connect(":memory:", check_same_thread=False)
        columns = [f"c{at}" for at in range(len(self._columns))]
        exact = self._at(self._settings.person) if self._settings.person else ""  # ids differ in capitals alone
        collated = ", ".join(f"{one} TEXT COLLATE {'BINARY' if one == exact else 'NOCASE'}" for one in columns)
        connection.execute(f"CREATE TABLE row (id TEXT, {collated})")
        holes = ", ".join("?" * (len(columns) + 1))
        connection.executemany(f"INSERT INTO row VALUES ({holes})", self._numbered(rows))  # noqa: S608 - holes alone
        for name in [*self.card.keys, *([self._settings.person] if self._settings.person else [])]:
            connection.execute(f"CREATE INDEX by_{self._at(name)} ON row ({self._at(name)})")
        connection.execute("CREATE INDEX by_id ON row (id)")
        connection.execute("ANALYZE")
        connection.commit()
        connection.execute("PRAGMA query_only = ON")
        return connection

    def _numbered(self, rows: Iterable[tuple[str, ...]]) -> Iterable[tuple[str, ...]]:
        """Each row behind its id: a hash of its keys, and its number among those of the same keys."""
        named = [self._columns.index(name) for name in self.card.keys]
        if self._settings.person is not None:
            named.append(self._columns.index(self._settings.person))
        seen: dict[str, int] = {}
        for row in rows:
            digest = hashlib.sha256(json.dumps([row[at] for at in named]).encode()).hexdigest()[:24]
            seen[digest] = seen.get(digest, 0) + 1
            yield (f"{digest}-{seen[digest]}", *row)


def _card(name: str, said: TableSettings) -> Card:
    columns = shown(said, said.columns)
    values = Annotated[list[Annotated[str, Field(max_length=2000)]], Field(min_length=1, max_length=_MOST_VALUES)]
    arguments: dict[str, Any] = dict.fromkeys(said.keys, (values | None, None))
    return Card(
        name=name,
        answers=said.answers or said.title,
        title=said.title,
        arguments=create_model(f"{name}_arguments", __config__=STRICT, **arguments),
        result=result_model(name, {key: said.columns[key].type for key in columns}),
        columns=columns,
        keys=tuple(key for key in said.keys if key in columns),
        collections=said.collections,
        personal=said.person is not None,
        template=said.template,
        seconds=said.seconds,
    )


def _vocabulary(said: TableSettings, card: Card, keys: dict[str, KeyIndex], timely: Iterable[str]) -> Vocabulary:
    required = said.required if said.required is not None else () if said.person else card.keys[:1]
    return Vocabulary.of(
        keys,
        named(said, card.columns),
        (said.title, *said.about),
        types={name: said.columns[name].type for name in card.columns},
        required=required,
        personal=card.personal,
        timely=timely,
    )
