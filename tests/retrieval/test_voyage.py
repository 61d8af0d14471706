"""Voyage as embedder and reranker: the real client over a real socket, against the double."""

from __future__ import annotations

import asyncio
import itertools
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from retrieval.document import Document, Passage
from retrieval.embed import DocumentEmbedder
from retrieval.errors import ModelRefused, ModelUnavailable
from retrieval.evidence import Hit
from retrieval.rerank import RERANKED
from retrieval.sqlite_index import SqliteIndex
from retrieval.vectors import fill
from retrieval.voyage import PATIENT, voyage_embedder
from retrieval.voyage_api import Voyage
from retrieval.voyage_models import EMBEDDING_MODEL, RERANK_MODEL
from retrieval.voyage_rerank import VoyageReranker
from tests.doubles.voyage import KEY, SERVES, Drops, Fails, Hangs, Sends, VoyageDouble
from tests.retrieval.samples import document, put

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable

    from retrieval.embed import Embedder

ROOT = Path(__file__).parents[2]
CONTEXT = "voyage-context-4"
BUSY = Fails(429, {"Retry-After": "20"})
DENSE = "0.5, 1.5; 2.5 / 3.5 - " * 200
"""Nearly a token a character, as tables of numbers are."""


@pytest.fixture
async def double() -> AsyncIterator[VoyageDouble]:
    async with VoyageDouble() as running:
        yield running


@pytest.fixture
async def voyage(double: VoyageDouble) -> AsyncIterator[Voyage]:
    account = await asyncio.to_thread(Voyage.connect, api_key=KEY, base_url=double.url)
    yield account
    await account.aclose()


class Slept(list[float]):
    """Pauses, none of which takes any time."""

    async def __call__(self, seconds: float) -> None:
        self.append(seconds)


@pytest.fixture
def slept() -> Slept:
    return Slept()


def embedder(voyage: Voyage, slept: Slept, model: str = EMBEDDING_MODEL) -> Embedder:
    return voyage_embedder(voyage, model, sleep=slept, jitter=lambda: 0.0)


def hits(*texts: str) -> list[Hit]:
    owner = Document("d", "Leaflet", "/d.md", "public", "hash")
    return [
        Hit(Passage(f"d#{n}", "d", n, text, "From “Leaflet”.", (), (0, len(text))), owner, 1 / n, n, n)
        for n, text in enumerate(texts, start=1)
    ]


# What is sent


@pytest.mark.parametrize(
    ("model", "path"), [(EMBEDDING_MODEL, "/v1/embeddings"), (CONTEXT, "/v1/contextualizedembeddings")]
)
async def test_the_models_name_chooses_the_kind_and_questions_are_no_documents(
    voyage: Voyage, double: VoyageDouble, slept: Slept, model: str, path: str
) -> None:
    chosen = embedder(voyage, slept, model)
    await chosen.embed_passages(["Parking is free."])
    await chosen.embed_query("Is parking free?")
    assert [(where, body["model"], body["input_type"]) for where, body in double.requests] == [
        (path, model, "document"),
        (path, model, "query"),
    ]


@pytest.mark.parametrize("model", [EMBEDDING_MODEL, "voyage-3-large", CONTEXT])
async def test_dense_texts_go_in_requests_within_the_limits(
    voyage: Voyage, double: VoyageDouble, slept: Slept, model: str
) -> None:
    texts = [f"{number} {DENSE}" for number in range(60)]
    rows = await embedder(voyage, slept, model).embed_passages(texts)
    assert rows.shape == (60, 1024)
    assert (double.refused, double.embedded) == ([], texts)
    assert len(double.requests) > 1


async def test_short_texts_go_many_at_once_and_no_more_than_allowed(
    voyage: Voyage, double: VoyageDouble, slept: Slept
) -> None:
    await embedder(voyage, slept).embed_passages(["word"] * 2500)
    assert [len(body["input"]) for _, body in double.requests] == [1000, 1000, 500]


@pytest.mark.parametrize("model", [EMBEDDING_MODEL, CONTEXT])
async def test_a_text_longer_than_a_model_reads_is_cut_off_and_served(
    voyage: Voyage, double: VoyageDouble, slept: Slept, model: str
) -> None:
    chosen = embedder(voyage, slept, model)
    await chosen.embed_passages(["診" * 200_000, "7" * 200_000, "\ud800"])
    await chosen.embed_query("7" * 40_000)
    assert double.refused == []


