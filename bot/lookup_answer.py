"""An answer written from rows: each value as it stands in its table, under the name of its column."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory.turn import ROW, Source
from retrieval.document import Document, Passage
from retrieval.evidence import Hit

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from bot.lookup import Card, Found, Row
    from bot.wording import Wording

_EMPTY = "–"


def answered(
    card: Card, found: Found, columns: Sequence[str], today: date, words: Wording, *, start: int = 0
) -> tuple[str, tuple[Source, ...]]:
    """The text, one line a row, and a source for each. `start` rows were shown before these."""
    shown = list(columns) or [column for column in card.columns if column not in card.keys]
    lines = [f"{_sentence(card, row, shown)} [{n}]" for n, row in enumerate(found.rows, 1)]
    text = lines[0] if len(lines) == 1 else "\n".join([f"{card.title}:", *(f"- {line}" for line in lines)])
    origin = min((row.origin for row in found.rows), key=lambda one: one.as_of or today)  # the oldest counts for all
    says = words.lookups
    if left := found.count - start - len(found.rows):
        missing = [card.columns[key] for key in card.keys if len({row.written[key] for row in found.rows}) > 1]
        narrower = says.narrower.format(columns=", ".join(missing)) if missing else ""
        text += "\n" + says.more.format(count=left, narrower=narrower)
    if origin.as_of is not None:
        late = origin.stale is not None and origin.stale < today
        day = words.dates.day_of(origin.as_of)
        text += "\n" + (says.stale if late else says.as_of).format(day=day)
    return text, tuple(_source(hit_of(card, row, n, words), n, today) for n, row in enumerate(found.rows, 1))


def hit_of(card: Card, row: Row, rank: int, words: Wording) -> Hit:
    """The row in the shape of a passage of a document, so that it is shown wherever passages are."""
    origin = row.origin
    where = " · ".join(row.written[key] for key in card.keys if row.written[key])
    says = words.lookups
    as_of = says.row_as_of.format(day=origin.as_of.isoformat()) if origin.as_of else ""
    place = " · ".join(filter(None, (where, as_of)))
    text = "; ".join(f"{name}: {row.written[column] or _EMPTY}" for column, name in card.columns.items())
    text += f" ({says.kept_by.format(owner=origin.owner)})" if origin.owner else ""
    id_ = f"{ROW}{card.name}:{row.id}"
    document = Document(
        f"{ROW}{card.name}",
        origin.title,
        "",
        min(card.collections, default=""),
        "",
        effective=None,
        review_by=origin.stale,
        expires=origin.expires,
    )
    passage = Passage(id_, document.id, rank, text, origin.title, (), (0, len(text)), place=place)
    return Hit(passage, document, 1.0, rank, rank, keyword_rank=rank)


def _source(hit: Hit, n: int, today: date) -> Source:
    return Source(
        n=n,
        id=hit.passage.id,
        title=hit.document.title,
        url=None,
        locator=hit.locator,
        quote=hit.passage.text,
        found_by=(),
        rank=n,
        rank_before_rerank=n,
        review_by=hit.document.review_missed(today),
    )


def _sentence(card: Card, row: Row, columns: Sequence[str]) -> str:
    said = {column: text or _EMPTY for column, text in row.written.items()}
    named = {column for column in card.columns if f"{{{column}}}" in card.template}
    if named and {*columns} <= named and all(row.written[column] for column in named):
        return _filled(card.template, said)
    keys = ", ".join(said[key] for key in card.keys if key not in columns and row.written[key])
    values = ", ".join(f"{card.columns[column]}: {said[column]}" for column in columns)
    return f"{keys} – {values}." if keys else f"{values}."


def _filled(template: str, values: dict[str, str]) -> str:
    """Each `{column}` once, in one pass: braces in a value are text."""
    parts = template.split("{")
    return parts[0] + "".join(values[name] + rest for name, _, rest in (part.partition("}") for part in parts[1:]))
