"""Each ingest leaves a line that holds counts, and no line that is none gets in the way."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from adapters.cli import main
from adapters.ingest_history import HISTORY, Ingested, IngestHistory

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


def one(number: int = 1) -> Ingested:
    return Ingested(NOW + timedelta(minutes=number), "public", "command", {"taken": number})


@given(
    st.builds(
        Ingested,
        st.datetimes(timezones=st.just(UTC)),
        st.text(),
        st.text(),
        st.dictionaries(st.text(), st.integers(0, 10**6)),
    )
)
def test_what_is_written_is_what_is_read(noted: Ingested) -> None:
    assert Ingested.from_json(noted.as_json()) == noted


def test_the_youngest_comes_first_and_broken_lines_are_passed_over(tmp_path: Path) -> None:
    history = IngestHistory(tmp_path)
    history.note(one(1))
    with (tmp_path / HISTORY).open("a", encoding="utf-8") as file:
        file.write('no JSON\n[]\n{"at": 3}\n{"at": "2026-11-30", "collection": "c", "through": "t", "files": 3}\n')
    history.note(one(2))
    assert history.last(5) == [one(2), one(1)]
    assert history.last(1) == [one(2)]


def test_it_does_not_grow_for_ever_and_is_its_owners_alone(tmp_path: Path) -> None:
    history = IngestHistory(tmp_path, most_bytes=500)
    for number in range(100):
        history.note(one(number))
    files = list(tmp_path.glob(f"{HISTORY}*"))
    assert sum(file.stat().st_size for file in files) <= 2000
    assert all(file.stat().st_mode & 0o077 == 0 for file in files)
    assert history.last(3) == [one(99), one(98), one(97)]


def test_where_it_cannot_be_written_the_ingest_goes_on(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    IngestHistory(tmp_path / "nowhere").note(one())
    assert "history of ingests" in caplog.text


def test_an_ingest_by_command_is_noted_without_the_names_of_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CITEWELL_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CITEWELL_EMBEDDER", "none")
    (tmp_path / "amina-rahman.md").write_text("# Amina\n\nThe clinic is open on Mondays.\n", encoding="utf-8")
    assert CliRunner().invoke(main, ["ingest", "amina-rahman.md", "--collection", "wards"]).exit_code == 0
    (noted,) = IngestHistory(tmp_path / "home").last(9)
    assert (noted.collection, noted.through, noted.files) == ("wards", "command", {"taken": 1})
    assert "amina" not in (tmp_path / "home" / HISTORY).read_text().casefold()
