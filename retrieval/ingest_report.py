"""What became of each file that was to be taken in."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from retrieval.document import Standing

if TYPE_CHECKING:
    from datetime import date


class Outcome(StrEnum):
    """What happened to one file."""

    TAKEN = "taken"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    DUPLICATE = "duplicate"
    REMOVED = "removed"
    SKIPPED = "skipped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class FileReport:
    """One file's line. `passages` counts its own.

    `code` and `message` say why it failed or was skipped, or which file it doubles. `standing` is that of the document
    the index has of it, None where it has none, and `review_missed` the day of a review that was due.
    """

    path: str
    outcome: Outcome
    document_id: str | None = None
    passages: int = 0
    code: str | None = None
    message: str | None = None
    warnings: tuple[str, ...] = ()
    standing: Standing | None = None
    review_missed: date | None = None

    def as_json(self) -> dict[str, Any]:
        """The line as JSON values."""
        return {
            "path": self.path,
            "outcome": self.outcome.value,
            "document": self.document_id,
            "passages": self.passages,
            "code": self.code,
            "message": self.message,
            "warnings": list(self.warnings),
            "standing": self.standing.value if self.standing else None,
            "review_missed": self.review_missed.isoformat() if self.review_missed else None,
        }


@dataclass(frozen=True, slots=True)
class IngestReport:
    """A line a file, in order; `skipped` counts files in folders that were passed over (hidden, of no known type).

    `stopped` says that the index could not be written any more: the last line tells why, and `not_tried` counts the
    files that would have come after it.
    """

    collection: str
    files: tuple[FileReport, ...]
    skipped: int = 0
    stopped: bool = False
    not_tried: int = 0

    @property
    def failed(self) -> bool:
        """Whether any file could not be taken in: a program then ends with exit code 1."""
        return any(file.outcome is Outcome.FAILED for file in self.files)

    @property
    def totals(self) -> dict[str, int]:
        """How many files had each outcome, all outcomes named; the skipped ones that have no line count too."""
        counts = Counter(file.outcome for file in self.files)
        counts[Outcome.SKIPPED] += self.skipped
        return {outcome.value: counts[outcome] for outcome in Outcome}

    @property
    def dated(self) -> dict[str, int]:
        """How many files' documents hold no longer or not yet, by why, and how many have missed their review."""
        counts = Counter(file.standing for file in self.files)
        lapsed = {one.value: counts[one] for one in Standing if one is not Standing.CURRENT}
        return lapsed | {"past_review": sum(file.review_missed is not None for file in self.files)}

    def as_json(self) -> dict[str, Any]:
        """The report as JSON values."""
        return {
            "collection": self.collection,
            "totals": self.totals,
            "dated": self.dated,
            "failed": self.failed,
            "stopped": self.stopped,
            "not_tried": self.not_tried,
            "files": [file.as_json() for file in self.files],
        }
