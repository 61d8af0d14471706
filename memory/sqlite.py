"""Memory in the memory file, for everyone who belongs to the organisation."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from memory.columns import storable, utc, utc_text
from memory.conversation import Conversation
from memory.summary import Summary
from memory.turn import AGAIN, Source, Turn, TurnKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from sqlite_utils import Database

    from memory.file import MemoryFile
    from memory.turn import Fault

_TURNS = """
    SELECT turns.*, platform, tenant, channel, thread
    FROM turns JOIN conversations ON conversations.id = turns.conversation
"""
_LOOKED_UP = json.dumps([kind.value for kind in TurnKind if kind.looked_up])
_CLEAN = json.dumps([kind.value for kind in TurnKind if kind.clean])

_FORGET_TURNS = """
    DELETE FROM turns WHERE (:author IS NULL OR author = :author)
    AND (:message IS NULL OR turns.message = :message OR instr(turns.message, :message || :again) = 1)
    AND conversation IN (
        SELECT id FROM conversations WHERE (:key IS NULL OR key = :key)
        AND (:platform IS NULL OR platform = :platform) AND (:tenant IS NULL OR tenant = :tenant)
    )
"""
_FORGET_RATINGS = """
    DELETE FROM ratings WHERE author = :author AND turn IN (
        SELECT turns.id FROM turns JOIN conversations ON conversations.id = turns.conversation
        WHERE (:key IS NULL OR key = :key)
        AND (:platform IS NULL OR platform = :platform) AND (:tenant IS NULL OR tenant = :tenant)
        AND (:message IS NULL OR turns.message = :message OR instr(turns.message, :message || :again) = 1)
    )
"""
_KEEP_SUMMARY = """
    INSERT INTO summaries (conversation, text, covers)
    SELECT id, :text, :covers FROM conversations
    WHERE key = :key AND :before IS (SELECT covers FROM summaries WHERE conversation = conversations.id)
    AND NOT EXISTS (
        SELECT value FROM json_each(:besides) WHERE value NOT IN (
            SELECT trace_id FROM turns
            WHERE conversation = conversations.id AND kind IN (SELECT value FROM json_each(:clean))
        )
    )
    ON CONFLICT (conversation) DO UPDATE SET text = excluded.text, covers = excluded.covers
"""


class SqliteMemory:
    """A `Memory` that outlives the process. What is forgotten is overwritten on the disk.

    Every method may raise `MemoryUnavailable`.
    """

    def __init__(self, file: MemoryFile) -> None:
        self._file = file

    async def record(self, turn: Turn) -> None:
        """Keep one turn with its sources, in place of an earlier one for the same message."""
        await self._file.write(lambda db: _record(db, turn))

    async def turns(self, conversation: Conversation, *, limit: int = 50) -> Sequence[Turn]:
        """The last `limit` turns of every kind, oldest first."""
        query = f"{_TURNS} WHERE key = ? ORDER BY at DESC, turns.id DESC LIMIT ?"
        parameters = [storable(conversation.key), max(limit, 0)]
        newest_first = await self._file.read(lambda db: _load(db, query, parameters))
        return newest_first[::-1]

    async def last_answer(self, place: str, author: str) -> Turn | None:
        """This person's last grounded answer in any thread of the place."""
        query = f"{_TURNS} WHERE author = ? AND kind = ? AND place = ? ORDER BY at DESC, turns.id DESC LIMIT 1"
        parameters = [storable(author), TurnKind.FACT.value, storable(place)]
        found = await self._file.read(lambda db: _load(db, query, parameters))
        return found[0] if found else None

    async def answer_of(self, trace_id: str, *, place: str) -> Turn | None:
        """The turn of that trace in that place."""
        query = f"{_TURNS} WHERE trace_id = ? AND place = ?"
        found = await self._file.read(lambda db: _load(db, query, [storable(trace_id), storable(place)]))
        return found[0] if found else None

    async def summary(self, conversation: Conversation) -> Summary | None:
        """What stands of the conversation's older turns."""
        query = "SELECT text, covers FROM summaries WHERE conversation IN (SELECT id FROM conversations WHERE key = ?)"
        found = await self._file.read(lambda db: db.execute(query, [storable(conversation.key)]).fetchone())
        return None if found is None else Summary(found[0], tuple(json.loads(found[1])))

    async def keep_summary(self, conversation: Conversation, summary: Summary, *, instead_of: Summary | None) -> bool:
        """Keep it if it was grown from what stands, and all that it covers besides stands too."""
        before = () if instead_of is None else instead_of.covers
        parameters = {
            "key": storable(conversation.key),
            "text": storable(summary.text),
            "covers": json.dumps(summary.covers),
            "before": None if instead_of is None else json.dumps(before),
            "besides": json.dumps([trace for trace in summary.covers if trace not in before]),
            "clean": _CLEAN,
        }
        return await self._file.write(lambda db: db.execute(_KEEP_SUMMARY, parameters).rowcount == 1)

    async def rate(
        self, trace_id: str, *, place: str, author: str, good: bool, fault: Fault | None = None, comment: str = ""
    ) -> bool:
        """Note what a person thinks of an answer, if it stands in that place."""
        insert = """
            INSERT INTO ratings (turn, author, good, reason, comment)
            SELECT turns.id, ?, ?, ?, ? FROM turns JOIN conversations ON conversations.id = turns.conversation
            WHERE trace_id = ? AND place = ? AND kind IN (SELECT value FROM json_each(?))
            ON CONFLICT (turn, author) DO UPDATE
            SET good = excluded.good, reason = excluded.reason, comment = excluded.comment
        """
        said = [fault.value if fault else "", storable(comment)]
        values = [storable(author), good, *said, storable(trace_id), storable(place), _LOOKED_UP]
        return await self._file.write(lambda db: db.execute(insert, values).rowcount > 0)

    async def forget(
        self,
        *,
        conversation: Conversation | None = None,
        author: str | None = None,
        platform: str | None = None,
        tenant: str | None = None,
        message: str | None = None,
    ) -> int:
        """Delete what matches all that is given, from the file and its log, and say how many turns went."""
        if conversation is None and author is None:
            raise ValueError("say whose turns to forget: a conversation, an author, or both")
        where = {
            "key": None if conversation is None else conversation.key,
            "author": author,
            "platform": platform,
            "tenant": tenant,
            "message": message,
            "again": AGAIN,
        }
        parameters = {name: None if value is None else storable(value) for name, value in where.items()}

        def delete(db: Database) -> int:
            db.execute(_FORGET_RATINGS, parameters)
            return _delete(db, _FORGET_TURNS, parameters)

        return await self._file.write(delete, scrub=True)

    async def forget_before(self, moment: datetime) -> int:
        """Delete older turns, from the file and its log, and say how many went."""
        parameters = {"moment": utc_text(moment)}
        delete = "DELETE FROM turns WHERE at < :moment"
        return await self._file.write(lambda db: _delete(db, delete, parameters), scrub=True)

    async def close(self) -> None:
        """Close the memory file, for all that share it. Calling it again does nothing."""
        await self._file.close()


