"""The steps that lead any older memory file to today's schema: numbered, append-only, never edited once released."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sqlite_utils import Database

    Step: TypeAlias = Callable[[Database], None]

SET_NAME = "citewell-memory"
"""Under this name sqlite-utils notes in the file which steps were taken."""


def m001_turns(db: Database) -> None:
    """Conversations, their turns, and the sources of each turn."""
    db.executescript("""
        CREATE TABLE conversations (
            id INTEGER PRIMARY KEY,
            key TEXT NOT NULL UNIQUE,
            platform TEXT NOT NULL,
            tenant TEXT NOT NULL,
            channel TEXT NOT NULL,
            thread TEXT NOT NULL,
            place TEXT NOT NULL,
            started_at TEXT NOT NULL,
            last_at TEXT NOT NULL
        );
        CREATE INDEX conversations_by_place ON conversations (place);
        CREATE TABLE turns (
            id INTEGER PRIMARY KEY,
            conversation INTEGER NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
            message TEXT NOT NULL,
            kind TEXT NOT NULL,
            author TEXT NOT NULL,
            question TEXT NOT NULL,
            standalone TEXT NOT NULL,
            text TEXT NOT NULL,
            trace_id TEXT NOT NULL,
            at TEXT NOT NULL,
            UNIQUE (conversation, message)
        );
        CREATE INDEX turns_by_time ON turns (conversation, at);
        CREATE INDEX turns_by_author ON turns (author, kind, at);
        CREATE TABLE sources (
            turn INTEGER NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            n INTEGER NOT NULL,
            id TEXT NOT NULL,
            title TEXT NOT NULL,
            url TEXT,
            locator TEXT NOT NULL,
            quote TEXT NOT NULL,
            found_by TEXT NOT NULL,
            rank INTEGER NOT NULL,
            rank_before_rerank INTEGER NOT NULL,
            PRIMARY KEY (turn, position)
        );
    """)


def m002_inbox(db: Database) -> None:
    """Messages accepted and not yet answered; of the answered ones the key alone, to know a duplicate."""
    db.executescript("""
        CREATE TABLE inbox (
            id INTEGER PRIMARY KEY,
            key TEXT NOT NULL UNIQUE,
            conversation TEXT NOT NULL,
            payload TEXT NOT NULL,
            accepted_at TEXT NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0,
            done INTEGER NOT NULL DEFAULT 0
        );
        CREATE INDEX inbox_by_time ON inbox (done, accepted_at);
    """)


def m003_summaries(db: Database) -> None:
    """One summary a conversation, gone with any turn of it that is deleted or replaced."""
    db.executescript("""
        CREATE TABLE summaries (
            conversation INTEGER PRIMARY KEY REFERENCES conversations (id) ON DELETE CASCADE,
            text TEXT NOT NULL,
            covers TEXT NOT NULL
        );
        CREATE TRIGGER summary_of_a_deleted_turn AFTER DELETE ON turns
        BEGIN DELETE FROM summaries WHERE conversation = old.conversation; END;
        CREATE TRIGGER summary_of_a_replaced_turn AFTER UPDATE ON turns
        BEGIN DELETE FROM summaries WHERE conversation = old.conversation; END;
    """)


def m004_ratings(db: Database) -> None:
    """What people thought of answers, gone with the turn."""
    db.executescript("""
        CREATE TABLE ratings (
            turn INTEGER NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
            author TEXT NOT NULL,
            good INTEGER NOT NULL,
            PRIMARY KEY (turn, author)
        );
        CREATE INDEX ratings_by_author ON ratings (author);
        CREATE TRIGGER ratings_of_a_replaced_turn AFTER UPDATE ON turns
        BEGIN DELETE FROM ratings WHERE turn = old.id; END;
        CREATE INDEX turns_by_trace ON turns (trace_id);
    """)


def m005_reasons(db: Database) -> None:
    """Why an answer was marked down: one of a few reasons, and words of the person's own. Both may be empty."""
    db.execute("ALTER TABLE ratings ADD COLUMN reason TEXT NOT NULL DEFAULT ''")
    db.execute("ALTER TABLE ratings ADD COLUMN comment TEXT NOT NULL DEFAULT ''")


def m006_outbox(db: Database) -> None:
    """Where replies go, and which parts of them were sent, on platforms that cannot be asked: ids alone."""
    db.executescript("""
        CREATE TABLE addresses (
            place TEXT PRIMARY KEY,
            address TEXT NOT NULL,
            at TEXT NOT NULL
        );
        CREATE TABLE outbox (
            key TEXT NOT NULL,
            part INTEGER NOT NULL,
            parts INTEGER NOT NULL,
            trace TEXT NOT NULL,
            sent_as TEXT NOT NULL,
            at TEXT NOT NULL,
            PRIMARY KEY (key, part)
        );
        CREATE INDEX outbox_by_id ON outbox (sent_as);
    """)


STEPS: tuple[Step, ...] = (
    m001_turns,
    m002_inbox,
    m003_summaries,
    m004_ratings,
    m005_reasons,
    m006_outbox,
)


def migrate(db: Database, steps: Sequence[Step] = STEPS) -> None:
    """Take the steps that this file lacks, all or none. Other processes wait meanwhile."""
    from sqlite_utils import Migrations  # here, not above: it takes half a second to load

    known = Migrations(SET_NAME)
    for step in steps:
        known()(step)
    if not known.pending(db):
        return
    db.execute("BEGIN IMMEDIATE")
    with db.conn:
        known.apply(db)


def unknown_steps(db: Database, steps: Sequence[Step] = STEPS) -> Iterator[str]:
    """The names of steps that were taken in this file and that this version does not know."""
    from sqlite_utils import Migrations  # here, not above: it takes half a second to load

    known = {step.__name__ for step in steps}
    return (step.name for step in Migrations(SET_NAME).applied(db) if step.name not in known)
