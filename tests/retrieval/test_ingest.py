"""Taking files into an index: what is skipped, replaced, removed, kept and reported."""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from retrieval.errors import IndexUnavailable
from retrieval.ingest import IngestReport, Outcome, Progress, content_hash, document_id, ingest
from retrieval.ram_index import RamIndex
from retrieval.sqlite_index import SqliteIndex

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from retrieval.document import Document, Passage


class Recorder(RamIndex):
    """The index in memory, with a list of what was put in."""

    def __init__(self) -> None:
        super().__init__()
        self.replaced: list[Document] = []

    async def replace(self, document: Document, passages: Sequence[Passage]) -> None:
        assert passages
        self.replaced.append(document)
        await super().replace(document, passages)


@pytest.fixture
def index() -> Recorder:
    return Recorder()


def outcomes(report: IngestReport) -> dict[str, str]:
    return {Path(file.path).name: file.outcome.value for file in report.files}


async def titles(index: RamIndex, collection: str | None = None) -> set[str]:
    return {document.title for document in await index.catalogue(collection)}


async def test_files_are_taken_once_and_unchanged_ones_skipped(tmp_path: Path, index: Recorder) -> None:
    (tmp_path / "a.md").write_text("---\ntitle: A\nurl: https://example.org/a\n---\n\nText a.")
    (tmp_path / "b.txt").write_text("Text b.")
    assert outcomes(await ingest([tmp_path], index)) == {"a.md": "taken", "b.txt": "taken"}
    assert outcomes(await ingest([tmp_path], index)) == {"a.md": "unchanged", "b.txt": "unchanged"}
    assert len(index.replaced) == 2
    first = index.replaced[0]
    assert (first.title, first.url, first.path) == ("A", "https://example.org/a", str(tmp_path / "a.md"))
    assert first.id == document_id(tmp_path / "a.md", "public")


async def test_a_changed_file_replaces_its_old_version(tmp_path: Path, index: Recorder) -> None:
    path = tmp_path / "a.md"
    path.write_text("# Old\n\nOld text.")
    await ingest([path], index)
    path.write_text("# New\n\nNew text.")
    assert outcomes(await ingest([path], index)) == {"a.md": "updated"}
    assert await titles(index) == {"New"}


async def test_a_new_reader_takes_files_in_anew(tmp_path: Path, index: Recorder) -> None:
    path = tmp_path / "a.md"
    path.write_text("Text.")
    await ingest([path], index)
    await index.replace(replace(index.replaced[0], content_hash="of an older reader"), (await only_passages(index)))
    assert outcomes(await ingest([path], index)) == {"a.md": "updated"}


async def only_passages(index: RamIndex) -> list[Passage]:
    return [hit.passage for hit in await index.search("text", None, k=5)]


async def test_collections_are_apart(tmp_path: Path, index: Recorder) -> None:
    path = tmp_path / "a.md"
    path.write_text("Text.")
    await ingest([path], index, collection="staff")
    assert outcomes(await ingest([path], index)) == {"a.md": "taken"}
    assert len({document.id for document in index.replaced}) == 2
    assert content_hash(b"x", "staff") != content_hash(b"x", "public")


async def test_one_bad_file_does_not_stop_the_rest(tmp_path: Path, index: Recorder) -> None:
    (tmp_path / "a.pdf").write_bytes(b"")
    (tmp_path / "b.md").write_text("# Only a heading")
    (tmp_path / "c.md").write_text("Text.")
    report = await ingest([tmp_path, tmp_path / "gone.md"], index)
    assert outcomes(report) == {"a.pdf": "failed", "b.md": "failed", "c.md": "taken", "gone.md": "failed"}
    assert {file.code for file in report.files} == {"empty", "no_text", "missing", None}
    assert report.failed


async def test_a_named_file_of_unknown_type_fails_and_in_a_folder_it_is_passed_over(
    tmp_path: Path, index: Recorder
) -> None:
    for name in ("song.mp3", ".hidden.md", "~$lock.docx", "a.md"):
        (tmp_path / name).write_text("Text.")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "b.md").write_text("Text.")
    named = await ingest([tmp_path / "song.mp3"], index)
    assert [(file.outcome, file.code) for file in named.files] == [(Outcome.FAILED, "unsupported")]
    walked = await ingest([tmp_path], index)
    assert outcomes(walked) == {"a.md": "taken"}
    assert walked.skipped == 4
    assert not walked.failed


