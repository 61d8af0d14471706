"""What those who keep the documents should know of their dates."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from retrieval.document import Standing
from retrieval.document_names import AmbiguousName

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from retrieval.document import Document
    from retrieval.document_names import DocumentNames


def upkeep(document: Document, names: DocumentNames, today: date) -> Iterator[str]:
    """A sentence for each thing about its dates that asks for attention; none where it holds and is reviewed."""
    match document.standing(today):
        case Standing.CURRENT:
            pass
        case Standing.UPCOMING:
            yield f"not yet effective: answers nothing before {document.effective}"
        case Standing.EXPIRED:
            yield f"expired on {document.expires}: answers nothing any more"
        case Standing.SUPERSEDED:
            yield _superseded(document, names, today)
        case never:
            assert_never(never)
    if missed := document.review_missed(today):
        yield f"its review was due on {missed}: answers go on, and say so"


def _superseded(document: Document, names: DocumentNames, today: date) -> str:
    name = document.superseded_by or ""
    try:
        successor = names.find(name)
    except AmbiguousName as error:
        return f"superseded: answers nothing any more. Its successor is not clear: {error}"
    if successor is None:
        return (
            f"superseded by “{name}”, which is no document here: call it by its file name, its web address or its id, "
            "or take it in"
        )
    if successor.id == document.id:
        return "superseded by itself: answers nothing any more. Name the document that holds instead"
    if successor.standing(today) is Standing.UPCOMING:
        return (
            f"superseded by “{successor.title}”, which answers nothing before {successor.effective}: until then "
            "neither does. Let this one say expires instead, with the last day on which it holds"
        )
    return f"superseded by “{successor.title}”: answers nothing any more"


def successor_of(document: Document, names: DocumentNames, today: date) -> Document | None:
    """The document that holds in its place today, through however many versions; None where none is known."""
    seen = {document.id}
    while document.superseded_by is not None:
        try:
            following = names.find(document.superseded_by)
        except AmbiguousName:
            return None
        if following is None or following.id in seen:
            return None
        document = following
        seen.add(document.id)
    return document if len(seen) > 1 and document.holds(today) else None
