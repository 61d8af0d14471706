"""Holds a transcript on a platform and compares what comes back, turn by turn."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from contextlib import AsyncExitStack, closing
from typing import TYPE_CHECKING

from adapters import samples
from adapters.app import build
from memory.turn import TurnKind
from tests.doubles.service import ServiceDouble
from tests.golden.lookups import BEDS, every_kind
from tests.golden.model import Model, claude
from tests.golden.shelves import settings
from tests.golden.transcript import Supposes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from adapters.app import Application
    from memory.turn import Turn as Remembered
    from tests.golden.platforms import Platform, Shown
    from tests.golden.transcript import Reply, Transcript, Turn

_MARKER = re.compile(r"\s?\[\d+\]")
_MARKUP = re.compile(r"[*_]+|^[-•] ", re.MULTILINE)


async def hold(transcript: Transcript, platform: Platform, home: Path) -> None:
    """The whole conversation over an index that stands in `home`. AssertionError where a reply is not as written."""
    async with AsyncExitStack() as stack:
        model = await stack.enter_async_context(claude()) if transcript.model == "claude" else None
        given = {**platform.settings, **(model.settings if model else {})}
        if transcript.replay is not None:
            given["replay_tokens"] = transcript.replay
        if transcript.tables == "samples":
            given["lookups"] = await asyncio.to_thread(samples.tables)
        elif transcript.tables == "every kind":
            service = await stack.enter_async_context(ServiceDouble(BEDS))
            given["lookups"] = await asyncio.to_thread(every_kind, home / "lookups", service.url)
        impatient = any("times out" in turn.model for turn in transcript.talk)
        answerer = await stack.enter_async_context(model.impatiently()) if model and impatient else None
        chosen = await settings(home, search=transcript.search, **given)
        app = await stack.enter_async_context(await build(chosen, answerer=answerer))
        await stack.enter_async_context(platform.serving(app))
        for turn in transcript.talk:
            await _take(turn, app, platform, model)
        await _keeps_the_promises(transcript, app, platform, model)
    if transcript.written_down == "nothing":
        assert rows(home / "memory.db") == 0


async def _take(turn: Turn, app: Application, platform: Platform, model: Model | None) -> None:
    asked = 0
    if model is not None:
        model.prepare(turn.model)
        asked = model.requests
    memory = app.engine.memories.of(guest=turn.by == "guest")
    before = await memory.turns(platform.conversation(turn.thread))
    shown = await platform.say(turn.text, by=turn.by, thread=turn.thread, delivered=turn.delivered)
    after = await memory.turns(platform.conversation(turn.thread))
    kinds = [one.kind for one in after[len(before) :]]
    assert len(shown) == 1, f"one reply to {turn.text!r}, not {len(shown)}"
    _compare(turn.reply, shown[0])
    assert kinds == ([turn.reply.kind] if turn.reply.remembered else [])
    if model is not None:
        supposed = [step.supposes for step in turn.model if isinstance(step, Supposes)]
        assert [words for words in supposed if words in f"{shown} {after} {model.sent(asked)}"] == []
        model.assert_played()
        sent = model.sent(asked)
        assert [words for words in turn.sent if words not in sent] == []
        assert [words for words in turn.not_sent if words in sent] == []


def _compare(reply: Reply, shown: Shown) -> None:
    if reply.text is not None:
        assert _plain(shown.answer) == _plain(reply.text)
    assert [words for words in reply.shows if words not in shown.everything] == []
    assert [words for words in reply.never if words in shown.everything] == []
    if reply.sources is not None:
        assert list(shown.sources) == reply.sources
    if reply.links is not None:
        assert list(shown.links) == reply.links
    assert [line for line in reply.lines if line not in shown.beside or line in shown.answer] == []
    assert shown.private is reply.private


def _plain(text: str) -> str:
    """Words without the platform's markup and line breaks."""
    return " ".join(_MARKUP.sub("", text).split())


async def _keeps_the_promises(
    transcript: Transcript, app: Application, platform: Platform, model: Model | None
) -> None:
    """What holds in every conversation: of a crisis no word is kept, and a model sees again only what was grounded."""
    turns = [turn for name in {turn.thread for turn in transcript.talk} for turn in await _turns(app, platform, name)]
    for turn in turns:
        if turn.kind is TurnKind.CRISIS:
            assert (turn.question, turn.standalone, turn.text, turn.sources) == ("", "", "", ())
    if model is not None:
        grounded = {_MARKER.sub("", turn.text) for turn in turns if turn.kind is TurnKind.FACT}
        assert set(model.replayed()) <= grounded
        sent = model.sent()
        assert [words for words in transcript.never_sent if words in sent] == []


async def _turns(app: Application, platform: Platform, thread: str) -> Sequence[Remembered]:
    memories = app.engine.memories
    where = platform.conversation(thread)
    return [*await memories.durable.turns(where), *await memories.guests.turns(where)]


def rows(database: Path) -> int:
    """All rows of people's words and keys in a memory file; 0 where there is no file."""
    if not database.is_file():
        return 0
    with closing(sqlite3.connect(database)) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        own = [name for name in tables if not name.startswith(("sqlite_", "_sqlite"))]
        return sum(connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in own)