async def test_a_document_goes_together_and_its_company_changes_a_passages_vector(
    voyage: Voyage, double: VoyageDouble, slept: Slept
) -> None:
    chosen = embedder(voyage, slept, CONTEXT)
    assert isinstance(chosen, DocumentEmbedder)
    (together, alone) = await chosen.embed_runs(
        [["It is open on Mondays.", "The flu clinic."], ["It is open on Mondays."]]
    )
    assert double.requests[0][1]["inputs"] == [
        ["It is open on Mondays.", "The flu clinic."],
        ["It is open on Mondays."],
    ]
    assert (together.shape, alone.shape) == ((2, 1024), (1, 1024))
    assert float(together[0] @ alone[0]) < 0.999


async def test_a_plain_model_reads_each_text_for_itself(voyage: Voyage, slept: Slept) -> None:
    assert not isinstance(embedder(voyage, slept), DocumentEmbedder)


async def test_one_connection_serves_one_request_after_the_other(
    voyage: Voyage, double: VoyageDouble, slept: Slept
) -> None:
    for _ in range(3):
        await embedder(voyage, slept).embed_query("Is parking free?")
    assert len(double.connections) == 1


async def test_an_address_may_end_with_a_slash(double: VoyageDouble, slept: Slept) -> None:
    account = await asyncio.to_thread(Voyage.connect, api_key=KEY, base_url=f"{double.url}/")
    assert (await embedder(account, slept).embed_query("Is parking free?")).shape == (1024,)
    await account.aclose()


async def test_an_address_without_the_api_names_its_setting(double: VoyageDouble, slept: Slept) -> None:
    account = await asyncio.to_thread(Voyage.connect, api_key=KEY, base_url=double.url.removesuffix("/v1"))
    with pytest.raises(ModelRefused, match="VOYAGE_BASE_URL"):
        await embedder(account, slept).embed_query("Is parking free?")
    await account.aclose()


async def test_after_closing_it_can_be_used_again_and_closed_again(voyage: Voyage, slept: Slept) -> None:
    for _ in range(2):
        await embedder(voyage, slept).embed_query("Is parking free?")
        await voyage.aclose()
        await voyage.aclose()


FIRST_REQUEST = """
import asyncio
from blockbuster import blockbuster_ctx
from retrieval.voyage_api import Voyage
from tests.doubles.voyage import KEY, VoyageDouble

async def main():
    async with VoyageDouble() as double:
        voyage = await asyncio.to_thread(Voyage.connect, api_key=KEY, base_url=double.url)
        with blockbuster_ctx(scanned_modules=["retrieval"]):
            await voyage.embed(["Parking is free."], model="voyage-4", kind="query", dimensions=1024)
        await voyage.aclose()

asyncio.run(main())
"""


def test_the_first_request_of_a_process_does_not_block_the_loop() -> None:
    command = [sys.executable, "-c", FIRST_REQUEST]
    run = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT)
    assert run.returncode == 0, run.stderr


# What goes wrong


@pytest.mark.parametrize("model", [EMBEDDING_MODEL, CONTEXT])
async def test_passages_wait_as_long_as_the_server_asks(
    voyage: Voyage, double: VoyageDouble, slept: Slept, model: str
) -> None:
    double.script = [BUSY, BUSY, Fails(500), Fails(503), Drops()]
    rows = await embedder(voyage, slept, model).embed_passages(["Parking is free."])
    assert rows.shape == (1, 1024)
    assert slept == [20.0, 20.0, 2.0, 4.0, 8.0]


async def test_a_question_does_not_wait_through_a_rate_limit(
    voyage: Voyage, double: VoyageDouble, slept: Slept
) -> None:
    double.script = [BUSY]
    with pytest.raises(ModelUnavailable, match="429"):
        await embedder(voyage, slept).embed_query("Is parking free?")
    assert (double.arrived, slept) == (1, [])


async def test_a_question_is_tried_again_after_a_hiccup(voyage: Voyage, double: VoyageDouble, slept: Slept) -> None:
    double.script = [Fails(500)]
    assert (await embedder(voyage, slept).embed_query("Is parking free?")).shape == (1024,)
    assert slept == [0.125]


