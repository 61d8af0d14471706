"""A server on loopback that speaks Voyage's API for embeddings and reranking, and is strict about what it is sent.

It answers a well-formed request as the real API does, and refuses what that would refuse, with the same status and
error body; `refused` then says why. Vectors are words hashed into buckets, so texts that share words are near; scores
are the share of the question's words that a text holds. It is thinner than the real thing: a token is four letters or
one other character, models differ in their limits only, rate limits come from the script, and of the options it knows
those that the client sends for floats.
"""

from __future__ import annotations

import asyncio
import base64
import itertools
import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import voyageai.client_async  # noqa: F401 - loaded by now, so that what is asked first in a test has all its time
from aiohttp import web

from retrieval.embed import HashEmbedder

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

KEY = "test-key-of-the-double"
DIMENSIONS = 1024
PLAIN = {"voyage-4": 320_000, "voyage-3.5": 320_000, "voyage-3-large": 120_000, "voyage-3-lite": 120_000}
CONTEXTUALISED = {"voyage-context-4": 32_000, "voyage-context-3": 32_000}
RERANKERS = {"rerank-2.5": 600_000, "rerank-2.5-lite": 600_000}

_ITEMS = 1000
_CHUNKS = 16_000
_WINDOW = 32_000
_QUESTION = 8000
_TOKEN = re.compile(r"[^\W\d_]{1,4}|\S")
_TYPES = {None, "query", "document"}
_OPTIONS = {"model", "input_type", "truncation", "output_dtype", "output_dimension", "encoding_format"}


@dataclass(frozen=True, slots=True)
class Serves:
    """The true answer."""


@dataclass(frozen=True, slots=True)
class Fails:
    """An HTTP error with the API's error body."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sends:
    """HTTP 200 with any body: a proxy's page, or half an answer."""

    body: bytes
    content_type: str = "application/json"


@dataclass(frozen=True, slots=True)
class Hangs:
    """No answer until the double closes."""


@dataclass(frozen=True, slots=True)
class Drops:
    """The connection ends without an answer."""


Scripted: TypeAlias = Serves | Fails | Sends | Hangs | Drops
SERVES = Serves()


class VoyageDouble:
    """Use it as an async context manager; `url` is the base URL for a client.

    `script` says what becomes of the next requests, and behind its end all are served. `requests` holds the path and
    body of those that were served, `refused` what was wrong with others, `arrived` counts all; `hanging` is set while
    a request hangs. `connections` are the clients' addresses.
    """

    def __init__(self, script: Sequence[Scripted] = (), *, key: str = KEY) -> None:
        self.script = list(script)
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self.refused: list[str] = []
        self.arrived = 0
        self.connections: set[Any] = set()
        self.hanging = asyncio.Event()
        self.url = ""
        self._key = key
        self._closing = asyncio.Event()
        self._embedder = HashEmbedder(DIMENSIONS)
        application = web.Application(client_max_size=64 * 1024 * 1024)
        application.router.add_post("/v1/embeddings", self._handle)
        application.router.add_post("/v1/contextualizedembeddings", self._handle)
        application.router.add_post("/v1/rerank", self._handle)
        self._runner = web.AppRunner(application, access_log=None, shutdown_timeout=1.0)

    async def __aenter__(self) -> VoyageDouble:
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        host, port = self._runner.addresses[0][:2]
        self.url = f"http://{host}:{port}/v1"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._closing.set()
        await self._runner.cleanup()

    @property
    def embedded(self) -> list[str]:
        """Every text that was embedded as part of a document, in order, as often as it was."""
        texts: list[str] = []
        for path, body in self.requests:
            if path != "/v1/rerank" and body["input_type"] == "document":
                texts += body["input"] if "input" in body else itertools.chain.from_iterable(body["inputs"])
        return texts

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        self.arrived += 1
        assert request.transport is not None
        self.connections.add(request.transport.get_extra_info("peername"))
        if request.headers.get("authorization") != f"Bearer {self._key}":
            return self._refuse(401, "Provided API key is invalid.")
        body = json.loads(await request.read())
        wrongs, answer = {
            "/v1/embeddings": (_wrong_embedding, self._embeddings),
            "/v1/contextualizedembeddings": (_wrong_runs, self._runs),
            "/v1/rerank": (_wrong_rerank, self._rerank),
        }[request.path]
        if wrong := next(wrongs(body), None):
            return self._refuse(400, wrong)
        match self.script.pop(0) if self.script else SERVES:
            case Serves():
                self.requests.append((request.path, body))
                return web.json_response(await answer(body))
            case Fails(status, headers):
                return _error(status, "scripted", headers)
            case Sends(sent, content_type):
                return web.Response(body=sent, content_type=content_type)
            case Hangs():
                self.hanging.set()
                await self._closing.wait()
                return _error(500, "closing")
            case Drops():
                request.transport.close()
                return web.Response()

    async def _embeddings(self, body: dict[str, Any]) -> dict[str, Any]:
        return {"object": "list", "data": await self._listed(body["input"]), **_tail(body, _total(body["input"]))}

    async def _runs(self, body: dict[str, Any]) -> dict[str, Any]:
        data = [
            {"object": "list", "data": await self._listed(run, among=run), "index": index}
            for index, run in enumerate(body["inputs"])
        ]
        return {"object": "list", "data": data, **_tail(body, sum(map(_total, body["inputs"])))}

    async def _rerank(self, body: dict[str, Any]) -> dict[str, Any]:
        asked = set(re.findall(r"\w+", body["query"].lower()))
        shares = [
            (len(asked & set(re.findall(r"\w+", text.lower()))) / max(1, len(asked)), index)
            for index, text in enumerate(body["documents"])
        ]
        data = [{"index": index, "relevance_score": share} for share, index in sorted(shares, reverse=True)]
        tokens = _tokens(body["query"]) * len(body["documents"]) + _total(body["documents"])
        return {"object": "list", "data": data, **_tail(body, tokens)}

    async def _listed(self, texts: list[str], *, among: Sequence[str] = ()) -> list[dict[str, Any]]:
        """A vector a text, with a little of the whole run's in it if there is one, as base64 of little-endian floats.

        They are twice as long as unit vectors, for nothing holds the real ones to that.
        """
        rows = await self._embedder.embed_passages(texts)
        if len(among) > 1:
            rows += 0.2 * await self._embedder.embed_query(" ".join(among))
        rows[:, 0] += 1e-3  # a text without a word has a vector too
        rows = 2 * rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return [
            {"object": "embedding", "embedding": base64.b64encode(row.astype("<f4").tobytes()).decode(), "index": index}
            for index, row in enumerate(rows)
        ]

    def _refuse(self, status: int, message: str) -> web.Response:
        self.refused.append(message)
        return _error(status, message)


