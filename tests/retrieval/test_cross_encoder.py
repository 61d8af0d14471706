"""A cross-encoder out of a folder: what it reads of a pair, and what it says of folders that hold none."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from retrieval.cross_encoder import BATCH, MAX_TOKENS, QUESTION_TOKENS, CrossEncoder
from retrieval.errors import RetrievalError
from retrieval.local import installed_folder
from tests.doubles.onnx import INPUTS, cross_encoder
from tests.retrieval.samples import hits

if TYPE_CHECKING:
    from pathlib import Path

QUESTION = "When is the flu clinic open?"
OPEN, PARKING = "The flu clinic is open on Tuesdays.", "Parking is free."
MANY = [f"w{number}" for number in range(2 * MAX_TOKENS)]
KNOWS = " ".join([QUESTION, OPEN, PARKING, "Leaflet", *MANY])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return cross_encoder(tmp_path / "judge", knows=KNOWS)


async def test_each_score_is_the_models_own_for_question_and_passage(folder: Path) -> None:
    reranker = await CrossEncoder.load(folder)
    assert await reranker.scores(QUESTION, hits(PARKING, OPEN, "Nothing known.")) == [1.0, 5.0, 0.0]


async def test_of_two_logits_the_second_speaks_for_the_passage(tmp_path: Path) -> None:
    reranker = await CrossEncoder.load(cross_encoder(tmp_path / "two", knows=KNOWS, logits=2))
    assert await reranker.scores(QUESTION, hits(PARKING, OPEN)) == [2.0, 10.0]


async def test_the_context_sentence_is_read_too(folder: Path) -> None:
    reranker = await CrossEncoder.load(folder)
    assert await reranker.scores("Which leaflet?", hits(PARKING)) == [1.0]


async def test_scores_keep_the_order_of_the_hits_over_many_batches(folder: Path) -> None:
    reranker = await CrossEncoder.load(folder)
    texts = [" ".join(MANY[: (7 * n) % 40]) for n in range(3 * BATCH + 1)]
    assert await reranker.scores(" ".join(MANY[:40]), hits(*texts)) == [float((7 * n) % 40) for n in range(len(texts))]


async def test_what_is_too_long_is_cut_in_the_passage_and_the_question_stays_whole(folder: Path) -> None:
    reranker = await CrossEncoder.load(folder)
    question = MANY[:QUESTION_TOKENS]
    long = hits(" ".join([*question, *MANY]), " ".join([*MANY[QUESTION_TOKENS:], *question]))
    assert await reranker.scores(" ".join(question), long) == [float(QUESTION_TOKENS), 0.0]


async def test_a_question_longer_than_a_pair_is_cut_and_leaves_room_for_the_passage(folder: Path) -> None:
    reranker = await CrossEncoder.load(folder)
    (score,) = await reranker.scores(" ".join(MANY), hits(" ".join(MANY)))
    assert score == QUESTION_TOKENS


async def test_it_is_named_after_its_folder_and_files(folder: Path, tmp_path: Path) -> None:
    name = (await CrossEncoder.load(folder)).name
    other = (await CrossEncoder.load(cross_encoder(tmp_path / "other" / "judge", knows=KNOWS, logits=2))).name
    assert name.startswith("judge-")
    assert other.startswith("judge-")
    assert name != other


async def test_a_model_without_token_types_is_used_too(tmp_path: Path) -> None:
    folder = cross_encoder(tmp_path / "plain", knows=KNOWS, inputs=INPUTS[:2])
    reranker = await CrossEncoder.load(folder)
    assert await reranker.scores("flu", hits(OPEN)) == [1.0]


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
async def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(RetrievalError, match=rf"{name}.*has none.*Name another folder"):
        await CrossEncoder.load(folder)


async def test_an_input_that_cannot_be_given_is_named(tmp_path: Path) -> None:
    folder = cross_encoder(tmp_path / "seeing", knows=KNOWS, inputs=[*INPUTS, "pixel_values"])
    with pytest.raises(RetrievalError, match=r"cross-encoder.*pixel_values"):
        await CrossEncoder.load(folder)


async def test_a_model_with_three_labels_is_no_cross_encoder(tmp_path: Path) -> None:
    with pytest.raises(RetrievalError, match=r"\(3,\).*one or two numbers"):
        await CrossEncoder.load(cross_encoder(tmp_path / "three", knows=KNOWS, logits=3))


async def test_an_encoder_is_no_cross_encoder(tmp_path: Path) -> None:
    shutil.copytree(installed_folder(), tmp_path / "encoder")
    with pytest.raises(RetrievalError, match="one or two numbers"):
        await CrossEncoder.load(tmp_path / "encoder")


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
async def test_a_file_that_is_something_else_is_refused_in_our_own_words(folder: Path, name: str) -> None:
    (folder / name).write_bytes(b"not a model")
    with pytest.raises(RetrievalError, match="Not a usable ONNX cross-encoder"):
        await CrossEncoder.load(folder)
