"""A Weaviate that Citewell runs itself, from a program that is on the machine: here a script that is the double."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from retrieval import weaviate_embedded
from retrieval.errors import IndexUnavailable
from retrieval.weaviate_embedded import Embedded, newest, program_name
from retrieval.weaviate_index import WeaviateIndex
from tests.retrieval.samples import document, put

VERSION = "1.38.11"
SCRIPT = f"""#!{sys.executable}
import os, signal, sys
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
from tests.doubles.weaviate.orders import Orders
from tests.doubles.weaviate.server import Server
server = Server()
server.orders = Orders(key=os.environ["AUTHENTICATION_APIKEY_ALLOWED_KEYS"])
server.start(int(sys.argv[sys.argv.index("--port") + 1]), int(os.environ["GRPC_PORT"]))
signal.pause()
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """In place of the client's, and free ports in place of its."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setattr(weaviate_embedded, "folder", lambda: folder)
    with socket.socket() as one, socket.socket() as other:
        for each in (one, other):
            each.bind(("127.0.0.1", 0))
        monkeypatch.setattr(weaviate_embedded, "PORTS", (one.getsockname()[1], other.getsockname()[1]))
    return folder


def program(folder: Path, version: str = VERSION) -> Path:
    path = folder / program_name(version)
    path.write_text(SCRIPT, encoding="utf-8")
    path.chmod(0o700)
    return path


def is_running() -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", weaviate_embedded.PORTS[0])) == 0


def test_the_newest_program_under_the_clients_name_is_taken(folder: Path) -> None:
    assert newest() is None
    for version in ("1.9.30", "1.38.11", "1.38.9"):
        program(folder, version)
    (folder / f"weaviate-v1.40.2-{'0' * 64}").touch()  # the client would look for another name, and download
    (folder / "weaviate-v1.41.0").touch()
    assert newest() == "1.38.11"


async def test_without_a_program_nothing_is_downloaded_and_the_mend_is_told(tmp_path: Path) -> None:
    with pytest.raises(IndexUnavailable, match=r"holds none.*downloads nothing"):
        await WeaviateIndex.open("embedded", embedder=None, data=tmp_path / "data")


async def test_it_runs_as_long_as_the_index_is_open(folder: Path, tmp_path: Path) -> None:
    program(folder)
    index = await WeaviateIndex.open("embedded", embedder=None, data=tmp_path / "data")
    await put(index, document(), "flu clinic")
    assert len(await index.search("flu", None, k=3)) == 1
    assert is_running()
    await index.close()
    assert not is_running()
    await index.close()


async def test_it_asks_others_for_a_key_and_a_second_one_is_not_started(folder: Path, tmp_path: Path) -> None:
    program(folder)
    running = await Embedded.start(tmp_path / "data", "secret")
    with pytest.raises(IndexUnavailable, match="WEAVIATE_API_KEY"):
        await WeaviateIndex.open(running.url, embedder=None)
    with pytest.raises(IndexUnavailable, match="If another Citewell runs it") as told:
        await WeaviateIndex.open("embedded", embedder=None, api_key="secret", data=tmp_path / "data")
    assert running.url in str(told.value)
    beside = await WeaviateIndex.open(running.url, embedder=None, api_key="secret")
    await beside.close()
    assert is_running()
    await running.stop()


async def test_it_ends_where_the_index_cannot_be_opened(folder: Path, tmp_path: Path) -> None:
    path = program(folder)
    path.write_text(SCRIPT.replace("Orders(", 'Orders(version="1.32.4", '), encoding="utf-8")
    with pytest.raises(IndexUnavailable, match="too old"):
        await WeaviateIndex.open("embedded", embedder=None, data=tmp_path / "data")
    assert not is_running()


async def test_a_program_that_is_none_is_told_as_such(folder: Path, tmp_path: Path) -> None:
    program(folder).chmod(0o600)
    with pytest.raises(IndexUnavailable, match="cannot be run"):
        await Embedded.start(tmp_path / "data", None)
