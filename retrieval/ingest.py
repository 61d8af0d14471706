"""Takes files into the index: unchanged ones skipped, changed ones replaced whole, a bad one never stops the rest."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from retrieval.clock import utc_now
from retrieval.document import PUBLIC, Document, Passage
from retrieval.document_names import DocumentNames
from retrieval.errors import IndexUnavailable, Unreadable
from retrieval.ingest_report import FileReport, IngestReport, Outcome
from retrieval.load import MOST_BYTES, READER_VERSION, parse, read_bytes
from retrieval.readers import sidecar
from retrieval.split import split
from retrieval.upkeep import upkeep
from retrieval.walk import Found, shown_path, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import date, datetime

    from retrieval.index import Index

__all__ = ["FileReport", "IngestReport", "Outcome", "Progress", "document_id", "ingest"]

_LONGEST_SLUG = 60


@dataclass(frozen=True, slots=True)
class Progress:
    """How far it is: `done` of `total` files, the last one being `file`."""

    done: int
    total: int
    file: FileReport


def document_id(path: Path, collection: str) -> str:
    """Readable, and the same for a file in a collection every time: its name, then 8 hex digits of where it lies."""
    slug = re.sub(r"[^\w-]+", "-", path.stem)[:_LONGEST_SLUG].strip("-") or "document"
    place = hashlib.sha256(f"{collection}\0".encode() + os.fsencode(path.absolute())).hexdigest()
    return f"{slug}-{place[:8]}"


def content_hash(data: bytes, collection: str, beside: bytes | None = None) -> str:
    """The sha256 that tells whether there is anything to do.

    Of the bytes, of the sidecar's where there is one `beside` the file, the reader's version and the collection.
    """
    said_beside = "" if beside is None else f"{hashlib.sha256(beside).hexdigest()}\0"
    return hashlib.sha256(f"{READER_VERSION}\0{collection}\0{said_beside}".encode() + data).hexdigest()


async def ingest(
    paths: Iterable[Path],
    index: Index,
    *,
    collection: str = PUBLIC,
    prune: bool = False,
    most_bytes: int = MOST_BYTES,
    on_progress: Callable[[Progress], None] | None = None,
    clock: Callable[[], datetime] = utc_now,
) -> IngestReport:
    """Take in files and folders, one file in memory at a time, each in one transaction of the index.

    A file that cannot be read is reported and its version of before, if any, stays. A file with the bytes of another
    one in the collection is not taken in beside it. `prune` removes documents of the given folders whose files have
    gone; a folder that is itself missing or closed removes nothing. Where the index cannot be written any more (its
    disk is full), the report ends with the file that met it. Cancelling leaves whole documents only. The report names
    the documents of these files that do not hold on the day of `clock`, and those whose review was due.
    """
    found = await asyncio.to_thread(walk, paths)
    run = _Run(index, collection, most_bytes, {document.id: document for document in await index.catalogue(collection)})
    await asyncio.to_thread(run.find_holders, found.files)
    lines = [_failure(path, "missing", "there is no such file or folder") for path in found.missing]
    lines += [_failure(path, "closed", "the folder may not be read: mend its permissions") for path in found.closed]
    lines += [_outside(path) for path in found.outside]
    lines += [_stray(path) for path in found.strays]
    for done, path in enumerate(found.files, start=1):
        try:
            lines.append(await run.take_in(path))
        except IndexUnavailable as error:
            left = len(found.files) - done
            lines.append(_failure(path, "index", f"{error} {_not_tried(left)}".strip()))
            return IngestReport(collection, tuple(lines), found.skipped, stopped=True, not_tried=left)
        if on_progress is not None:
            on_progress(Progress(done, len(found.files), lines[-1]))
    try:
        if prune:
            lines += await run.prune(found)
    except IndexUnavailable as error:
        lines += [_failure(folder, "index", f"{error} Nothing was removed.") for folder in found.folders]
        return IngestReport(collection, tuple(lines), found.skipped, stopped=True)
    lines = await _with_dates(lines, index, clock().date())
    return IngestReport(collection, tuple(lines), found.skipped)


async def _with_dates(lines: Iterable[FileReport], index: Index, today: date) -> list[FileReport]:
    """The lines with how the documents in the index stand on this day."""
    documents = {document.id: document for document in await index.catalogue()}
    names = DocumentNames(documents.values())
    dated = []
    for line in lines:
        document = None if line.document_id is None else documents.get(line.document_id)
        if document is None:
            dated.append(line)
            continue
        warnings = (*line.warnings, *upkeep(document, names, today))
        standing, missed = document.standing(today), document.review_missed(today)
        dated.append(replace(line, warnings=warnings, standing=standing, review_missed=missed))
    return dated


class _Run:
    """One ingest of one collection: what the index knew at its start, and which file holds which content."""

    def __init__(self, index: Index, collection: str, most_bytes: int, known: Mapping[str, Document]) -> None:
        self._index = index
        self._collection = collection
        self._most_bytes = most_bytes
        self._known = known
        self._holders: dict[str, str] = {}

    def find_holders(self, files: Iterable[Path]) -> None:
        """Remember the documents whose file still has the content that the index knows, before any other is read."""
        coming = {shown_path(path): path for path in files}
        for document in self._known.values():
            path = coming.get(document.path)
            there = path is not None or Path(document.path).is_file()
            current = self._current_hash(path) if path else document.content_hash if there else None
            if current == document.content_hash:
                self._holders.setdefault(current, document.path)

    async def take_in(self, path: Path) -> FileReport:
        """Read one file and put it into the index, if there is anything new in it."""
        identity = document_id(path, self._collection)
        before = self._known.get(identity)
        shown = shown_path(path)
        try:
            data, beside = await asyncio.to_thread(self._read, path)
            digest = content_hash(data, self._collection, beside)
            if before is not None and before.content_hash == digest:
                return FileReport(shown, Outcome.UNCHANGED, identity)
            holder = self._holders.get(digest)
            if holder is not None and holder != shown:
                await self._index.remove([identity])
                return FileReport(shown, Outcome.DUPLICATE, code="duplicate", message=f"the same content as {holder}")
            document, passages, warnings = await asyncio.to_thread(self._passages, path, data, beside, digest)
        except Unreadable as error:
            kept = "" if before is None else "; the version taken in before stays"
            return _failure(path, error.code, f"{error}{kept}", identity if before else None)
        if before is not None:
            passages = await self._with_sentences(identity, passages)
        await self._index.replace(document, passages)
        self._holders[digest] = shown
        outcome = Outcome.TAKEN if before is None else Outcome.UPDATED
        return FileReport(shown, outcome, identity, len(passages), warnings=warnings)

    async def prune(self, found: Found) -> list[FileReport]:
        """Remove the documents that a folder no longer has."""
        here = {shown_path(path) for path in found.files}
        gone = [
            document for document in self._known.values() if document.path not in here and found.lists(document.path)
        ]
        await self._index.remove([document.id for document in gone])
        return [FileReport(document.path, Outcome.REMOVED, document.id) for document in gone]

    async def _with_sentences(self, identity: str, passages: Sequence[Passage]) -> list[Passage]:
        """The passages with what a model wrote of those that read, and stand under the same headings, as before."""
        known = {(one.about, one.text): one.sentence for one in await self._index.passages_of(identity)}
        sentences = (known.get((one.about, one.text)) for one in passages)
        return [one.with_sentence(said) if said else one for one, said in zip(passages, sentences, strict=True)]

    def _read(self, path: Path) -> tuple[bytes, bytes | None]:
        """The file's bytes, and its sidecar's where it has one. Errors: Unreadable."""
        data, beside = read_bytes(path, most_bytes=self._most_bytes), sidecar.find_sidecar(path)
        try:
            return data, None if beside is None else read_bytes(beside, most_bytes=sidecar.MOST_BYTES)
        except Unreadable as error:
            raise Unreadable(error.code, f"its sidecar: {error}") from error

    def _passages(
        self, path: Path, data: bytes, beside: bytes | None, digest: str
    ) -> tuple[Document, list[Passage], tuple[str, ...]]:
        identity = document_id(path, self._collection)
        loaded = parse(path.name, data)
        if beside is not None:
            loaded = sidecar.described(loaded, beside)
        passages = split(loaded, identity)
        if not passages:
            raise Unreadable("no_text", "the file holds headings or embedded data at most, and no text beside them")
        document = Document(
            id=identity,
            title=loaded.title,
            path=shown_path(path),
            collection=self._collection,
            content_hash=digest,
            url=loaded.url,
            effective=loaded.effective,
            review_by=loaded.review_by,
            expires=loaded.expires,
            superseded_by=loaded.superseded_by,
        )
        return document, passages, loaded.warnings

    def _current_hash(self, path: Path) -> str | None:
        try:
            data, beside = self._read(path)
            return content_hash(data, self._collection, beside)
        except Unreadable:
            return None


def _failure(path: Path, code: str, message: str, identity: str | None = None) -> FileReport:
    return FileReport(shown_path(path), Outcome.FAILED, identity, code=code, message=message)


def _outside(path: Path) -> FileReport:
    message = "skipped: this link leads out of the given folders; to take in what it leads to, name that place too"
    return FileReport(shown_path(path), Outcome.SKIPPED, code="outside", message=message, warnings=(message,))


def _stray(path: Path) -> FileReport:
    document = sidecar.document_of(path)
    named = "" if document is None else f" {shown_path(Path(document.name))}"
    message = (
        f"skipped: there is no document{named} beside it; a sidecar is named after its document, ending included, "
        "as leaflet.pdf.meta.yml is after leaflet.pdf"
    )
    return FileReport(shown_path(path), Outcome.SKIPPED, code="sidecar", message=message, warnings=(message,))


def _not_tried(count: int) -> str:
    """What the line that ends a report says of the files after it."""
    if not count:
        return ""
    return f"{count} more file{' was' if count == 1 else 's were'} not tried."
