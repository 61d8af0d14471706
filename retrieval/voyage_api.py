"""Calls to Voyage's API: vectors and scores, or one of our errors. The only module that knows the SDK.

A call here is one request. How texts are put into requests, and when to try again, is for `retrieval.voyage` and
`retrieval.voyage_rerank`.
"""

from __future__ import annotations

import math
import platform
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from retrieval.errors import ModelRefused, ModelUnavailable, RetrievalError
from retrieval.hosted import Later, key_fault, retry_after

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from aiohttp import ClientSession
    from voyageai.client_async import AsyncClient

    from retrieval.embed import Vector

Kind: TypeAlias = Literal["query", "document"]
"""What a text is embedded as; the models put the two differently."""

_BAD_KEY = "Voyage refused the key ({status}): check VOYAGE_API_KEY"
_BAD_REQUEST = (
    "Voyage refused what was asked of {model!r} ({status}): check that CITEWELL_VOYAGE_MODEL names an embedding model "
    "and CITEWELL_RERANK_MODEL a reranker"
)
_TO_MEND = {
    401: _BAD_KEY,
    403: _BAD_KEY,
    402: "Voyage wants a payment first ({status}): see to the billing of the account behind VOYAGE_API_KEY",
    404: "There is no Voyage API at this address ({status}): check VOYAGE_BASE_URL",
    400: _BAD_REQUEST,
    413: _BAD_REQUEST,
    422: _BAD_REQUEST,
}


class Voyage:
    """One account at Voyage, safe to use from many tasks of one event loop. Close it when done.

    Every method raises ModelUnavailable or ModelRefused, and no other error; neither quotes what was sent.
    """

    def __init__(self, client: Later[AsyncClient]) -> None:
        self._client = client
        self._session: ClientSession | None = None

    @classmethod
    def connect(cls, *, api_key: str, base_url: str | None = None, timeout: float = 30.0) -> Voyage:
        """An account by its key. Opens no connection and loads nothing of the SDK before the first request.

        `base_url` names another region's or a compatible server's API ("https://.../v1"); without it, the key says
        which of Voyage's own it is for. `timeout` is for one request, in seconds. ModelRefused for what is no key.
        """

        def client() -> AsyncClient:
            from voyageai.client_async import AsyncClient

            platform.processor()  # the SDK asks at its first request, for which a process is started, once
            address = base_url.rstrip("/") if base_url else None
            return AsyncClient(api_key=api_key, base_url=address, timeout=timeout, max_retries=0)

        if fault := key_fault("VOYAGE_API_KEY", api_key):
            raise ModelRefused(fault)
        return cls(Later(client))

    async def embed(self, texts: Sequence[str], *, model: str, kind: Kind, dimensions: int) -> Vector:
        """One row of length 1 a text; a text longer than the model reads is cut off by Voyage."""
        async with self._request(model) as client:
            reply = await client.embed(list(texts), model=model, input_type=kind, truncation=True)
            return _unit_rows(reply.embeddings, len(texts), dimensions, model)

    async def embed_runs(
        self, runs: Sequence[Sequence[str]], *, model: str, kind: Kind, dimensions: int
    ) -> list[Vector]:
        """One matrix a run, with one row of length 1 a text, each read in the light of the others of its run."""
        async with self._request(model) as client:
            reply = await client.contextualized_embed([list(run) for run in runs], model=model, input_type=kind)
            return [
                _unit_rows(result.embeddings, len(run), dimensions, model)
                for result, run in zip(reply.results, runs, strict=True)
            ]

    async def rerank(self, question: str, texts: Sequence[str], *, model: str) -> list[float]:
        """How well each text answers the question, in [0, 1], in the order of the texts."""
        async with self._request(model) as client:
            reply = await client.rerank(question, list(texts), model=model, truncation=True)
            scores = {int(result.index): float(result.relevance_score) for result in reply.results}
            if set(scores) != set(range(len(texts))) or not all(map(math.isfinite, scores.values())):
                msg = f"{len(scores)} scores for {len(texts)} texts"
                raise ValueError(msg)
            return [scores[at] for at in range(len(texts))]

    async def aclose(self) -> None:
        """Let go of the connections. Calling it again does nothing."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    @asynccontextmanager
    async def _request(self, model: str) -> AsyncIterator[AsyncClient]:
        """Keeps connections open from one request to the next, which the SDK does not, and maps what is raised."""
        client = await self._client.get()
        from aiohttp import ClientSession
        from voyageai import aiosession

        self._session = self._session or ClientSession()
        before = aiosession.set(self._session)
        try:
            yield client
        except Exception as error:
            raise _mapped(error, model) from error
        finally:
            aiosession.reset(before)


def _unit_rows(rows: object, count: int, dimensions: int, model: str) -> Vector:
    matrix = np.asarray(rows, np.float32)
    if matrix.ndim != 2 or len(matrix) != count:
        msg = f"an array of shape {matrix.shape} for {count} texts"
        raise ValueError(msg)
    if matrix.shape[1] != dimensions:
        msg = (
            f"Voyage's {model!r} gives vectors of {matrix.shape[1]} numbers, and Citewell can use it only with "
            f"{dimensions}: choose another model in CITEWELL_VOYAGE_MODEL"
        )
        raise ModelRefused(msg)
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    if not (np.isfinite(lengths).all() and lengths.all()):
        raise ValueError("a vector without a direction")
    return np.asarray(matrix / lengths, np.float32)


def _mapped(error: Exception, model: str) -> RetrievalError:
    from voyageai.error import APIConnectionError, Timeout, VoyageError

    if isinstance(error, RetrievalError):
        return error
    status = error.http_status if isinstance(error, VoyageError) else None
    if status in _TO_MEND:
        return ModelRefused(_TO_MEND[status].format(status=status, model=model))
    if status is not None and status >= 400:
        trouble = "Voyage's rate limit is reached" if status == 429 else "Voyage is down or overloaded"
        return ModelUnavailable(f"{trouble} ({status})", retry_after=retry_after(getattr(error, "headers", {})))
    if isinstance(error, Timeout):
        return ModelUnavailable("Voyage gave no answer in time")
    if isinstance(error, (APIConnectionError, OSError)):
        return ModelUnavailable("Voyage cannot be reached: see whether this machine may open connections to it")
    return ModelUnavailable(f"Voyage's reply could not be read ({type(error).__name__})")
