"""What is said of files that were sent: taken, known already, or why not, in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.ingest_report import Outcome

if TYPE_CHECKING:
    from adapters.uploads import Item, Record
    from bot.wording import Wording
    from bot.wording.surfaces import DocumentWords


def report(record: Record, words: Wording, *, public: bool) -> str:
    """A line a file, and where they are now; `public` says that guests see that too."""
    said = words.documents
    lines = [f"- {_line(item, said)}" for item in record.items]
    if not record.taken:
        return "\n".join(lines)
    into = said.into_public if public else said.into
    return "\n".join([*lines, "", into.format(collection=record.collection)])


def _line(item: Item, said: DocumentWords) -> str:
    match item.outcome:
        case Outcome.TAKEN:
            line = said.taken.format(name=item.name, title=item.title)
        case Outcome.UPDATED:
            line = said.updated.format(name=item.name, title=item.title)
        case Outcome.UNCHANGED:
            line = said.unchanged.format(name=item.name)
        case Outcome.DUPLICATE:
            line = said.duplicate.format(name=item.name, title=item.title)
        case _:
            why = said.why.get(item.code, said.why["fault"])
            line = said.failed.format(name=item.name, why=why)
            return f"{line} {said.before_stays}" if item.before else line
    return f"{line} {said.lapsed}" if item.lapsed else line
