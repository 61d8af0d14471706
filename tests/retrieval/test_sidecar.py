"""What stands beside a document: read with it, checked, and taken in again when it changes."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

import pytest

from retrieval.document import Standing
from retrieval.ingest import content_hash, ingest
from retrieval.ram_index import RamIndex

if TYPE_CHECKING:
    from pathlib import Path

    from retrieval.document import Document
    from retrieval.ingest_report import FileReport, IngestReport

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
TEXT = "The flu clinic is open on Tuesdays."


@pytest.fixture
def index() -> RamIndex:
    return RamIndex()


async def taken(folder: Path, index: RamIndex) -> IngestReport:
    return await ingest([folder], index, clock=lambda: NOW)


async def only(index: RamIndex) -> Document:
    (document,) = await index.catalogue()
    return document


def line(report: IngestReport, name: str) -> FileReport:
    (found,) = [file for file in report.files if file.path.endswith(f"/{name}")]
    return found


@pytest.mark.parametrize("ending", [".meta.yml", ".meta.yaml"])
async def test_a_sidecar_says_what_the_document_cannot(tmp_path: Path, index: RamIndex, ending: str) -> None:
    (tmp_path / "leaflet.txt").write_text(TEXT)
    (tmp_path / f"leaflet.txt{ending}").write_text(
        "title: Flu clinic\nurl: https://example.org/flu\neffective: 2026-01-02\nReview by: 2026-10-31\n"
        "expires: 2027-01-31\nsuperseded-by: flu-2027.pdf\n"
    )
    report = await taken(tmp_path, index)
    document = await only(index)
    assert (document.title, document.url, document.superseded_by) == (
        "Flu clinic", "https://example.org/flu", "flu-2027.pdf",
    )  # fmt: skip
    assert (document.effective, document.review_by, document.expires) == (
        date(2026, 1, 2), date(2026, 10, 31), date(2027, 1, 31),
    )  # fmt: skip
    assert report.totals["skipped"] == 0


async def test_it_goes_before_the_front_matter_and_leaves_what_it_does_not_name(
    tmp_path: Path, index: RamIndex
) -> None:
    (tmp_path / "a.md").write_text("---\ntitle: Own\neffective: 2026-01-01\nreview_by: 2026-02-01\n---\n" + TEXT)
    (tmp_path / "a.md.meta.yml").write_text("review_by: 2027-02-01\ntitle:\n")
    await taken(tmp_path, index)
    document = await only(index)
    assert (document.title, document.effective, document.review_by) == ("Own", date(2026, 1, 1), date(2027, 2, 1))


async def test_a_file_is_taken_in_again_when_its_sidecar_comes_changes_or_goes(tmp_path: Path, index: RamIndex) -> None:
    (tmp_path / "a.txt").write_text(TEXT)
    beside = tmp_path / "a.txt.meta.yml"
    outcomes = []

    async def again() -> None:
        outcomes.append((line(await taken(tmp_path, index), "a.txt").outcome.value, (await only(index)).superseded_by))

    await again()
    beside.write_text("superseded_by: b.txt")
    await again()
    await again()
    beside.write_text("superseded_by: c.txt")
    await again()
    beside.unlink()
    await again()
    assert outcomes == [
        ("taken", None), ("updated", "b.txt"), ("unchanged", "b.txt"), ("updated", "c.txt"), ("updated", None),
    ]  # fmt: skip


def test_the_hash_covers_it() -> None:
    hashes = [content_hash(b"x", "public", beside) for beside in (None, b"", b"x")]
    assert len(set(hashes)) == 3


async def test_two_copies_of_a_file_of_which_one_is_superseded_are_two_documents(
    tmp_path: Path, index: RamIndex
) -> None:
    (tmp_path / "old.txt").write_text(TEXT)
    (tmp_path / "new.txt").write_text(TEXT)
    (tmp_path / "old.txt.meta.yml").write_text("superseded_by: new.txt")
    report = await taken(tmp_path, index)
    assert {file.outcome.value for file in report.files} == {"taken"}
    (hit,) = await index.search("flu", None, k=5, today=NOW.date())
    assert hit.document.path.endswith("new.txt")


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("effective: soon", 'the sidecar\'s "effective" is no date (“soon”): write it like 2026-11-30'),
        ("effective: 2026-02-30", "is no date (“2026-02-30”)"),
        ("Review-By: 30/11/2026", '"Review-By" is no date (“30/11/2026”)'),
        ("superseded_by: [a, b]", '"superseded_by" is a list or a table'),
        ("expires: 2026-01-01\neffective: 2026-02-01", "expires (2026-01-01) comes before effective (2026-02-01)"),
        ("superceded_by: b", '"superceded_by" is not known: it may hold title, url, effective'),
        ("collection: staff", '"collection" is not known'),
        ("url: javascript:alert(1)", '"url" is no web address'),
        ("just words", "is no list of keys: write lines such as effective: 2026-11-30"),
        ("a: [", "is no valid YAML (line "),
    ],
)
async def test_what_is_wrong_in_it_is_said_and_the_file_is_not_taken_as_current(
    tmp_path: Path, index: RamIndex, written: str, said: str
) -> None:
    (tmp_path / "a.txt").write_text(TEXT)
    (tmp_path / "a.txt.meta.yml").write_text(written)
    report = await taken(tmp_path, index)
    failed = line(report, "a.txt")
    assert (failed.outcome.value, failed.code) == ("failed", "front_matter")
    assert said in (failed.message or "")
    assert (report.failed, await index.catalogue()) == (True, [])


async def test_two_sidecars_are_one_too_many(tmp_path: Path, index: RamIndex) -> None:
    for name in ("a.txt", "a.txt.meta.yml", "a.txt.meta.yaml"):
        (tmp_path / name).write_text("title: T" if "meta" in name else TEXT)
    assert "two sidecars" in (line(await taken(tmp_path, index), "a.txt").message or "")


@pytest.mark.parametrize("named", [True, False])
async def test_a_sidecar_without_its_document_is_reported(tmp_path: Path, index: RamIndex, named: bool) -> None:
    (tmp_path / "leaflet.pdf.txt").write_text(TEXT)
    stray = tmp_path / "leaflet.meta.yml"
    stray.write_text("superseded_by: b")
    report = await ingest([stray if named else tmp_path], index)
    skipped = line(report, "leaflet.meta.yml")
    assert (skipped.outcome.value, skipped.code, report.failed) == ("skipped", "sidecar", False)
    assert skipped.warnings == (skipped.message,)
    assert "no document leaflet beside it" in (skipped.message or "")


async def test_naming_a_document_and_its_sidecar_names_one_file(tmp_path: Path, index: RamIndex) -> None:
    (tmp_path / "a.txt").write_text(TEXT)
    (tmp_path / "a.txt.meta.yml").write_text("title: T")
    report = await ingest([tmp_path / "a.txt.meta.yml", tmp_path / "a.txt"], index)
    assert [file.outcome.value for file in report.files] == ["taken"]
    assert (await only(index)).title == "T"


async def test_too_long_a_sidecar_is_not_read(tmp_path: Path, index: RamIndex) -> None:
    (tmp_path / "a.txt").write_text(TEXT)
    (tmp_path / "a.txt.meta.yml").write_text("title: T\n" * 10_000)
    failed = line(await taken(tmp_path, index), "a.txt")
    assert (failed.code, (failed.message or "").partition(":")[0]) == ("too_large", "its sidecar")


# What an ingest reports

REPORTED: dict[str, tuple[str, str | None, Standing]] = {
    "old.md": ("superseded_by: new.md", "superseded by “New”: answers nothing any more", Standing.SUPERSEDED),
    "lost.md": ("superseded_by: gone.md", "superseded by “gone.md”, which is no document here", Standing.SUPERSEDED),
    "self.md": ("superseded_by: self.md", "superseded by itself", Standing.SUPERSEDED),
    "early.md": ("superseded_by: later.md", "until then neither does. Let this one say expires", Standing.SUPERSEDED),
    "later.md": ("effective: 2027-01-01", "not yet effective: answers nothing before 2027-01-01", Standing.UPCOMING),
    "ended.md": ("expires: 2026-11-29", "expired on 2026-11-29: answers nothing any more", Standing.EXPIRED),
    "due.md": (
        "review_by: 2026-03-31",
        "its review was due on 2026-03-31: answers go on, and say so",
        Standing.CURRENT,
    ),
    "new.md": ("effective: 2026-01-01", None, Standing.CURRENT),
}


async def test_an_ingest_reports_what_does_not_hold_each_time(tmp_path: Path, index: RamIndex) -> None:
    for name, (front, *_) in REPORTED.items():
        (tmp_path / name).write_text(f"---\ntitle: {name[:-3].title()}\n{front}\n---\n\nAbout {name} and the flu.")
    for outcome in ("taken", "unchanged"):
        report = await taken(tmp_path, index)
        for name, (_, said, standing) in REPORTED.items():
            file = line(report, name)
            assert (file.outcome.value, file.standing) == (outcome, standing)
            assert [said is not None and said in one for one in file.warnings] == ([True] if said else [])
        assert report.dated == {"upcoming": 1, "expired": 1, "superseded": 4, "past_review": 1}
        due = line(report, "due.md").as_json()
        assert (due["standing"], due["review_missed"]) == ("current", "2026-03-31")


@pytest.mark.parametrize("key", ["superceded_by", "review-date", "Effective date", "expires_on", "expiry"])
async def test_a_key_that_looks_like_a_known_one_is_asked_about(tmp_path: Path, index: RamIndex, key: str) -> None:
    (tmp_path / "a.md").write_text(f"---\n{key}: 2020-01-01\nsource: x\nauthor: y\n---\n\n{TEXT}")
    warnings = line(await taken(tmp_path, index), "a.md").warnings
    assert [f'"{key}" is not known and was passed over' in one for one in warnings] == [True]


async def test_a_page_says_its_dates_in_its_head(tmp_path: Path, index: RamIndex) -> None:
    (tmp_path / "a.html").write_text(
        "<html><head><title>T</title><meta name='effective' content='2026-01-02'><meta name=review-by content="
        f"2026-03-31><meta name=superseded_by content='b.html'><meta name=expires content=never></head><p>{TEXT}</p>"
    )
    await taken(tmp_path, index)
    document = await only(index)
    assert (document.effective, document.review_by, document.superseded_by, document.expires) == (
        date(2026, 1, 2), date(2026, 3, 31), "b.html", None,
    )  # fmt: skip
    (tmp_path / "a.html").write_text(f"<html><head><meta name=effective content=soon></head><p>{TEXT}</p>")
    failed = line(await taken(tmp_path, index), "a.html")
    assert (failed.outcome.value, failed.message) == (
        "failed",
        'the page\'s "effective" is no date (“soon”): write it like 2026-11-30; the version taken in before stays',
    )
