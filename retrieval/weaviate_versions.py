"""Which version of each document readers see, in a store that changes one object at a time.

A document's record names its live version. Passages of a version go in while the record lists it as pending, and are
hidden; one write of the record then makes it live and the one before it retired, which hides that. The retired passages
are deleted only when every search that may have begun before has ended. So a reader that notes the records in change
before and after its search knows, of each document, the version that was live when it began, and that it was whole.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from weaviate.classes.data import DataObject
from weaviate.classes.query import Filter

from retrieval.rows import read_document
from retrieval.weaviate_rows import document_properties, document_uuid
from retrieval.weaviate_server import QUERY_SECONDS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from datetime import date, datetime

    from weaviate.collections.classes.filters import FilterReturn

    from retrieval.document import Document
    from retrieval.weaviate_schema import Shelf

NOTHING = "-"
"""The live version of a document that is not there: not yet, or no longer."""

GRACE = 3 * QUERY_SECONDS
"""Seconds that a retired version stays, longer than any search."""

_MOST = 10_000
_STATE = ["document_id", "version", "pending", "retired", "changed"]


@dataclass(frozen=True, slots=True)
class Record:
    """One document's state. `retired` goes from the oldest to the newest; `document` is that of the live version."""

    document_id: str
    version: str = NOTHING
    pending: tuple[str, ...] = ()
    retired: tuple[str, ...] = ()
    document: Document | None = None
    changed: datetime | None = None

    @property
    def busy(self) -> bool:
        """Whether anything of it is hidden."""
        return bool(self.pending or self.retired)

    @property
    def hidden(self) -> frozenset[str]:
        """The versions that readers do not see."""
        return frozenset((*self.pending, *self.retired)) - {NOTHING}

    def coming(self, version: str) -> Record:
        """With a version whose passages may be written from now on."""
        return replace(self, pending=(*self.pending, version))

    def turned(self, version: str, document: Document | None) -> Record:
        """With this version live in place of the one before; NOTHING takes the document out."""
        pending = tuple(one for one in self.pending if one != version)
        return replace(self, version=version, pending=pending, retired=(*self.retired, self.version), document=document)

    def without(self, versions: Collection[str]) -> Record:
        """With nothing left of these versions."""
        return replace(
            self,
            pending=tuple(one for one in self.pending if one not in versions),
            retired=tuple(one for one in self.retired if one not in versions),
        )

    def as_object(self, now: datetime) -> DataObject[Any, Any]:
        """As it is stored."""
        own = document_properties(self.document) if self.document else {"document_id": self.document_id}
        state = {
            "version": self.version,
            "pending": list(self.pending),
            "retired": list(self.retired),
            "live": self.document is not None,
            "busy": self.busy,
            "dated": self.document is not None and self.document.dated,
            "changed": now,
        }
        return DataObject(properties=own | state, uuid=document_uuid(self.document_id))


def read_record(row: Mapping[str, Any]) -> Record:
    """From an object's properties."""
    return Record(
        document_id=row["document_id"],
        version=row["version"],
        pending=tuple(row.get("pending") or ()),
        retired=tuple(row.get("retired") or ()),
        document=read_document(row) if row.get("live") else None,
        changed=row["changed"],
    )


async def records(shelf: Shelf, document_ids: Iterable[str]) -> dict[str, Record]:
    """The records of these documents, an empty one where there is none."""
    found = {id_: Record(id_) for id_ in document_ids}
    ids = [document_uuid(id_) for id_ in found]
    for start in range(0, len(ids), 500):
        some = ids[start : start + 500]
        query = shelf.documents.query.fetch_objects(filters=Filter.by_id().contains_any(some), limit=len(some))
        rows = await shelf.server.ask(query)
        found |= {record.document_id: record for record in (read_record(row.properties) for row in rows.objects)}
    return found


async def in_change(shelf: Shelf) -> dict[str, Record]:
    """The state of all documents of which something is hidden, without what the documents are."""
    query = shelf.documents.query.fetch_objects(
        filters=Filter.by_property("busy").equal(val=True), limit=_MOST, return_properties=_STATE
    )
    rows = await shelf.server.ask(query)
    return {record.document_id: record for record in (read_record(row.properties) for row in rows.objects)}


async def lapsed_versions(shelf: Shelf, today: date) -> frozenset[str]:
    """The live versions of the documents that do not hold on this day."""
    dated = Filter.by_property("dated").equal(val=True) & Filter.by_property("live").equal(val=True)
    found = await shelf.server.ask(shelf.documents.query.fetch_objects(filters=dated, limit=_MOST))
    read = [read_record(row.properties) for row in found.objects]
    return frozenset(one.version for one in read if one.document is not None and not one.document.holds(today))


def seen(
    before: Mapping[str, Record], collections: Collection[str] | None = None, *also: FilterReturn
) -> FilterReturn | None:
    """A filter that leaves out what was hidden at the start, and other collections than these."""
    parts = list(also)
    if hidden := sorted(frozenset().union(*(record.hidden for record in before.values()))):
        parts.append(Filter.by_property("version").contains_none(hidden))
    if collections is not None:
        parts.append(Filter.by_property("collection").contains_any(sorted(collections)))
    return Filter.all_of(parts) if parts else None


def was_live(document_id: str, version: str, before: Mapping[str, Record], after: Mapping[str, Record]) -> bool:
    """Whether a version that a search found was the live one, and whole, when the search began.

    A document at rest before that is in change after has, as the oldest of its retired versions, the one it had then.
    """
    if (record := before.get(document_id)) is not None:
        return record.version == version
    if (record := after.get(document_id)) is not None:
        return (record.retired[0] if record.retired else record.version) == version
    return True
