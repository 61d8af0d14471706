"""What `SqliteIndex` does beyond the contract: processes, kills, models, and files that cannot be used."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from sqlite_utils import Database

from retrieval.embed import HashEmbedder
from retrieval.errors import IndexMismatch, IndexUnavailable
from retrieval.schema import MIGRATIONS
from retrieval.sqlite_file import mended
from retrieval.sqlite_index import SqliteIndex
from tests.retrieval.samples import document, embed_all, put

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

EMBEDDER = HashEmbedder()
MODEL = (EMBEDDER.name, EMBEDDER.dimensions)
OTHER_MODEL = ("hash-32", 32)
LARGE = 300


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "index.db"


@pytest.fixture
async def index(path: Path) -> AsyncIterator[SqliteIndex]:
    opened = await SqliteIndex.open(path, embedder=MODEL)
    yield opened
    await opened.close()


async def texts(index: SqliteIndex, words: str, k: int = 2 * LARGE) -> list[str]:
    return sorted(hit.passage.text for hit in await index.search(words, None, k=k))


# Files of earlier versions


async def test_an_index_made_before_documents_could_expire_goes_on_and_heeds_the_dates_it_has(path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        MIGRATIONS.apply(Database(connection), stop_before="0003_expires")
        for number, superseded_by in enumerate((None, "new"), start=1):
            connection.execute(
                "INSERT INTO documents (number, id, title, path, collection, content_hash, superseded_by) "
                "VALUES (?1, 'd' || ?1, 'Flu', '/d.md', 'public', '0', ?2)",
                (number, superseded_by),
            )
            connection.execute(
                "INSERT INTO passages VALUES (?1, 'd' || ?1 || '#0', ?1, 0, 'flu ' || ?1, '', '[]', 0, 5, '', NULL)",
                (number,),
            )
            connection.execute(
                "INSERT INTO passages_fts (rowid, title, context, text) VALUES (?, '', '', 'flu')", (number,)
            )
    index = await SqliteIndex.open(path, embedder=MODEL)
    assert [hit.passage.id for hit in await index.search("flu", None, k=5, today=date(2026, 11, 30))] == ["d1#0"]
    await put(index, replace(document("d1"), expires=date(2026, 11, 29)), "flu")
    assert await index.search("flu", None, k=5, today=date(2026, 11, 30)) == []
    assert {one.id: one.expires for one in await index.catalogue()} == {"d1": date(2026, 11, 29), "d2": None}
    await index.close()


# Other processes


class Replacing:
    """A process that is in the middle of a replacement."""

    def __init__(self, path: Path, word: str, pause: int) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.retrieval.replacing", str(path), word, str(LARGE), str(pause)],
            cwd=Path(__file__).parents[2],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "paused\n"

    def finish(self) -> None:
        self.process.communicate("\n", timeout=60)
        assert self.process.returncode == 0

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate(timeout=60)
        assert self.process.returncode == -signal.SIGKILL


async def test_a_search_beside_another_process_sees_the_old_version_until_the_new_one_is_whole(
    index: SqliteIndex, path: Path
) -> None:
    old = await put(index, document(), *(f"alpha plan {number}" for number in range(5)))
    replacing = await asyncio.to_thread(Replacing, path, "beta", LARGE // 2)
    assert await texts(index, "plan") == [one.text for one in old]
    await asyncio.to_thread(replacing.finish)
    assert await texts(index, "alpha") == []
    assert len(await texts(index, "plan")) == LARGE


@pytest.mark.parametrize("pause", [0, 1, LARGE // 2, LARGE - 1, LARGE])
async def test_a_kill_in_the_middle_leaves_the_old_version_whole(index: SqliteIndex, path: Path, pause: int) -> None:
    old = await put(index, document(), *(f"alpha plan {number}" for number in range(5)))
    await embed_all(index, EMBEDDER)
    await index.close()
    replacing = await asyncio.to_thread(Replacing, path, "beta", pause)
    await asyncio.to_thread(replacing.kill)

    again = await SqliteIndex.open(path, embedder=MODEL)
    assert await again.catalogue() == [document()]
    assert await texts(again, "plan") == [one.text for one in old]
    assert await texts(again, "beta") == []
    status = await again.status()
    assert (status.passages, status.embedded) == (5, 5)
    new = await put(again, document(version="2"), "gamma plan")
    assert await texts(again, "plan") == [new[0].text]
    await again.close()
    assert_sound(path)


async def test_a_write_waits_for_the_write_of_another_process(index: SqliteIndex, path: Path) -> None:
    replacing = await asyncio.to_thread(Replacing, path, "beta", 1)
    waiting = asyncio.create_task(put(index, document("other"), "gamma plan"))
    assert await texts(index, "gamma") == []
    await asyncio.to_thread(replacing.finish)
    await waiting
    assert await texts(index, "gamma") == ["gamma plan"]
    assert len(await texts(index, "beta")) == LARGE


async def test_an_open_index_sees_vectors_come_and_go_by_another(index: SqliteIndex, path: Path) -> None:
    query = await EMBEDDER.embed_query("flu clinic")
    await put(index, document(), "flu clinic", "parking")
    await embed_all(index, EMBEDDER)

    async def near() -> dict[str, float | None]:
        return {hit.passage.id: hit.cosine for hit in await index.search("", query, k=1)}

    assert await near() == {"flu#0": pytest.approx(1.0)}
    other = await SqliteIndex.open(path, embedder=MODEL)
    await put(other, document("better"), "flu clinic", "hours")
    await other.remove(["flu"])
    assert await near() == {}
    await embed_all(other, EMBEDDER)
    assert await near() == {"better#0": pytest.approx(1.0)}
    await other.close()


async def test_many_may_open_a_new_file_at_once(path: Path) -> None:
    opened = await asyncio.gather(*(SqliteIndex.open(path, embedder=MODEL) for _ in range(6)))
    for number, index in enumerate(opened):
        await put(index, document(f"d{number}"), "flu")
    assert (await opened[0].status()).documents == 6
    for index in opened:
        await index.close()


async def test_one_file_is_left_when_all_have_closed(index: SqliteIndex, path: Path) -> None:
    await put(index, document(), "flu")
    await index.close()
    assert [one.name for one in path.parent.iterdir()] == ["index.db"]


def assert_sound(path: Path) -> None:
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    connection.execute("INSERT INTO passages_fts (passages_fts) VALUES ('integrity-check')")
    assert connection.execute("SELECT rowid FROM passages_fts EXCEPT SELECT number FROM passages").fetchall() == []
    connection.close()


async def test_the_file_is_sound_after_sentences_have_come_and_changed(index: SqliteIndex, path: Path) -> None:
    made = await put(index, document(), *(f"flu plan {number}" for number in range(20)))
    await embed_all(index, EMBEDDER)
    for word in ("alpha", "beta"):
        await index.set_contexts([one.with_sentence(f"About {word}.") for one in made[::2]])
    assert len(await texts(index, "beta")) == 10
    await index.close()
    assert_sound(path)


# What is kept


async def test_all_is_there_after_opening_again(index: SqliteIndex, path: Path) -> None:
    made = await put(index, document(), "flu clinic")
    await embed_all(index, EMBEDDER)
    before = await index.status()
    await index.close()
    again = await SqliteIndex.open(path, embedder=MODEL)
    assert await again.status() == before
    (hit,) = await again.search("flu", await EMBEDDER.embed_query("flu clinic"), k=5)
    assert (hit.passage, hit.document, hit.found_by) == (made[0], document(), ("keyword", "vector"))
    await again.close()


async def test_status_tells_the_model_and_the_time_of_the_last_change(path: Path) -> None:
    moments = iter(datetime(2026, 1, day, tzinfo=UTC) for day in (1, 2))
    index = await SqliteIndex.open(path, embedder=MODEL, clock=lambda: next(moments))
    assert (await index.status()).updated_at is None
    await put(index, document(), "flu")
    status = await index.status()
    assert (status.model, status.updated_at) == (None, datetime(2026, 1, 1, tzinfo=UTC))
    await embed_all(index, EMBEDDER)
    status = await index.status()
    assert (status.model, status.dimensions, status.updated_at) == (*MODEL, datetime(2026, 1, 2, tzinfo=UTC))
    await index.close()


async def test_status_follows_what_another_process_changes(index: SqliteIndex, path: Path) -> None:
    other = await SqliteIndex.open(path, embedder=MODEL)
    seen = []

    async def counted() -> None:
        assert await index.status() == await index.status()
        seen.append(((await index.status()).passages, (await index.status()).embedded))

    await counted()
    await put(other, document(), "flu clinic", "flu letter")
    await counted()
    await embed_all(other, EMBEDDER)
    await counted()
    await put(other, document(), "flu clinic")
    await counted()
    await other.close()
    other = await SqliteIndex.open(path, embedder=OTHER_MODEL, re_embed=True)
    await counted()
    await other.remove([document().id])
    await counted()
    await other.close()
    assert seen == [(0, 0), (2, 0), (2, 2), (1, 1), (1, 0), (0, 0)]


async def test_a_replacement_that_fails_leaves_the_old_version(index: SqliteIndex) -> None:
    await put(index, document(), "flu clinic")
    with pytest.raises(UnicodeEncodeError):
        await put(index, document(version="2"), "measles", "not text: \ud800")
    assert await texts(index, "flu clinic measles") == ["flu clinic"]


# Models


async def filled(path: Path) -> None:
    index = await SqliteIndex.open(path, embedder=MODEL)
    await put(index, document(), "flu clinic")
    await embed_all(index, EMBEDDER)
    await index.close()


@pytest.mark.parametrize("other", [OTHER_MODEL, ("hash-64", 32), ("another", 64)])
async def test_another_model_is_refused_with_both_names_and_the_remedy(path: Path, other: tuple[str, int]) -> None:
    await filled(path)
    with pytest.raises(IndexMismatch) as raised:
        await SqliteIndex.open(path, embedder=other)
    assert all(part in str(raised.value) for part in ("hash-64", "64", other[0], str(other[1]), "--re-embed"))


async def test_words_serve_whatever_the_model(path: Path) -> None:
    await filled(path)
    index = await SqliteIndex.open(path, embedder=None)
    assert await texts(index, "flu") == ["flu clinic"]
    with pytest.raises(IndexMismatch):
        await index.add_vectors(["flu#0"], np.ones((1, 64), np.float32))
    await index.close()


async def test_re_embedding_drops_the_vectors_of_another_model_only(path: Path) -> None:
    await filled(path)
    same = await SqliteIndex.open(path, embedder=MODEL, re_embed=True)
    assert (await same.status()).embedded == 1
    await same.close()
    other = await SqliteIndex.open(path, embedder=OTHER_MODEL, re_embed=True)
    assert ((await other.status()).passages, (await other.status()).embedded) == (1, 0)
    await embed_all(other, HashEmbedder(32))
    assert ((await other.status()).model, (await other.status()).dimensions) == OTHER_MODEL
    await other.close()


async def test_another_model_may_start_on_an_index_without_vectors(index: SqliteIndex, path: Path) -> None:
    await put(index, document(), "flu clinic")
    other = await SqliteIndex.open(path, embedder=OTHER_MODEL)
    await embed_all(other, HashEmbedder(32))
    with pytest.raises(IndexMismatch):
        await index.add_vectors(["flu#0"], await EMBEDDER.embed_passages(["flu clinic"]))
    with pytest.raises(IndexMismatch):
        await index.search("flu", await EMBEDDER.embed_query("flu"), k=1)
    assert await texts(index, "flu") == ["flu clinic"]
    await other.close()


async def test_a_question_of_another_size_is_refused(index: SqliteIndex) -> None:
    await put(index, document(), "flu clinic")
    await embed_all(index, EMBEDDER)
    with pytest.raises(IndexMismatch):
        await index.search("flu", np.ones(7, np.float32), k=1)


async def test_vectors_that_damage_cut_short_are_passed_over_and_filled_anew(path: Path) -> None:
    index = await SqliteIndex.open(path, embedder=MODEL)
    await put(index, document(), "flu clinic", "opening hours", "parking")
    await embed_all(index, EMBEDDER)
    await index.close()
    connection = sqlite3.connect(path)
    connection.execute("UPDATE vectors SET vector = substr(vector, 1, 7) WHERE number = 1")
    connection.execute("UPDATE vectors SET vector = x'' WHERE number = 3")
    connection.commit()
    connection.close()
    damaged = await SqliteIndex.open(path, embedder=MODEL)
    query = await EMBEDDER.embed_query("flu clinic")
    hits = {hit.passage.text: hit.found_by for hit in await damaged.search("flu clinic", query, k=5)}
    assert hits == {"flu clinic": ("keyword",), "opening hours": ("vector",)}
    assert (await damaged.status()).embedded == 1
    assert len(await damaged.unembedded(9)) == 2
    await embed_all(damaged, EMBEDDER)
    assert (await damaged.status()).embedded == 3
    best, *others = await damaged.search("flu clinic", query, k=5)
    assert (best.found_by, len(others)) == (("keyword", "vector"), 2)
    await damaged.close()


# Files that cannot be used


async def test_the_file_and_its_folder_are_the_owners_alone(index: SqliteIndex, path: Path) -> None:
    await put(index, document(), "flu clinic")
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    assert modes == {"index.db": 0o600, "index.db-wal": 0o600, "index.db-shm": 0o600}
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


async def refusal(path: Path) -> str:
    with pytest.raises(IndexUnavailable) as raised:
        await SqliteIndex.open(path, embedder=None)
    assert str(path) in str(raised.value)
    return str(raised.value)


def put_bytes(path: Path, content: bytes) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)


def get_bytes(path: Path) -> bytes:
    return path.read_bytes()


async def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(path: Path) -> None:
    put_bytes(path, minutes := b"minutes of the meeting\n" * 400)
    assert "is not an index" in await refusal(path)
    assert get_bytes(path) == minutes


async def test_a_damaged_file_is_named_with_the_remedy(path: Path) -> None:
    await filled(path)
    content = get_bytes(path)
    put_bytes(path, content[:4096] + b"\xff" * (len(content) - 4096))
    assert "is damaged" in await refusal(path)


async def test_damage_met_in_a_search_is_named_too(index: SqliteIndex, path: Path) -> None:
    for number in range(40):
        await put(index, document(f"d{number}"), *(f"flu clinic {word}" for word in range(10)))
    await index.close()
    connection = sqlite3.connect(path)
    connection.execute("DELETE FROM passages_fts_data WHERE id > 10")
    connection.commit()
    connection.close()
    damaged = await SqliteIndex.open(path, embedder=MODEL)
    with pytest.raises(IndexUnavailable, match="is damaged"):
        await texts(damaged, "flu clinic")
    await damaged.close()


async def test_an_index_of_a_newer_version_is_refused(path: Path) -> None:
    await filled(path)
    connection = sqlite3.connect(path)
    row = (MIGRATIONS.name, "9999_from_the_future", "2030-01-01")
    connection.execute("INSERT INTO _sqlite_migrations (migration_set, name, applied_at) VALUES (?, ?, ?)", row)
    connection.commit()
    connection.close()
    assert "newer version" in await refusal(path)


async def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a file, not a folder")
    assert "cannot be opened" in await refusal(tmp_path / "file" / "index.db")


async def test_a_folder_in_place_of_the_file_is_named(tmp_path: Path) -> None:
    assert "cannot be opened" in await refusal(tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
async def test_a_folder_that_may_not_be_written_is_named(path: Path) -> None:
    path.parent.mkdir(mode=0o500)
    assert "cannot be opened" in await refusal(path)


@pytest.fixture
def tight(path: Path) -> Iterator[sqlite3.Connection]:
    path.parent.mkdir()
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA max_page_count = 3")
    connection.execute("CREATE TABLE t (x)")
    yield connection
    connection.close()


def test_a_full_disk_is_named(tight: sqlite3.Connection, path: Path) -> None:
    with pytest.raises(IndexUnavailable, match="disk is full"), mended(path):
        tight.execute("INSERT INTO t VALUES (zeroblob(100000))")


def test_mistakes_of_the_program_are_not_hidden(tight: sqlite3.Connection, path: Path) -> None:
    with pytest.raises(sqlite3.OperationalError), mended(path):
        tight.execute("SELECT nothing FROM nowhere")


async def test_a_closed_index_says_so(index: SqliteIndex) -> None:
    await index.close()
    with pytest.raises(IndexUnavailable, match="closed"):
        await index.search("flu", None, k=1)