def _record(db: Database, turn: Turn) -> None:
    where = turn.conversation
    at = utc_text(turn.at)
    [(conversation_id,)] = db.execute(
        """
        INSERT INTO conversations (key, platform, tenant, channel, thread, place, started_at, last_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (key) DO UPDATE
        SET started_at = min(started_at, excluded.started_at), last_at = max(last_at, excluded.last_at)
        RETURNING id
        """,
        [where.key, where.platform, where.tenant, where.channel, where.thread, where.place, at, at],
    ).fetchall()
    texts = (turn.message, turn.author, turn.question, turn.standalone, turn.text, turn.trace_id)
    [(turn_id,)] = db.execute(
        """
        INSERT INTO turns (conversation, kind, at, message, author, question, standalone, text, trace_id)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (conversation, message) DO UPDATE
        SET kind = excluded.kind, at = excluded.at, author = excluded.author, question = excluded.question,
            standalone = excluded.standalone, text = excluded.text, trace_id = excluded.trace_id
        RETURNING id
        """,
        [conversation_id, turn.kind.value, at, *map(storable, texts)],
    ).fetchall()
    sources = db.table("sources")
    sources.delete_where("turn = ?", [turn_id])
    sources.insert_all(_source_row(turn_id, position, source) for position, source in enumerate(turn.sources))


def _source_row(turn_id: int, position: int, source: Source) -> dict[str, object]:
    return {
        "turn": turn_id,
        "position": position,
        "n": source.n,
        "id": storable(source.id),
        "title": storable(source.title),
        "url": None if source.url is None else storable(source.url),
        "locator": storable(source.locator),
        "quote": storable(source.quote),
        "found_by": json.dumps(source.found_by),
        "rank": source.rank,
        "rank_before_rerank": source.rank_before_rerank,
    }


def _load(db: Database, query: str, parameters: Sequence[object]) -> list[Turn]:
    rows = list(db.query(query, parameters))
    sources: dict[int, list[Source]] = {row["id"]: [] for row in rows}
    wanted = "SELECT * FROM sources WHERE turn IN (SELECT value FROM json_each(?)) ORDER BY turn, position"
    for row in db.query(wanted, [json.dumps(list(sources))]):
        sources[row.pop("turn")].append(_source(row))
    return [_turn(row, sources[row["id"]]) for row in rows]


def _source(row: dict[str, Any]) -> Source:
    del row["position"]
    return Source(**{**row, "found_by": tuple(json.loads(row["found_by"]))})


def _turn(row: Mapping[str, Any], sources: Iterable[Source]) -> Turn:
    return Turn(
        conversation=Conversation(row["platform"], row["tenant"], row["channel"], row["thread"]),
        author=row["author"],
        kind=TurnKind(row["kind"]),
        at=utc(row["at"]),
        message=row["message"],
        trace_id=row["trace_id"],
        question=row["question"],
        standalone=row["standalone"],
        text=row["text"],
        sources=tuple(sources),
    )


def _delete(db: Database, delete: str, parameters: Mapping[str, object]) -> int:
    gone = db.execute(delete, dict(parameters)).rowcount
    db.execute("DELETE FROM conversations WHERE id NOT IN (SELECT conversation FROM turns)")
    db.execute("""
        UPDATE conversations SET started_at = span.started, last_at = span.ended
        FROM (SELECT conversation, min(at) AS started, max(at) AS ended FROM turns GROUP BY conversation) AS span
        WHERE span.conversation = id AND (started_at, last_at) <> (span.started, span.ended)
    """)
    return gone
