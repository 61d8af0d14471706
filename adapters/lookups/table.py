"""A table as a look-up: its rows in a SQLite database in memory that takes no writing, found by bound parameters."""

from __future__ import annotations

import hashlib
import json
import logging
import sqlite3
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from threading import Lock
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, create_model

from adapters.lookups.read import cells
from bot.clean import clean
from bot.instruction import addresses_a_machine
from bot.lookup import FEW, Card, Found, LookupFailed, Origin, Row
from bot.lookup_days import weekday_of
from bot.lookup_vocabulary import KeyIndex, Vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from adapters.lookups.settings import TableSettings
    from bot.messages import Author

logger = logging.getLogger(__name__)

_MOST_VALUES = 20


def _weekday(given: str) -> str:
    if weekday_of(given) is None:
        raise ValueError("no weekday")
    return given


_TYPES: dict[str, Any] = {
    "text": str,
    "integer": int,
    "number": Decimal,
    "date": date,
    "time": Annotated[str, Field(pattern=r"^([01]?\d|2[0-3])[:.][0-5]\d$")],
    "weekday": Annotated[str, AfterValidator(_weekday)],
}


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

    def run(self, arguments: BaseModel, author: Author) -> Found:
        """The rows with one of the given values in each key; of a personal table the author's own alone."""
        given = arguments.model_dump(exclude_none=True)
        if self._settings.person is not None:
            given[self._settings.person] = [author.id]
        where = " AND ".join(f"{self._at(name)} IN ({', '.join('?' * len(values))})" for name, values in given.items())
        bound = [value for values in given.values() for value in values]
        count, found = self._select(where, bound, FEW)
        return Found(tuple(self._row(cells_of) for cells_of in found), count)

    def again(self, row_id: str, author: Author) -> Row | None:
        """The row of this id, if it is there and, in a personal table, the author's."""
        where, bound = "id = ?", [row_id]
        if self._settings.person is not None:
            where, bound = f"{where} AND {self._at(self._settings.person)} = ?", [row_id, author.id]
        _, found = self._select(where, bound, 1)
        return self._row(found[0]) if found else None

    def close(self) -> None:
        """Let go of the rows."""
        with self._lock:
            if self._loaded is not None:
                self._loaded.rows.close()
                self._loaded = None

    def _select(self, where: str, bound: Sequence[str], most: int) -> tuple[int, list[tuple[str, ...]]]:
        """`where` is made of our own numbered columns; what people and files say is bound."""
        rows = self._now().rows
        named = ", ".join(["id", *map(self._at, self._columns)])
        with self._lock:
            [count] = rows.execute(f"SELECT count(*) FROM row WHERE {where}", bound).fetchone()  # noqa: S608 - as above
            found = rows.execute(
                f"SELECT {named} FROM row WHERE {where} ORDER BY rowid LIMIT ?",  # noqa: S608 - as above
                [*bound, most],
            ).fetchall()
        return count, found

    def _at(self, column: str) -> str:
        return f"c{self._columns.index(column)}"

    def _row(self, found: tuple[str, ...]) -> Row:
        """Checked against the result's model. `LookupFailed` says which columns do not fit, and nothing of them."""
        row_id, *texts = found
        by_name = dict(zip(self._columns, texts, strict=True))
        shown = {name: by_name[name] for name in self.card.columns}
        try:
            values = self.card.result.model_validate({name: text or None for name, text in shown.items()})
        except ValidationError as error:
            names = ", ".join(sorted({str(fault["loc"][0]) for fault in error.errors()}))
            msg = f"look-up {self.card.name}: a row of {self._file.name} does not fit in {names}"
            raise LookupFailed(msg) from None
        if any(map(addresses_a_machine, shown.values())):
            msg = f"look-up {self.card.name}: a row of {self._file.name} gives orders to a machine, and is not shown"
            raise LookupFailed(msg)
        if marked := [name for name, text in shown.items() if clean(text) != text]:
            msg = f"look-up {self.card.name}: {', '.join(marked)} has an address or markup, which is not shown"
            raise LookupFailed(msg)
        return Row(row_id, values, shown, self._origin(by_name))

    def _origin(self, cells_of: dict[str, str]) -> Origin:
        said, as_of = self._settings, self._settings.as_of
        if said.as_of_column is not None:
            try:
                as_of = date.fromisoformat(cells_of[said.as_of_column][:10])
            except ValueError:
                msg = f"look-up {self.card.name}: a row does not say its day in {said.as_of_column}, as 2026-11-30"
                raise LookupFailed(msg) from None
        return Origin(said.title, said.owner, as_of, _later(as_of, said.stale_after), _later(as_of, said.expires_after))

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
            read = [self._spelt(row) for row in cells(self._file, headers, said.view)]
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
            keys[name] = KeyIndex.of(said.columns[name].type, (row[at] for row in kept if row[at]))
        return _Loaded(stamp, self._filled(kept), _vocabulary(said, self.card, keys))

    def _spelt(self, row: tuple[str, ...]) -> tuple[str, ...] | None:
        """With days in their one spelling; None where a key is no day and should be."""
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


def _later(day: date | None, days: int | None) -> date | None:
    return None if day is None or days is None else day + timedelta(days)


def _card(name: str, said: TableSettings) -> Card:
    hidden = {said.person, said.as_of_column}
    shown = {key: column for key, column in said.columns.items() if key not in hidden}
    strict = ConfigDict(extra="forbid", frozen=True)
    values = Annotated[list[Annotated[str, Field(max_length=2000)]], Field(min_length=1, max_length=_MOST_VALUES)]
    arguments: dict[str, Any] = dict.fromkeys(said.keys, (values | None, None))
    result: dict[str, Any] = {key: (_TYPES[column.type] | None, None) for key, column in shown.items()}
    return Card(
        name=name,
        answers=said.answers or said.title,
        title=said.title,
        arguments=create_model(f"{name}_arguments", __config__=strict, **arguments),
        result=create_model(f"{name}_result", __config__=strict, **result),
        columns={key: column.label or key.replace("_", " ") for key, column in shown.items()},
        keys=tuple(key for key in said.keys if key in shown),
        collections=said.collections,
        personal=said.person is not None,
        template=said.template,
        seconds=said.seconds,
    )


def _vocabulary(said: TableSettings, card: Card, keys: dict[str, KeyIndex]) -> Vocabulary:
    required = said.required if said.required is not None else () if said.person else card.keys[:1]
    return Vocabulary.of(
        keys,
        {name: (label, name.replace("_", " "), *said.columns[name].synonyms) for name, label in card.columns.items()},
        (said.title, *said.about),
        types={name: said.columns[name].type for name in card.columns},
        required=required,
        personal=card.personal,
    )
