"""Turns in a file, one JSON object a line, for `citewell traces`; the file is renamed when it is full."""

from __future__ import annotations

import json
import logging
import os
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING

from adapters.tracing.rotated import append, lines_of
from bot.turn_record import TurnRecord

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from typing import TextIO

logger = logging.getLogger(__name__)


class TraceFile:
    """Written by a thread of its own, so that no turn waits for a disk; readable by its owner alone.

    It holds no words, which nobody could then have forgotten, and nothing of guests. What cannot be written is lost,
    and the log says so once until it can be again.
    """

    def __init__(self, path: Path, *, most_bytes: int = 5_000_000) -> None:
        self._path = path
        self._most_bytes = most_bytes
        self._queue: SimpleQueue[TurnRecord | None] = SimpleQueue()
        self._thread: Thread | None = None
        self._failing = False

    def keep(self, record: TurnRecord) -> None:
        """Have it written soon."""
        if record.guest:
            return
        if self._thread is None:
            self._thread = Thread(target=self._write_all, name="traces", daemon=True)
            self._thread.start()
        self._queue.put(record.without_words())

    def close(self) -> None:
        """Write what waits. Blocking; calling it again does nothing."""
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join(timeout=5)
            self._thread = None

    def _write_all(self) -> None:
        while (record := self._queue.get()) is not None:
            batch = [record]
            with suppress(Empty):
                while (further := self._queue.get_nowait()) is not None:
                    batch.append(further)
                self._queue.put(None)
            self._write("".join(json.dumps(one.as_json(), ensure_ascii=False) + "\n" for one in batch))

    def _write(self, lines: str) -> None:
        try:
            append(self._path, lines, most_bytes=self._most_bytes)
            self._failing = False
        except OSError as error:
            if not self._failing:
                logger.warning("traces cannot be written to %s (%s)", self._path, error.strerror)
            self._failing = True


class Tail:
    """What is added to the file from now on, through its renaming. Used as `with`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: TextIO | None = None
        self._open()
        if self._file is not None:
            self._file.seek(0, os.SEEK_END)

    def __enter__(self) -> Tail:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    def new(self) -> list[TurnRecord]:
        """The turns added since the last time. Blocking."""
        records = self._rest()
        if self._renamed():
            self._open()
            records += self._rest()
        return records

    def _open(self) -> None:
        if self._file is not None:
            self._file.close()
        try:
            self._file = self._path.open(encoding="utf-8", errors="replace")
        except FileNotFoundError:
            self._file = None

    def _renamed(self) -> bool:
        try:
            there = self._path.stat().st_ino
        except FileNotFoundError:
            return False
        return self._file is None or os.fstat(self._file.fileno()).st_ino != there

    def _rest(self) -> list[TurnRecord]:
        return list(_records(self._file)) if self._file is not None else []


def read_traces(path: Path) -> Iterator[TurnRecord]:
    """Every turn that the file and the full ones beside it hold, oldest first; lines that are none are passed over."""
    yield from _records(lines_of(path))


def _records(lines: Iterable[str]) -> Iterator[TurnRecord]:
    for line in lines:
        with suppress(ValueError, KeyError, TypeError):
            yield TurnRecord.from_json(json.loads(line))