async def test_a_file_that_fails_keeps_its_version_of_before(tmp_path: Path, index: Recorder) -> None:
    path = tmp_path / "a.md"
    path.write_text("# Kept\n\nText.")
    await ingest([path], index)
    path.write_bytes(b"")
    report = await ingest([tmp_path], index, prune=True)
    assert await titles(index) == {"Kept"}
    assert report.files[0].message is not None
    assert "before stays" in report.files[0].message


async def test_prune_removes_what_has_gone_from_the_given_folders_only(tmp_path: Path, index: Recorder) -> None:
    for name in ("one/a.md", "one/b.md", "two/c.md"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"# {path.stem}\n\nText of {path.stem}.")
    await ingest([tmp_path], index)
    await ingest([tmp_path], index, collection="staff")
    (tmp_path / "one/b.md").unlink()
    (tmp_path / "two/c.md").unlink()
    assert outcomes(await ingest([tmp_path / "one"], index)) == {"a.md": "unchanged"}
    assert await titles(index, "public") == {"a", "b", "c"}
    report = await ingest([tmp_path / "one"], index, prune=True)
    assert outcomes(report) == {"a.md": "unchanged", "b.md": "removed"}
    assert await titles(index, "public") == {"a", "c"}
    assert await titles(index, "staff") == {"a", "b", "c"}


async def test_prune_removes_nothing_when_the_folder_is_missing(tmp_path: Path, index: Recorder) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("Text.")
    await ingest([folder], index)
    folder.rename(tmp_path / "moved")
    report = await ingest([folder], index, prune=True)
    assert [file.code for file in report.files] == ["missing"]
    assert len(await index.catalogue()) == 1


async def test_a_copy_is_named_and_taken_in_once_the_other_is_gone(tmp_path: Path, index: Recorder) -> None:
    (tmp_path / "a.md").write_text("Same text.")
    (tmp_path / "b.md").write_text("Same text.")
    report = await ingest([tmp_path], index)
    assert outcomes(report) == {"a.md": "taken", "b.md": "duplicate"}
    assert report.files[1].message == f"the same content as {tmp_path / 'a.md'}"
    assert not report.failed
    (tmp_path / "a.md").write_text("Other text now.")
    assert outcomes(await ingest([tmp_path], index)) == {"a.md": "updated", "b.md": "taken"}


async def test_a_file_that_became_a_copy_loses_its_old_version(tmp_path: Path, index: Recorder) -> None:
    (tmp_path / "a.md").write_text("Text a.")
    (tmp_path / "b.md").write_text("Text b.")
    await ingest([tmp_path], index)
    (tmp_path / "a.md").write_text("Text b.")
    assert outcomes(await ingest([tmp_path], index)) == {"a.md": "duplicate", "b.md": "unchanged"}
    assert [document.path for document in await index.catalogue()] == [str(tmp_path / "b.md")]


async def test_links_in_a_circle_end(tmp_path: Path, index: Recorder) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.md").write_text("Text.")
    (tmp_path / "in" / "again").symlink_to(tmp_path)
    assert outcomes(await ingest([tmp_path], index)) == {"a.md": "taken"}


