"""What every embedder keeps to, run over the fake, the local model, and Voyage's over its double."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

import numpy as np
import pytest

from retrieval.embed import DocumentEmbedder, Embedder, HashEmbedder
from retrieval.local import LocalEmbedder
from retrieval.voyage import voyage_embedder
from retrieval.voyage_api import Voyage
from tests.doubles.voyage import KEY, VoyageDouble

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

TEXTS = [
    "The flu clinic is open on Tuesdays.",
    "",
    "Pets are not allowed on the wards. " * 120,
    "Parking is free for two hours.",
    "¿Cuándo abre la clínica? 診療所はいつ開きますか 🩺",
]


VOYAGE = ["voyage-4", "voyage-context-4"]


@pytest.fixture(scope="module")
def local() -> LocalEmbedder:
    return LocalEmbedder.minilm()


@pytest.fixture(params=["hash", "local", *VOYAGE])
async def embedder(request: pytest.FixtureRequest, local: LocalEmbedder) -> AsyncIterator[Embedder]:
    async with AsyncExitStack() as stack:
        match request.param:
            case "hash":
                yield HashEmbedder()
            case "local":
                yield local
            case model:
                double = await stack.enter_async_context(VoyageDouble())
                voyage = await asyncio.to_thread(Voyage.connect, api_key=KEY, base_url=double.url)
                stack.push_async_callback(voyage.aclose)
                yield voyage_embedder(voyage, model)


async def test_passages_give_one_float32_row_each(embedder: Embedder) -> None:
    rows = await embedder.embed_passages(TEXTS)
    assert rows.shape == (len(TEXTS), embedder.dimensions)
    assert rows.dtype == np.float32


async def test_rows_have_length_one(embedder: Embedder) -> None:
    texts = [text for text in TEXTS if text]
    rows = await embedder.embed_passages(texts)
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(len(texts)), abs=1e-5)


async def test_a_question_is_one_float32_row_of_length_one(embedder: Embedder) -> None:
    row = await embedder.embed_query("When is the flu clinic open?")
    assert row.shape == (embedder.dimensions,)
    assert row.dtype == np.float32
    assert float(np.linalg.norm(row)) == pytest.approx(1.0, abs=1e-5)


async def test_rows_keep_the_order_of_the_texts(embedder: Embedder) -> None:
    together = await embedder.embed_passages(TEXTS)
    backwards = await embedder.embed_passages(TEXTS[::-1])
    assert together == pytest.approx(backwards[::-1], abs=1e-4)


async def test_a_text_has_the_same_vector_in_any_company(embedder: Embedder) -> None:
    alone = await embedder.embed_passages(TEXTS[:1])
    together = await embedder.embed_passages(TEXTS)
    assert together[0] == pytest.approx(alone[0], abs=1e-4)


async def test_no_texts_give_no_rows(embedder: Embedder) -> None:
    assert (await embedder.embed_passages([])).shape == (0, embedder.dimensions)


async def test_a_question_is_nearest_to_the_passage_that_shares_its_words(embedder: Embedder) -> None:
    rows = await embedder.embed_passages([TEXTS[0], TEXTS[2], TEXTS[3]])
    question = await embedder.embed_query("on which days is the flu clinic open")
    assert int(np.argmax(rows @ question)) == 0


async def test_the_name_is_stable_and_not_empty(embedder: Embedder) -> None:
    assert embedder.name
    assert embedder.name == embedder.name.strip()


@pytest.mark.parametrize("embedder", VOYAGE[1:], indirect=True)
async def test_one_that_reads_neighbours_gives_a_matrix_a_run_and_runs_that_cover_a_document(
    embedder: Embedder,
) -> None:
    assert isinstance(embedder, DocumentEmbedder)
    texts = [text for text in TEXTS if text] * 10
    stretches = embedder.runs(texts)
    assert [at for stretch in stretches for at in stretch] == list(range(len(texts)))
    runs = [[texts[at] for at in stretch] for stretch in stretches]
    assert len(runs) > 1
    matrices = await embedder.embed_runs([*runs, TEXTS[:1]])
    assert [matrix.shape for matrix in matrices] == [(len(run), embedder.dimensions) for run in [*runs, TEXTS[:1]]]
    assert np.linalg.norm(np.concatenate(matrices), axis=1) == pytest.approx(np.ones(len(texts) + 1), abs=1e-5)
    assert embedder.runs([]) == []
    assert list(await embedder.embed_runs([])) == []