@pytest.mark.parametrize("model", [EMBEDDING_MODEL, CONTEXT])
async def test_a_refused_key_names_its_setting_and_is_not_tried_again(
    double: VoyageDouble, slept: Slept, model: str
) -> None:
    stranger = await asyncio.to_thread(Voyage.connect, api_key="another-key", base_url=double.url)
    with pytest.raises(ModelRefused, match="VOYAGE_API_KEY") as caught:
        await embedder(stranger, slept, model).embed_passages(["Parking is free."])
    await stranger.aclose()
    assert double.arrived == 1
    assert "another-key" not in str(caught.value)


@pytest.mark.parametrize("key", ["", " ", "two words", "ключ"])
def test_what_cannot_be_a_key_is_refused_before_anything_is_sent(key: str) -> None:
    with pytest.raises(ModelRefused, match="VOYAGE_API_KEY"):
        Voyage.connect(api_key=key)


@pytest.mark.parametrize("model", ["voyage-nonsense", "voyage-context-nonsense", "rerank-2.5"])
async def test_an_unknown_model_names_its_setting(
    voyage: Voyage, double: VoyageDouble, slept: Slept, model: str
) -> None:
    with pytest.raises(ModelRefused, match="CITEWELL_VOYAGE_MODEL"):
        await embedder(voyage, slept, model).embed_query("Is parking free?")
    assert double.arrived == 1


async def test_a_model_that_would_run_here_is_refused(voyage: Voyage) -> None:
    with pytest.raises(ModelRefused, match="voyage-4-nano"):
        voyage_embedder(voyage, "voyage-4-nano")


async def test_vectors_of_another_size_than_known_are_refused(
    voyage: Voyage, double: VoyageDouble, slept: Slept
) -> None:
    with pytest.raises(ModelRefused, match="vectors of 1024 numbers"):
        await embedder(voyage, slept, "voyage-3-lite").embed_query("Is parking free?")
    assert double.arrived == 1


GARBAGE = [
    Sends(b"<html>Bad gateway</html>", "text/html"),
    Sends(b"fine", "text/plain"),
    Sends(b"{}"),
    Sends(b"[]"),
    Sends(b"null"),
    Sends(b'{"data": []'),
    Sends(b'{"data": [], "usage": {"total_tokens": 1}}'),
    Sends(b'{"data": [{"embedding": [1.0, 2.0]}], "usage": {"total_tokens": 1}}'.replace(b"2.0", b"NaN")),
    Sends(b'{"data": [{"embedding": "not base64"}], "usage": {"total_tokens": 1}}'),
    Sends(b'{"data": [{"index": 5, "relevance_score": 0.5}], "usage": {"total_tokens": 1}}'),
    Sends(b'{"data": [{"index": 0, "relevance_score": null}], "usage": {"total_tokens": 1}}'),
    Sends(b'{"data": [{"data": [{"embedding": []}]}], "usage": {"total_tokens": 1}}'),
    Sends(b"\xff\xfe"),
    Fails(418),
    Drops(),
]


@pytest.mark.parametrize("garbage", GARBAGE, ids=str)
@pytest.mark.parametrize("what", [EMBEDDING_MODEL, CONTEXT, RERANK_MODEL])
async def test_garbage_is_one_of_our_errors_and_quotes_nothing(
    voyage: Voyage, double: VoyageDouble, slept: Slept, what: str, garbage: Sends | Fails | Drops
) -> None:
    double.script = [garbage] * PATIENT.attempts
    if what == RERANK_MODEL:
        asking: Awaitable[object] = VoyageReranker(voyage, sleep=slept).scores("confidential?", hits("confidential"))
    else:
        asking = embedder(voyage, slept, what).embed_query("confidential?")
    with pytest.raises((ModelUnavailable, ModelRefused)) as caught:
        await asking
    assert "confidential" not in str(caught.value)


async def test_a_server_that_is_not_there_is_unavailable(slept: Slept) -> None:
    async with VoyageDouble() as gone:
        pass
    account = await asyncio.to_thread(Voyage.connect, api_key=KEY, base_url=gone.url)
    with pytest.raises(ModelUnavailable, match="cannot be reached"):
        await embedder(account, slept).embed_query("Is parking free?")
    await account.aclose()


