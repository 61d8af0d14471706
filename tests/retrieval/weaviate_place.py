"""Where tests of the Weaviate index find a server: the double, or a real one that is named to them."""

from __future__ import annotations

import uuid
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from retrieval.weaviate_index import WeaviateIndex
from retrieval.weaviate_server import Server

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from retrieval.embed import HashEmbedder


@dataclass(frozen=True, slots=True)
class Place:
    """A server, and a name for collections that no other test uses."""

    url: str
    api_key: str | None = None
    name: str = field(default_factory=lambda: f"Test{uuid.uuid4().hex[:12]}")

    async def open(self, embedder: HashEmbedder | None, **given: Any) -> WeaviateIndex:
        model = None if embedder is None else (embedder.name, embedder.dimensions)
        return await WeaviateIndex.open(self.url, api_key=self.api_key, embedder=model, name=self.name, **given)


@asynccontextmanager
async def weaviate_place(server: tuple[str, str | None]) -> AsyncIterator[Place]:
    """On the server at this address, with this key. What a test makes there goes with it."""
    place = Place(*server)
    try:
        yield place
    finally:
        at_end = await Server.connect(place.url, place.api_key)
        there = await at_end.client.collections.list_all()
        await at_end.client.collections.delete([name for name in there if name.startswith(place.name)])
        await at_end.close()
