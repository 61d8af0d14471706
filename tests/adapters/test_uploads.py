"""What people sent is kept where nothing else comes by it, and can be taken back however often it is tried."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.uploads import Item, Record, Uploads, safe_name
from retrieval.ingest_report import Outcome
from retrieval.readers.kind import BY_EXTENSION
from retrieval.walk import walk

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


@given(st.text(max_size=300), st.sampled_from([*BY_EXTENSION, ""]))
def test_any_name_becomes_that_of_a_file_in_one_folder_with_its_ending(stem: str, ending: str) -> None:
    name = safe_name(stem + ending)
    assert Path("/folder", name).parent == Path("/folder")
    assert name not in {"", ".", ".."}
    assert not name.startswith(".")
    assert len(name) <= 130
    if stem.strip(" .~$\t\n"):
        assert not ending or name.endswith(ending)


PARTS = st.text(st.characters(codec="utf-8"), max_size=20) | st.sampled_from(["..", ".", "a/../../b"])


@given(PARTS, PARTS, PARTS)
def test_no_tenant_collection_or_name_leads_out_of_the_folder(tenant: str, collection: str, name: str) -> None:
    place = Uploads(Path("/home")).place_for("slack", tenant, collection, name)
    assert place.is_relative_to("/home/.documents/kept")
    assert ".." not in place.parts
    assert len(place.parts) == 8


def brought(uploads: Uploads, key: str, data: bytes, *, name: str = "rota.md") -> tuple[Record, Item]:
    """A message's file, put in its place."""
    record = uploads.record(key, place="p", collection="wards", at=NOON)
    item = record.item("F1", name)
    place = uploads.place_for("slack", "T1", "wards", name)
    item.path, item.before, item.outcome = str(place), place.exists(), Outcome.TAKEN
    uploads.keep(record)
    incoming = uploads.incoming(record, 0)
    incoming.write_bytes(data)
    uploads.put(incoming, item, record, url="https://clinic.slack.com/files/F1")
    return record, item


def test_taking_back_twice_is_taking_back_once(tmp_path: Path) -> None:
    uploads = Uploads(tmp_path)
    first, second = brought(uploads, "m1", b"one"), brought(uploads, "m2", b"two")
    place = Path(first[1].path)
    assert place.read_bytes() == b"two"
    for _ in range(2):
        assert uploads.take_back(second[1], second[0])
        assert place.read_bytes() == b"one"
    for _ in range(2):
        assert not uploads.take_back(first[1], first[0])
        assert list(place.parent.iterdir()) == []


def test_putting_again_after_a_crash_keeps_the_version_of_before(tmp_path: Path) -> None:
    uploads = Uploads(tmp_path)
    brought(uploads, "m1", b"one")
    record, item = brought(uploads, "m2", b"two")
    incoming = uploads.incoming(record, 0)
    incoming.write_bytes(b"two")
    uploads.put(incoming, item, record, url=None)
    uploads.take_back(item, record)
    assert Path(item.path).read_bytes() == b"one"


def test_a_record_is_found_again_by_its_message_and_goes_with_the_time(tmp_path: Path) -> None:
    uploads = Uploads(tmp_path)
    record, _ = brought(uploads, "m1", b"one")
    assert uploads.record("m1", place="other", collection="other", at=NOON) == record
    uploads.forget_before(NOON - timedelta(days=1))
    assert uploads.find(record.id) == record
    uploads.forget_before(NOON + timedelta(days=1))
    assert uploads.find(record.id) is None
    assert [names for _, files in uploads.kept() for names in files] != []


@pytest.mark.parametrize("id_", ["", "..", "../x", "A" * 32, "0" * 33])
def test_an_id_that_is_none_finds_nothing(tmp_path: Path, id_: str) -> None:
    assert Uploads(tmp_path).find(id_) is None


def test_a_walk_of_the_home_does_not_come_by_it_and_does_not_miss_it(tmp_path: Path) -> None:
    uploads = Uploads(tmp_path)
    _, item = brought(uploads, "m1", b"one")
    found = walk([tmp_path])
    assert found.files == []
    assert not found.lists(item.path)
    assert walk([Path(item.path)]).files == [Path(item.path)]


def test_it_is_for_the_owner_alone(tmp_path: Path) -> None:
    brought(Uploads(tmp_path), "m1", b"one")
    assert (tmp_path / ".documents").stat().st_mode & 0o077 == 0
