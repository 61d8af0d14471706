"""Answers that people marked down, as cases for `citewell evaluate`: what is right has still to be said by a person."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from bot.redact import redacted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memory.reports import MarkedDown


def case(marked: MarkedDown) -> dict[str, Any]:
    """One line of a file of questions. `wrong` names the documents that the answer came from; none for a decline."""
    documents = dict.fromkeys(passage.rpartition("#")[0] or passage for passage in marked.passages)
    return {"id": marked.trace_id, "text": redacted(marked.question), "wrong": list(documents)}


def added(there: str, cases: Iterable[dict[str, Any]]) -> tuple[str, int]:
    """The file's text with the cases behind it that it lacks, and how many these are; what stands there stays as it is.

    So a person's judgements are kept when cases are written again.
    """
    known = {id_ for line in there.splitlines() if (id_ := _id(line)) is not None}
    new = [one for one in cases if one["id"] not in known]
    lines = [json.dumps(one, ensure_ascii=False) for one in new]
    between = "\n" if there and not there.endswith("\n") else ""
    return f"{there}{between}{''.join(f'{line}{chr(10)}' for line in lines)}", len(new)


def _id(line: str) -> str | None:
    try:
        row = json.loads(line)
    except ValueError:
        return None
    return str(row["id"]) if isinstance(row, dict) and "id" in row else None
