"""Where the app is installed: the SDK's stores of installations and of OAuth states, in a file of the owner's alone."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast

from slack_sdk.oauth.installation_store.sqlite3 import SQLite3InstallationStore
from slack_sdk.oauth.state_store.sqlite3 import SQLite3OAuthStateStore

from memory.errors import explained
from memory.file import MemoryFile

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from slack_sdk.oauth.installation_store.models.bot import Bot
    from sqlite_utils import Database

    from adapters.slack.origin import Origin

T = TypeVar("T")

_SILENT = logging.getLogger(f"{__name__}.sdk")
_SILENT.setLevel(logging.CRITICAL)  # the SDK logs states, and errors that are raised here


@dataclass(frozen=True, slots=True)
class Place:
    """What an installation is stored under: a workspace, or with no `team` an organisation as a whole."""

    enterprise: str
    team: str


def _workspaces(db: Database) -> None:
    """Which installation speaks in a workspace. The SDK finds none without its organisation, which few calls know."""
    db.execute("CREATE TABLE workspaces (team TEXT PRIMARY KEY, enterprise TEXT NOT NULL, installed_as TEXT NOT NULL)")


STEPS = (_workspaces,)


class Installations:
    """The bot tokens, and the states of installations under way, each good for `state_seconds` and once.

    Tokens stand in the file as they are: it is readable by its owner only, and what is deleted is overwritten. Of a
    workspace the latest token is kept, and none of the person who installed. Every method may raise
    `MemoryUnavailable`, where the SDK would say that there is no such installation.
    """

    def __init__(self, path: Path, client_id: str, *, state_seconds: int = 600) -> None:
        self._client_id = client_id
        self._state_seconds = state_seconds
        self._file = MemoryFile(path, steps=STEPS)

    async def open(self) -> None:
        """Make the file, or see to it that an older one is the owner's alone."""
        await asyncio.to_thread(self._prepare)
        await self._file.open()

    async def close(self) -> None:
        """Let go of the file. Calling it again does nothing."""
        await self._file.close()

    async def at(self, origin: Origin) -> Place | None:
        """The installation through which something from there came to us."""
        places = [Place(origin.enterprise, origin.team), Place("", origin.team), Place(origin.enterprise, "")]
        if origin.org_wide:
            places.reverse()

        def first(db: Database) -> Place | None:
            sought = [place for place in places if place != Place("", "")]
            return next((place for place in sought if _found(db, self._client_id, place) is not None), None)

        return await self._file.read(first)

    async def of(self, team: str) -> Place | None:
        """The installation that speaks in a workspace of which something came before."""
        query = "SELECT enterprise, installed_as FROM workspaces WHERE team = ?"
        row = await self._file.read(lambda db: db.execute(query, [team]).fetchone())
        return None if row is None else Place(*row)

    async def bot(self, place: Place) -> Bot | None:
        """What is stored of it: who we are there, the token, and what renews it."""
        return await self._file.read(lambda db: _found(db, self._client_id, place))

    async def keep(self, place: Place, bot: Bot) -> None:
        """Store an installation in place of an earlier one of the same place."""

        def save(db: Database) -> None:
            _delete(db, self._client_id, place)
            _run(db, lambda bound: _Bound(bound, self._client_id).save_bot(bot))

        await self._file.write(save, scrub=True)

    async def note(self, team: str, place: Place) -> None:
        """Remember through which installation a workspace is heard."""
        insert = "INSERT OR REPLACE INTO workspaces (team, enterprise, installed_as) VALUES (?, ?, ?)"
        await self._file.write(lambda db: db.execute(insert, [team, place.enterprise, place.team]))

    async def workspaces_of(self, place: Place) -> list[str]:
        """The workspaces that were heard through an installation."""
        query = "SELECT team FROM workspaces WHERE enterprise = ? AND installed_as = ? ORDER BY team"
        rows = await self._file.read(lambda db: db.execute(query, [place.enterprise, place.team]).fetchall())
        return [team for (team,) in rows]

    async def all(self) -> list[Place]:
        """Every place where the app is installed."""
        query = "SELECT DISTINCT enterprise_id, team_id FROM slack_bots WHERE client_id = ?"
        rows = await self._file.read(lambda db: db.execute(query, [self._client_id]).fetchall())
        return [Place(*row) for row in rows]

    async def drop(self, place: Place) -> None:
        """Delete the token. Which workspaces were heard through it stays known until they are forgotten."""
        await self._file.write(lambda db: _delete(db, self._client_id, place), scrub=True)

    async def forget(self, teams: Sequence[str]) -> None:
        """Delete that there were these workspaces."""
        await self._file.write(
            lambda db: db.conn.executemany("DELETE FROM workspaces WHERE team = ?", [(team,) for team in teams]),
            scrub=True,
        )

    async def issue(self) -> str:
        """A new state, which cannot be guessed."""

        def issued(db: Database) -> str:
            db.execute("DELETE FROM oauth_states WHERE expire_at <= ?", [time.time()])
            return _run(db, lambda bound: _BoundStates(bound, self._state_seconds).issue())

        return await self._file.write(issued)

    async def consume(self, state: str) -> bool:
        """Whether it was issued, is not too old, and was not used before. It is used now."""

        def consumed(db: Database) -> bool:
            db.execute("DELETE FROM oauth_states WHERE expire_at <= ?", [time.time()])
            return _run(db, lambda bound: _BoundStates(bound, self._state_seconds).consume(state))

        return await self._file.write(consumed)

    def _prepare(self) -> None:
        path = self._file.path
        with explained(path):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.touch(mode=0o600)
            path.chmod(0o600)
            with sqlite3.connect(path) as made:
                tables = {name for (name,) in made.execute("SELECT name FROM sqlite_master")}
            made.close()
            store = SQLite3InstallationStore(database=str(path), client_id=self._client_id, logger=_SILENT)
            states = SQLite3OAuthStateStore(database=str(path), expiration_seconds=0, logger=_SILENT)
            if "slack_bots" not in tables:
                store.create_tables()  # type: ignore[no-untyped-call]  # untyped in the SDK
            if "oauth_states" not in tables:
                states.create_tables()  # type: ignore[no-untyped-call]  # untyped in the SDK


