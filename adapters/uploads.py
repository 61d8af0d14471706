"""Documents that people sent: their files in the home, and a record of what each message brought, for undoing it.

The folder is hidden, so that no ingest of a folder above it takes the files in a second time, into another collection,
or prunes them. Below it: `kept/PLATFORM/TENANT/COLLECTION/NAME` with a sidecar beside each file, `earlier/` with what
was replaced, `records/` with one JSON file a message. Everything here blocks: call it off the event loop.
"""

from __future__ import annotations

import filecmp
import hashlib
import json
import os
import re
import shutil
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from pydantic import AwareDatetime, BaseModel, Field

from memory.conversation import Conversation
from retrieval.ingest import document_id
from retrieval.ingest_report import Outcome
from retrieval.readers.sidecar import ENDINGS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

_LONGEST_NAME = 120
_NOT_IN_NAME = re.compile(r"[\x00-\x1f\x7f/\\:*?\"<>|\ud800-\udfff]+")
_ID = re.compile(r"[0-9a-f]{32}")
TOOK = (Outcome.TAKEN, Outcome.UPDATED)


class Item(BaseModel):
    """One file of a message. It is settled once it has an outcome; `path` and `before` stand before it is put away.

    `before` says that a version of the same name was there, `content` is what the index then held of it.
    """

    file: str
    name: str
    path: str = ""
    before: bool = False
    outcome: Outcome | None = None
    code: str = ""
    document: str = ""
    content: str = ""
    title: str = ""
    lapsed: bool = False
    undone: bool = False


class Record(BaseModel):
    """What one message brought. `place` is where it was written."""

    id: str
    place: str
    collection: str
    at: AwareDatetime
    items: list[Item] = Field(default_factory=list)

    @property
    def taken(self) -> list[Item]:
        """What can be taken out again."""
        return [item for item in self.items if item.outcome in TOOK]

    def item(self, file: str, name: str) -> Item:
        """What is known of a file of the message."""
        found = next((one for one in self.items if one.file == file), None)
        if found is None:
            found = Item(file=file, name=name)
            self.items.append(found)
        return found


