"""What was taken in when: a line for each ingest, by command, in Slack or on the page, in a file of the home.

It holds counts alone. Names and titles of documents may tell of people, and stand in the index anyway.
"""

from __future__ import annotations

import json
import logging
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from adapters.tracing.rotated import append, lines_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

logger = logging.getLogger(__name__)

HISTORY = "ingests.jsonl"
BY_COMMAND = "command"
_MOST_BYTES = 200_000


@dataclass(frozen=True, slots=True)
class Ingested:
    """One ingest. `through` is the command, or the platform that the documents were sent on; `files` counts them by
    what became of each.
    """

    at: datetime
    collection: str
    through: str
    files: Mapping[str, int]

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "at": self.at.isoformat(),
            "collection": self.collection,
            "through": self.through,
            "files": dict(self.files),
        }

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Ingested:
        """What `as_json` gave. ValueError, KeyError or TypeError for anything else."""
        files = {str(outcome): int(count) for outcome, count in dict(given["files"]).items()}
        at = datetime.fromisoformat(given["at"])
        if at.tzinfo is None:
            at = at.replace(tzinfo=UTC)
        return cls(at, str(given["collection"]), str(given["through"]), files)


class IngestHistory:
    """The file. Everything here blocks: call it off the event loop."""

    def __init__(self, home: Path, *, most_bytes: int = _MOST_BYTES) -> None:
        self._path = home.expanduser() / HISTORY
        self._most_bytes = most_bytes

    def note(self, one: Ingested) -> None:
        """Add one. Where that cannot be written it is lost, and the log says so: documents go before their history."""
        line = json.dumps(one.as_json(), ensure_ascii=False) + "\n"
        try:
            append(self._path, line, most_bytes=self._most_bytes)
        except OSError as error:
            logger.warning("the history of ingests cannot be written to %s (%s)", self._path, error.strerror)

    def last(self, count: int) -> list[Ingested]:
        """The youngest first; lines that are none are passed over."""
        found = []
        for line in lines_of(self._path):
            with suppress(ValueError, KeyError, TypeError, AttributeError):
                found.append(Ingested.from_json(json.loads(line)))
        return found[::-1][:count]
