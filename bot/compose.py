"""Puts checked statements together: the text with its markers, and the sources they point to. The markers are ours."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING

from bot.clean import clean
from bot.instruction import addresses_a_machine
from memory.turn import Source
from retrieval.terms import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import date

    from bot.verify import Statement
    from retrieval.evidence import Hit

_MARKER = re.compile(r"\s?\[\d{1,3}\]")
_ITEM = re.compile(r"(?:[-*\u2022]|\d{1,3}[.)])\s")


def compose(
    statements: Sequence[Statement], today: date | None = None, *, after: int = 0
) -> tuple[str, tuple[Source, ...]]:
    """The answer's text and its sources, numbered in the order in which the text first uses them.

    One `[n]` follows each run of statements from one passage. List items and rows stand on lines of their own. Sources
    whose review was due before `today` say so; without it, none does. Numbers begin `after` those of other sources.
    """
    numbers: dict[str, int] = {}
    for statement in statements:
        numbers.setdefault(statement.hit.passage.id, after + len(numbers) + 1)
    pieces: list[str] = []
    for statement, following in zip_longest(statements, statements[1:]):
        pieces.append(statement.text)
        if following is None or following.hit.passage.id != statement.hit.passage.id:
            pieces.append(f" [{numbers[statement.hit.passage.id]}]")
        if following is not None:
            pieces.append(_gap(statement, following))
    return "".join(pieces), tuple(_source(n, id_, statements, today) for id_, n in numbers.items())


def beginning(statements: Sequence[Statement]) -> str:
    """The text of these as they begin a longer answer: without the last marker, whose run may go on."""
    return compose(statements)[0].rpartition(" [")[0] if statements else ""


def still_held(sources: Sequence[Source], hits: Iterable[Hit], today: date) -> tuple[Source, ...]:
    """Those whose passage is among the hits and still says what it was quoted for, named as its document is today."""
    there = {hit.passage.id: hit for hit in hits}
    return tuple(
        replace(
            source,
            title=hit.document.title,
            url=hit.document.url,
            locator=hit.locator,
            review_by=hit.document.review_missed(today),
        )
        for source in sources
        if (hit := there.get(source.id)) is not None and source.quote in hit.passage.text
    )


def unmarked(text: str) -> str:
    """The text of an earlier answer without its markers, which mean nothing where its sources are not."""
    return _MARKER.sub("", text)


def _gap(statement: Statement, following: Statement) -> str:
    if following.new_paragraph:
        return "\n\n"
    if _ITEM.match(following.text):
        return "\n"
    return "\n\n" if _ITEM.match(statement.text) else " "


def _source(number: int, passage_id: str, statements: Sequence[Statement], today: date | None) -> Source:
    """Its quote runs from the first quoted letter to the last, so it is verbatim and holds every quote.

    Where something between these leads elsewhere or gives orders to a machine, it is the first quote alone.
    """
    borne = [statement for statement in statements if statement.hit.passage.id == passage_id]
    hit = borne[0].hit
    start, end = min(one.span[0] for one in borne), max(one.span[1] for one in borne)
    quote = hit.passage.text[start:end]
    if len(borne) > 1 and (addresses_a_machine(quote) or words(clean(quote)) != words(quote)):
        start, end = borne[0].span
    return Source(
        n=number,
        id=passage_id,
        title=hit.document.title,
        url=hit.document.url,
        locator=hit.locator,
        quote=hit.passage.text[start:end],
        found_by=hit.found_by,
        rank=hit.rank,
        rank_before_rerank=hit.rank_before_rerank,
        review_by=hit.document.review_missed(today) if today else None,
    )