async def test_a_request_that_takes_too_long_is_unavailable(double: VoyageDouble, slept: Slept) -> None:
    double.script = [Hangs(), Hangs()]
    account = await asyncio.to_thread(Voyage.connect, api_key=KEY, base_url=double.url, timeout=0.05)
    with pytest.raises(ModelUnavailable, match="no answer in time"):
        await embedder(account, slept).embed_query("Is parking free?")
    await account.aclose()


# Filling an index


async def open_index(folder: Path, chosen: Embedder) -> SqliteIndex:
    return await SqliteIndex.open(folder / "index.db", embedder=(chosen.name, chosen.dimensions))


@pytest.mark.parametrize("model", [EMBEDDING_MODEL, CONTEXT])
async def test_a_storm_of_rate_limits_loses_nothing_that_was_embedded(
    voyage: Voyage, double: VoyageDouble, slept: Slept, tmp_path: Path, model: str
) -> None:
    chosen = embedder(voyage, slept, model)
    index = await open_index(tmp_path, chosen)
    for number in range(12):
        await put(index, document(f"d{number}"), *(f"passage {number} {part}" for part in range(3)))
    double.script = [SERVES, SERVES, *[BUSY] * PATIENT.attempts]
    with pytest.raises(ModelUnavailable, match="429"):
        await fill(index, chosen, batch=6)
    assert (await index.status()).embedded == 12
    await index.close()

    again = await open_index(tmp_path, chosen)
    await fill(again, chosen, batch=6)
    status = await again.status()
    assert (status.embedded, status.passages, status.model) == (36, 36, model)
    assert len(double.embedded) == len(set(double.embedded)) == 36
    await again.close()


async def test_a_document_fills_in_whole_stretches_and_a_change_takes_its_neighbours_along(
    voyage: Voyage, double: VoyageDouble, slept: Slept, tmp_path: Path
) -> None:
    chosen = embedder(voyage, slept, CONTEXT)
    index = await open_index(tmp_path, chosen)
    texts = [f"part {number} {DENSE}" for number in range(12)]
    await put(index, document("long"), *texts)
    await fill(index, chosen, batch=4)
    sent = [run for _, body in double.requests for run in body["inputs"]]
    assert len(sent) > 1
    assert sorted(itertools.chain.from_iterable(sent)) == sorted(texts)
    assert all(run == texts[texts.index(run[0]) :][: len(run)] for run in sent)

    double.requests.clear()
    changed = [*texts[:-1], "the last part, made anew"]
    await put(index, document("long", version="2"), *changed)
    await fill(index, chosen, batch=4)
    (run,) = [run for _, body in double.requests for run in body["inputs"]]
    assert run == changed[-len(run) :]
    assert 1 < len(run) < len(changed)
    await index.close()


# Reranking


async def test_each_hit_gets_its_own_score_by_context_and_text(voyage: Voyage, double: VoyageDouble) -> None:
    found = hits("Pets are welcome.", "Parking is free for two hours.", "Parking for pets.")
    reranker = VoyageReranker(voyage)
    scores = await reranker.scores("is parking free", found)
    assert int(np.argmax(scores)) == 1
    ((path, body),) = double.requests
    assert (path, body["model"], reranker.name) == ("/v1/rerank", RERANK_MODEL, RERANK_MODEL)
    assert body["documents"][0] == "From “Leaflet”.\nPets are welcome."


async def test_without_hits_nothing_is_asked(voyage: Voyage, double: VoyageDouble) -> None:
    assert await VoyageReranker(voyage).scores("is parking free", []) == []
    assert double.arrived == 0


async def test_the_longest_question_with_the_longest_hits_stays_within_the_limits(
    voyage: Voyage, double: VoyageDouble
) -> None:
    scores = await VoyageReranker(voyage).scores("7" * 40_000, hits(*["7" * 40_000] * RERANKED))
    assert len(scores) == RERANKED
    assert double.refused == []


async def test_a_reranker_is_tried_twice_and_not_through_a_rate_limit(
    voyage: Voyage, double: VoyageDouble, slept: Slept
) -> None:
    reranker = VoyageReranker(voyage, sleep=slept, jitter=lambda: 0.0)
    double.script = [Fails(502)]
    assert len(await reranker.scores("is parking free", hits("Parking."))) == 1
    double.script = [BUSY]
    with pytest.raises(ModelUnavailable, match="429"):
        await reranker.scores("is parking free", hits("Parking."))
    assert slept == [0.125]