class Uploads:
    """The folder. Files are the owner's alone."""

    def __init__(self, home: Path) -> None:
        self._root = home.expanduser() / ".documents"

    def record(self, key: str, *, place: str, collection: str, at: datetime) -> Record:
        """The record of the message with this key: as it was left, or a new one that is not kept yet."""
        id_ = hashlib.sha256(key.encode(errors="replace")).hexdigest()[:32]
        return self.find(id_) or Record(id=id_, place=place, collection=collection, at=at)

    def find(self, id_: str) -> Record | None:
        """A record by its id, None where there is none that can be read."""
        if not _ID.fullmatch(id_):
            return None
        try:
            return Record.model_validate_json(self._record_file(id_).read_bytes())
        except (OSError, ValueError):
            return None

    def keep(self, record: Record) -> None:
        """Write a record down, whole or not at all."""
        file = self._record_file(record.id)
        self._folder(file.parent)
        new = file.with_suffix(".new")
        with new.open("wb") as out:
            out.write(record.model_dump_json().encode())
            out.flush()
            os.fsync(out.fileno())
        new.replace(file)

    def incoming(self, record: Record, number: int) -> Path:
        """Where a file is to be downloaded to."""
        folder = self._folder(self._root / "incoming")
        return folder / f"{record.id}-{number}"

    def place_for(self, platform: str, tenant: str, collection: str, name: str) -> Path:
        """Where a file of this name is kept: one of the same name and collection is its earlier version."""
        return self._kept_for(platform, tenant).joinpath(_named(collection), safe_name(name))

    def same_as(self, file: Path, place: Path) -> Path | None:
        """A file in the same collection with the same bytes."""
        others = sorted(place.parent.iterdir()) if place.parent.is_dir() else []
        alike = (one for one in others if not one.name.endswith(ENDINGS) and one.is_file())
        return next((one for one in alike if filecmp.cmp(one, file, shallow=False)), None)

    def put(self, file: Path, item: Item, record: Record, *, url: str | None) -> None:
        """Put a downloaded file in its place, and the version that stood there out of the way; again after a crash."""
        place, earlier = Path(item.path), self._earlier(record, item)
        self._folder(place.parent)
        if item.before and not (earlier / place.name).exists():
            self._folder(earlier)
            for one in (_sidecar(place), place):
                if one.exists():
                    one.replace(earlier / one.name)
        if file.exists():
            _sidecar(place).write_text(json.dumps({"url": url} if url else {}), encoding="utf-8")
            file.replace(place)

    def take_back(self, item: Item, record: Record) -> bool:
        """Undo `put`; whether the earlier version stands there again. Doing it twice changes nothing more."""
        place, earlier = Path(item.path), self._earlier(record, item)
        if not item.before:
            place.unlink(missing_ok=True)
            _sidecar(place).unlink(missing_ok=True)
            return False
        if (earlier / place.name).exists():
            _sidecar(place).unlink(missing_ok=True)
            for one in (_sidecar(place), place):
                if (earlier / one.name).exists():
                    (earlier / one.name).replace(one)
        return True

    def kept(self) -> Iterator[tuple[str, list[Path]]]:
        """Each collection with the files that are kept for it."""
        for folder in sorted((self._root / "kept").glob("*/*/*")):
            files = [one for one in sorted(folder.iterdir()) if not one.name.endswith(ENDINGS)]
            if files:
                yield unquote(folder.name), files

    def of_tenant(self, platform: str, tenant: str) -> set[str]:
        """The ids of all documents that were ever put away for a tenant, and not dropped since."""
        kept = {
            document_id(file, unquote(folder.name))
            for folder in sorted(self._kept_for(platform, tenant).glob("*"))
            for file in folder.iterdir()
            if not file.name.endswith(ENDINGS)
        }
        return kept | {item.document for record in self._records_of(platform, tenant) for item in record.items} - {""}

    def forget(self, platform: str, tenant: str) -> None:
        """Delete all that is of a tenant: its files, their earlier versions, and the records."""
        for record in list(self._records_of(platform, tenant)):
            shutil.rmtree(self._root / "earlier" / record.id, ignore_errors=True)
            for left in (self._root / "incoming").glob(f"{record.id}-*"):
                left.unlink(missing_ok=True)
            self._record_file(record.id).unlink(missing_ok=True)
        if (folder := self._kept_for(platform, tenant)).exists():
            shutil.rmtree(folder)

    def forget_before(self, moment: datetime) -> None:
        """Drop records older than that, with what they could bring back, and downloads that nobody took up."""
        for file in (self._root / "records").glob("*.json"):
            record = self.find(file.stem)
            if record is None or record.at < moment:
                shutil.rmtree(self._root / "earlier" / file.stem, ignore_errors=True)
                file.unlink(missing_ok=True)
        for left in (self._root / "incoming").glob("*"):
            if left.stat().st_mtime < moment.timestamp():
                left.unlink(missing_ok=True)

    def _kept_for(self, platform: str, tenant: str) -> Path:
        return self._root.joinpath("kept", _named(platform), _named(tenant))

    def _records_of(self, platform: str, tenant: str) -> Iterator[Record]:
        beginning = Conversation.of_tenant(platform, tenant)
        for file in (self._root / "records").glob("*.json"):
            record = self.find(file.stem)
            if record is not None and record.place.startswith(beginning):
                yield record

    def _earlier(self, record: Record, item: Item) -> Path:
        return self._root / "earlier" / record.id / quote(item.file, safe="")

    def _record_file(self, id_: str) -> Path:
        return self._root / "records" / f"{id_}.json"

    def _folder(self, folder: Path) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        self._root.chmod(0o700)
        return folder


def safe_name(name: str) -> str:
    """A file's name that names a file in one folder, whatever was sent; its ending stays."""
    seen = "".join(one for one in name if unicodedata.category(one) != "Cf")
    clean = _NOT_IN_NAME.sub("_", seen).strip().lstrip(".~$") or "document"
    stem, dot, ending = clean.rpartition(".")
    return f"{stem[: _LONGEST_NAME - len(ending)]}{dot}{ending}" if dot and len(ending) < 10 else clean[:_LONGEST_NAME]


def _named(part: str) -> str:
    """As the name of a folder."""
    return quote(part, safe="").replace(".", "%2E") or "_"


def _sidecar(place: Path) -> Path:
    return place.with_name(place.name + ENDINGS[0])
