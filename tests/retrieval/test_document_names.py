"""A document is found by what people call it, and a name that several share is no name."""

from __future__ import annotations

import pytest

from retrieval.document import PUBLIC, Document
from retrieval.document_names import AmbiguousName, DocumentNames


def document(id_: str, path: str, url: str | None = None) -> Document:
    return Document(id_, "A title", path, PUBLIC, "0", url=url)


FLU = document("flu-1", "/docs/public/flu-clinic.md", "https://larkfield.example/flu")
CYSTIC = document("ghr-2", "/docs/ghr/GHR_0000163-cystic-fibrosis.md")
STAFF_FLU = document("flu-3", "/docs/staff/flu-clinic.md", "https://larkfield.example/staff/flu")


@pytest.mark.parametrize(
    "name",
    [
        "flu-1",
        "https://larkfield.example/flu",
        "/docs/public/flu-clinic.md",
        "public/flu-clinic.md",
        "flu-clinic.md",
        "flu-clinic",
        "flu",
    ],
)
def test_each_form_finds_it(name: str) -> None:
    assert DocumentNames([FLU, CYSTIC]).find(name) is FLU


def test_a_file_is_found_by_the_beginning_of_its_name() -> None:
    assert DocumentNames([FLU, CYSTIC]).find("GHR_0000163") is CYSTIC


@pytest.mark.parametrize("name", ["ghr-2#1", "GHR_0000163#4", "GHR_0000163-cystic-fibrosis.md#Treatment"])
def test_a_passage_or_section_stands_for_its_document(name: str) -> None:
    assert DocumentNames([FLU, CYSTIC]).find(name) is CYSTIC


def test_a_file_may_have_a_hash_in_its_name() -> None:
    notes, first = document("n", "/docs/ward #1.md"), document("w", "/docs/ward .md")
    assert DocumentNames([notes, first]).find("ward #1.md") is notes


@pytest.mark.parametrize(
    "name", ["", "#", "#1", "clinic#1", "clinic", "GHR_000016", "lic/flu-clinic.md", "A title", "FLU-1"]
)
def test_half_a_name_is_none(name: str) -> None:
    assert DocumentNames([FLU, CYSTIC]).find(name) is None


@pytest.mark.parametrize("name", ["flu-clinic.md", "flu-clinic", "flu"])
def test_a_name_that_two_share_is_refused_with_their_ids(name: str) -> None:
    with pytest.raises(AmbiguousName, match=r"2 documents.*flu-1, flu-3"):
        DocumentNames([FLU, STAFF_FLU]).find(name)


def test_a_longer_path_tells_them_apart() -> None:
    assert DocumentNames([FLU, STAFF_FLU]).find("staff/flu-clinic.md") is STAFF_FLU


def test_a_whole_name_goes_before_a_beginning() -> None:
    short = document("x", "/docs/flu.md")
    assert DocumentNames([FLU, short]).find("flu") is short
