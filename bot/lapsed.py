"""What is said of a document that would have answered and does not hold today: its name, and never what it says."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from bot.clean import clean
from retrieval.document import Standing
from retrieval.document_names import DocumentNames
from retrieval.errors import RetrievalError
from retrieval.upkeep import successor_of

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import date

    from bot.wording import Wording
    from retrieval.document import Document
    from retrieval.evidence import Query
    from retrieval.index import Index
    from retrieval.search import PipelineSettings, Searcher

logger = logging.getLogger(__name__)


async def lapsed_version(
    searcher: Searcher,
    index: Index,
    query: Query,
    words: Wording,
    *,
    collections: Collection[str] | None,
    pipeline: PipelineSettings,
    today: date,
) -> str:
    """A sentence that names it, and the document that holds in its place where this person may see that one.

    Empty where there is none, or where it cannot be searched for: the decline says enough without.
    """
    try:
        document = await searcher.lapsed(query, collections=collections, pipeline=pipeline)
        if document is None:
            return ""
        successor = await _successor(document, index, collections, today) if document.superseded_by else None
    except RetrievalError as error:
        logger.warning("an older version could not be looked for: %s", error)
        return ""
    return _said(document, clean(successor.title) if successor else "", words, today)


async def _successor(
    document: Document, index: Index, collections: Collection[str] | None, today: date
) -> Document | None:
    found = successor_of(document, DocumentNames(await index.catalogue()), today)
    visible = found is not None and (collections is None or found.collection in collections)
    return found if visible else None


def _said(document: Document, successor: str, words: Wording, today: date) -> str:
    title = clean(document.title)
    if not title:
        return ""
    if document.standing(today) is Standing.UPCOMING and document.effective is not None:
        return words.answer.upcoming.format(title=title, day=words.dates.day_of(document.effective))
    if successor:
        return words.answer.older_replaced.format(title=title, successor=successor)
    return words.answer.older.format(title=title)
