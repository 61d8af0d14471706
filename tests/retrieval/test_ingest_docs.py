"""Real and damaged documents: each behaves as its manifest says and holds what is expected of it."""

from __future__ import annotations

import csv
import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from retrieval.errors import Unreadable
from retrieval.load import load
from retrieval.split import split

if TYPE_CHECKING:
    from pathlib import Path

    from retrieval.document import Passage

FAILURES = {
    "pypdf_password.pdf": "encrypted",
    "encrypted_user_password.pdf": "encrypted",
    "scanned_no_text_layer.pdf": "scanned",
    "zero_byte.pdf": "empty",
    "truncated.pdf": "broken",
    "html_named.pdf": "wrong_type",
}
RUNNING = {
    "cdc_outpatient_infection_prevention_2016.pdf": r"Version 2\.3 ?- ?September 2016",
    "two_column_leaflet.pdf": r"TEST COPY|Health information leaflet|Not for clinical use|Page \d",
    "leaflet.docx": r"Not for clinical use|TEST COPY",
}


@pytest.fixture(scope="module")
def folder(shared: Path) -> Path:
    return shared / "data" / "ingest_docs"


@pytest.fixture(scope="module")
def passages(folder: Path) -> dict[str, list[Passage]]:
    """Every readable file's passages, the spans checked."""
    found = {}
    for path in sorted((folder / "files").iterdir()):
        if path.name not in FAILURES:
            loaded = load(path)
            found[path.name] = split(loaded, path.stem)
            assert all(loaded.text[slice(*passage.span)] == passage.text for passage in found[path.name])
    return found


def normal(text: str) -> str:
    return " ".join(text.lower().split())


def test_every_file_of_the_manifest_is_taken_or_refused_as_it_says(
    folder: Path, passages: dict[str, list[Passage]]
) -> None:
    with (folder / "manifest.tsv").open(newline="") as manifest:
        rows = list(csv.DictReader(manifest, delimiter="\t"))
    assert {row["file"] for row in rows} == set(passages) | set(FAILURES)
    assert {row["file"] for row in rows if row["expected"].startswith("ingest")} == set(passages)
    assert all(passages.values())


@pytest.mark.parametrize("name", FAILURES)
def test_a_file_that_cannot_be_read_says_why(folder: Path, name: str) -> None:
    with pytest.raises(Unreadable) as caught:
        load(folder / "files" / name)
    assert caught.value.code == FAILURES[name]


def test_what_is_expected_stands_in_one_passage_on_its_page(folder: Path, passages: dict[str, list[Passage]]) -> None:
    for line in (folder / "expected.jsonl").read_text().splitlines():
        expected: dict[str, Any] = json.loads(line)
        if expected["file"] in FAILURES:
            continue
        found = [passage for passage in passages[expected["file"]] if expected["page"] in {None, passage.page}]
        wanted = [normal(text) for text in expected.get("must_contain", [])]
        assert any(all(text in normal(passage.text) for text in wanted) for passage in found), expected
        for unwanted in expected.get("must_not_contain", []):
            assert not any(normal(unwanted) in normal(passage.text) for passage in found), expected


@pytest.mark.parametrize("name", RUNNING)
def test_running_headers_and_footers_are_in_no_passage(passages: dict[str, list[Passage]], name: str) -> None:
    assert not [passage.text for passage in passages[name] if re.search(RUNNING[name], passage.text)]


def test_every_page_of_the_real_corpus_gives_verbatim_passages(shared: Path) -> None:
    paths = sorted((shared / "data" / "corpus" / "docs").rglob("*.md"))[::25]
    for path in paths:
        written = path.read_text()
        split_up = split(load(path), path.stem)
        assert split_up
        assert all(passage.text in written for passage in split_up)