async def test_links_are_followed_to_places_in_the_given_folders_only(tmp_path: Path, index: Recorder) -> None:
    for name in ("docs/a.md", "more/b.md", "secret/c.md"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(f"Text {name}.")
    docs = tmp_path / "docs"
    (docs / "more").symlink_to(tmp_path / "more")
    (docs / "out").symlink_to(tmp_path / "secret")
    (docs / "out.md").symlink_to(tmp_path / "secret" / "c.md")
    (docs / "same.md").symlink_to("a.md")
    alone = await ingest([docs], index)
    assert outcomes(alone) == {
        "a.md": "taken", "same.md": "duplicate", "more": "skipped", "out": "skipped", "out.md": "skipped",
    }  # fmt: skip
    assert (alone.totals["skipped"], alone.failed) == (3, False)
    together = await ingest([docs, tmp_path / "more"], index)
    assert outcomes(together)["b.md"] in {"taken", "duplicate"}
    assert {file.code for file in together.files if Path(file.path).name.startswith("out")} == {"outside"}


async def test_a_file_whose_name_is_no_utf8_is_taken_in_under_a_path_that_can_be_shown(tmp_path: Path) -> None:
    bad = tmp_path / os.fsdecode(b"bad\xff\xfe\x1b.md")
    bad.write_text("Text.")
    (tmp_path / "good.md").write_text("Other text.")
    index = await SqliteIndex.open(tmp_path / "home" / "index.db", embedder=None)
    report = await ingest([tmp_path], index)
    assert [file.outcome.value for file in report.files] == ["taken", "taken"]
    assert report.files[0].path == f"{tmp_path}/bad\\xff\\xfe\\x1b.md"
    assert {document.title for document in await index.catalogue()} == {"Bad", "Good"}
    assert set(outcomes(await ingest([tmp_path], index, prune=True)).values()) == {"unchanged"}
    (tmp_path / "copy.md").write_text("Text.")
    assert outcomes(await ingest([tmp_path], index))["copy.md"] == "duplicate"
    bad.unlink()
    (tmp_path / "copy.md").unlink()
    assert outcomes(await ingest([tmp_path], index, prune=True))[r"bad\xff\xfe\x1b.md"] == "removed"
    await index.close()


class Filling(Recorder):
    """An index whose disk is full after the first document."""

    async def replace(self, document: Document, passages: Sequence[Passage]) -> None:
        if self.replaced:
            raise IndexUnavailable("The index cannot grow: the disk is full.")
        await super().replace(document, passages)


async def test_a_full_disk_ends_the_report_with_the_file_that_met_it(tmp_path: Path) -> None:
    for name in "abcd":
        (tmp_path / f"{name}.md").write_text(f"Text {name}.")
    (tmp_path / "gone.md").write_text("Text.")
    report = await ingest([tmp_path], Filling(), prune=True)
    assert outcomes(report) == {"a.md": "taken", "b.md": "failed"}
    assert report.files[-1].message == "The index cannot grow: the disk is full. 3 more files were not tried."
    assert (report.failed, report.stopped, report.not_tried) == (True, True, 3)
    assert report.as_json()["not_tried"] == 3


class Lockable(Recorder):
    """An index that lets no document go while it is locked."""

    locked = False

    async def remove(self, document_ids: Collection[str]) -> None:
        if self.locked:
            raise IndexUnavailable("The index is locked.")
        await super().remove(document_ids)


async def test_a_prune_that_fails_leaves_the_report_of_what_was_taken_in(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.md").write_text(f"Text {name}.")
    index = Lockable()
    await ingest([tmp_path], index)
    index.locked = True
    (tmp_path / "a.md").unlink()
    report = await ingest([tmp_path], index, prune=True)
    assert outcomes(report) == {"b.md": "unchanged", tmp_path.name: "failed"}
    assert report.files[-1].message == "The index is locked. Nothing was removed."
    assert report.stopped


async def test_a_file_that_holds_nothing_but_data_has_no_text(tmp_path: Path, index: Recorder) -> None:
    (tmp_path / "a.md").write_text(f"![](data:image/png;base64,{'iVBORw0K' * 100})")
    assert [file.code for file in (await ingest([tmp_path], index)).files] == ["no_text"]


async def test_progress_counts_every_file(tmp_path: Path, index: Recorder) -> None:
    for name in ("a.md", "b.pdf"):
        (tmp_path / name).write_text(f"Text of {name}.")
    steps: list[Progress] = []
    await ingest([tmp_path], index, on_progress=steps.append)
    assert [(step.done, step.total, step.file.outcome) for step in steps] == [
        (1, 2, Outcome.TAKEN),
        (2, 2, Outcome.FAILED),
    ]


async def test_cancelling_leaves_whole_documents(tmp_path: Path, index: Recorder) -> None:
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text(f"Text {name}.")

    def stop(step: Progress) -> None:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await ingest([tmp_path], index, on_progress=stop)
    assert [document.title for document in await index.catalogue()] == ["A"]
    assert outcomes(await ingest([tmp_path], index)) == {"a.md": "unchanged", "b.md": "taken"}


async def test_the_report_is_json_with_all_totals(tmp_path: Path, index: Recorder) -> None:
    (tmp_path / "a.txt").write_bytes("Café au lait.".encode("cp1252"))
    report = json.loads(json.dumps((await ingest([tmp_path], index)).as_json()))
    assert set(report["totals"]) == {outcome.value for outcome in Outcome} | {"skipped"}
    assert report["totals"]["taken"] == 1
    assert report["files"][0]["warnings"] == ["not UTF-8: read as windows-1252"]
    assert report["files"][0]["passages"] == 1


def test_ids_are_readable_and_tell_places_apart(tmp_path: Path) -> None:
    one, two = tmp_path / "one" / "Flu clinic (2026).md", tmp_path / "two" / "Flu clinic (2026).md"
    assert document_id(one, "public").startswith("Flu-clinic-2026-")
    assert len({document_id(one, "public"), document_id(two, "public"), document_id(one, "staff")}) == 3
    assert len(document_id(tmp_path / ("x" * 200 + ".md"), "public")) == 69