def _wrong_embedding(body: dict[str, Any]) -> Iterator[str]:
    """What the real API would answer with 400."""
    yield from _wrong_options(body, {"input"}, PLAIN)
    texts = body.get("input")
    yield from _wrong_texts(texts, "input")
    if not body.get("truncation", True) and any(_tokens(text) > _WINDOW for text in texts or []):
        yield "a text is longer than the context length"
    if _total(texts or [], most=_WINDOW) > PLAIN[body["model"]]:
        yield f"the batch holds more than {PLAIN[body['model']]} tokens"


def _wrong_runs(body: dict[str, Any]) -> Iterator[str]:
    yield from _wrong_options(body, {"inputs"}, CONTEXTUALISED)
    runs = body.get("inputs")
    if not isinstance(runs, list) or not 1 <= len(runs) <= _ITEMS:
        yield f"inputs: between 1 and {_ITEMS} lists are allowed"
        return
    for run in runs:
        yield from _wrong_texts(run, "inputs", most=_CHUNKS)
        if body["input_type"] == "query" and len(run) != 1:
            yield "inputs: a query is a list of one"
    if sum(map(len, runs)) > _CHUNKS:
        yield f"inputs: more than {_CHUNKS} chunks"
    if sum(map(_total, runs)) > CONTEXTUALISED[body["model"]]:
        yield f"the batch holds more than {CONTEXTUALISED[body['model']]} tokens"


def _wrong_rerank(body: dict[str, Any]) -> Iterator[str]:
    yield from (f"{name}: unknown" for name in body.keys() - {"model", "query", "documents", "top_k", "truncation"})
    if body.get("model") not in RERANKERS:
        yield f"Model {body.get('model')} is not supported."
        return
    query, texts = body.get("query"), body.get("documents")
    yield from _wrong_texts(texts, "documents")
    if not isinstance(query, str) or not query.strip():
        yield "query: must be a text"
    elif not body.get("truncation", True) and _tokens(query) > _QUESTION:
        yield "query: too long"
    elif _tokens(query) * len(texts or []) + _total(texts or []) > RERANKERS[body["model"]]:
        yield f"more than {RERANKERS[body['model']]} tokens in all"


def _wrong_options(body: dict[str, Any], inputs: set[str], models: Mapping[str, int]) -> Iterator[str]:
    yield from (f"{name}: unknown" for name in body.keys() - _OPTIONS - inputs)
    if body.get("model") not in models:
        yield f"Model {body.get('model')} is not supported."
    if body.get("input_type") not in _TYPES:
        yield "input_type: must be query, document or null"
    if body.get("encoding_format") != "base64" or body.get("output_dtype") not in {None, "float"}:
        yield "the double is asked for floats in base64 only"


def _wrong_texts(texts: object, name: str, *, most: int = _ITEMS) -> Iterator[str]:
    if not isinstance(texts, list) or not 1 <= len(texts) <= most:
        yield f"{name}: between 1 and {most} texts are allowed"
    elif not all(isinstance(text, str) and text.strip() for text in texts):
        yield f"{name}: cannot contain empty strings"


def _tokens(text: str) -> int:
    return len(_TOKEN.findall(text))


def _total(texts: Sequence[str], *, most: int | None = None) -> int:
    counts = map(_tokens, texts)
    return sum(counts) if most is None else sum(min(most, count) for count in counts)


def _tail(body: dict[str, Any], tokens: int) -> dict[str, Any]:
    return {"model": body["model"], "usage": {"total_tokens": tokens}}


def _error(status: int, message: str, headers: Mapping[str, str] | None = None) -> web.Response:
    return web.json_response({"detail": message}, status=status, headers=headers)
