"""A Weaviate that Citewell runs itself, from a program that is on the machine: here a script that is the double."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from retrieval.errors import IndexUnavailable
from retrieval.weaviate_embedded import Embedded, Programs, program_name
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


@pytest.fixture
def programs(tmp_path: Path) -> Programs:
    """In place of the client's, on free ports in place of its."""
    folder = tmp_path / "programs"
    folder.mkdir()
    with socket.socket() as one, socket.socket() as other:
        for each in (one, other):
            each.bind(("127.0.0.1", 0))
        return Programs(folder, one.getsockname()[1], other.getsockname()[1])


def program(programs: Programs, version: str = VERSION) -> Path:
    path = programs.folder / program_name(version)
    path.write_text(SCRIPT, encoding="utf-8")
    path.chmod(0o700)
    return path


def is_running(programs: Programs) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", programs.http_port)) == 0


def test_the_newest_program_under_the_clients_name_is_taken(programs: Programs) -> None:
    assert programs.newest() is None
    for version in ("1.9.30", "1.38.11", "1.38.9"):
        program(programs, version)
    (programs.folder / f"weaviate-v1.40.2-{'0' * 64}").touch()  # the client would look for another name, and download
    (programs.folder / "weaviate-v1.41.0").touch()
    assert programs.newest() == "1.38.11"


async def test_without_a_program_nothing_is_downloaded_and_the_mend_is_told(programs: Programs, tmp_path: Path) -> None:
    with pytest.raises(IndexUnavailable, match=r"holds none.*downloads nothing"):
        await WeaviateIndex.open("embedded", embedder=None, data=tmp_path / "data", programs=programs)


async def test_it_runs_as_long_as_the_index_is_open(programs: Programs, tmp_path: Path) -> None:
    program(programs)
    index = await WeaviateIndex.open("embedded", embedder=None, data=tmp_path / "data", programs=programs)
    await put(index, document(), "flu clinic")
    assert len(await index.search("flu", None, k=3)) == 1
    assert is_running(programs)
    await index.close()
    assert not is_running(programs)
    await index.close()


async def test_it_asks_others_for_a_key_and_a_second_one_is_not_started(programs: Programs, tmp_path: Path) -> None:
    program(programs)
    running = await Embedded.start(tmp_path / "data", "secret", programs)
    with pytest.raises(IndexUnavailable, match="WEAVIATE_API_KEY"):
        await WeaviateIndex.open(running.url, embedder=None)
    with pytest.raises(IndexUnavailable, match="If another Citewell runs it") as told:
        await WeaviateIndex.open("embedded", embedder=None, api_key="secret", data=tmp_path / "data", programs=programs)
    assert running.url in str(told.value)
    beside = await WeaviateIndex.open(running.url, embedder=None, api_key="secret")
    await beside.close()
    assert is_running(programs)
    await running.stop()


async def test_it_ends_where_the_index_cannot_be_opened(programs: Programs, tmp_path: Path) -> None:
    path = program(programs)
    path.write_text(SCRIPT.replace("Orders(", 'Orders(version="1.32.4", '), encoding="utf-8")
    with pytest.raises(IndexUnavailable, match="too old"):
        await WeaviateIndex.open("embedded", embedder=None, data=tmp_path / "data", programs=programs)
    assert not is_running(programs)


async def test_a_program_that_is_none_is_told_as_such(programs: Programs, tmp_path: Path) -> None:
    program(programs).chmod(0o600)
    with pytest.raises(IndexUnavailable, match="cannot be run"):
        await Embedded.start(tmp_path / "data", None, programs)