class _Transaction:
    """A transaction that is open already, as the connection that the SDK asks for. It keeps what the SDK swallows."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self.fault: sqlite3.Error | None = None

    def __enter__(self) -> _Transaction:
        return self

    def __exit__(self, *_: object) -> None:
        """It is committed, or not, by whoever opened it."""

    def commit(self) -> None:
        """The same."""

    def execute(self, statement: str, parameters: Sequence[Any] = ()) -> sqlite3.Cursor:
        """Execute a statement."""
        try:
            return self._db.conn.execute(statement, parameters)
        except sqlite3.Error as error:
            self.fault = error
            raise


class _Bound(SQLite3InstallationStore):
    """The SDK's store within a transaction."""

    def __init__(self, bound: _Transaction, client_id: str) -> None:
        super().__init__(database="", client_id=client_id, logger=_SILENT)
        self._bound = bound

    def connect(self) -> sqlite3.Connection:
        return cast("sqlite3.Connection", self._bound)


class _BoundStates(SQLite3OAuthStateStore):
    """The same for states."""

    def __init__(self, bound: _Transaction, seconds: int) -> None:
        super().__init__(database="", expiration_seconds=seconds, logger=_SILENT)
        self._bound = bound

    def connect(self) -> sqlite3.Connection:
        return cast("sqlite3.Connection", self._bound)


def _run(db: Database, work: Callable[[_Transaction], T]) -> T:
    bound = _Transaction(db)
    result = work(bound)
    if bound.fault is not None:
        raise bound.fault
    return result


def _found(db: Database, client_id: str, place: Place) -> Bot | None:
    return _run(
        db,
        lambda bound: _Bound(bound, client_id).find_bot(
            enterprise_id=place.enterprise, team_id=place.team, is_enterprise_install=not place.team
        ),
    )


def _delete(db: Database, client_id: str, place: Place) -> None:
    _run(db, lambda bound: _Bound(bound, client_id).delete_bot(enterprise_id=place.enterprise, team_id=place.team))
