"""The collections of the Weaviate index: documents, passages, and one of vectors for the model in use."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import TYPE_CHECKING

from weaviate.classes.config import Configure, DataType, Property, StopwordsPreset, Tokenization, VectorDistances

from retrieval.embedding_model import Model, mismatch
from retrieval.errors import IndexUnavailable
from retrieval.weaviate_rows import TEXTS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from weaviate.collections.classes.config import CollectionConfigSimple

    from retrieval.weaviate_server import Objects, Server

VECTOR = "embedding"
"""The name of the vector on an object of the collection of vectors."""


def mark_of(model: Model, generation: str) -> str:
    """What stands on each passage that has its vector, and is the description of the vectors' collection.

    The collection may be dropped and made again while marks stay on passages: each making has a `generation` of its
    own, so that a mark always says where the vector is.
    """
    return f"{model.name} {model.dimensions} {generation}"


def marked_model(mark: str) -> Model:
    """The model of a mark."""
    name, dimensions, _ = mark.rsplit(" ", 2)
    return Model(name, int(dimensions))


class Shelf:
    """The collections, open: each for reading from any replica, and for writing to all of them."""

    def __init__(self, server: Server, name: str, mark: str | None, *, replicas: int) -> None:
        self.server = server
        self.mark = mark
        self.model = model = marked_model(mark) if mark else None
        self._replicas = replicas
        self._replicated = replicas > 1
        self._names = (f"{name}Documents", f"{name}Passages", vectors_name(name, model) if model else None)

    @property
    def documents(self) -> Objects:
        """One record a document."""
        return self.server.objects(self._names[0], replicated=self._replicated, writing=False)

    @property
    def passages(self) -> Objects:
        """One object a passage and version."""
        return self.server.objects(self._names[1], replicated=self._replicated, writing=False)

    @property
    def vectors(self) -> Objects | None:
        """One object a vector, with the id of its passage's object; None without a model."""
        name = self._names[2]
        return None if name is None else self.server.objects(name, replicated=self._replicated, writing=False)

    def writing(self, objects: Objects) -> Objects:
        """The same collection for writing."""
        return self.server.objects(objects.name, replicated=self._replicated, writing=True)

    async def is_whole(self) -> bool:
        """Whether every replica answers. Of one that has dropped out, the cluster asks no write to reach it.

        The documents tell for all: their shards are as many as the nodes, so that each node holds some.
        """
        if not self._replicated:
            return True
        nodes = await self.server.ask(self.server.client.cluster.nodes(self._names[0], output="verbose"))
        healthy = Counter(shard.name for node in nodes if node.status == "HEALTHY" for shard in node.shards)
        return min(healthy.values(), default=0) >= self._replicas


async def open_shelf(
    server: Server, name: str, model: Model | None, *, re_embed: bool, new_generation: Callable[[], str]
) -> Shelf:
    """Make what is missing and check what is there. IndexMismatch if it holds vectors of another model."""
    there = await server.ask(server.client.collections.list_all())
    for kind, properties, shards in (("Documents", _documents(), None), ("Passages", _passages(), 1)):
        if made := there.get(f"{name}{kind}"):
            await _complete(server, made, properties)
        else:
            await _create(server, f"{name}{kind}", properties, shards=shards)
    await server.check_grpc(server.objects(f"{name}Documents", replicated=False, writing=False))
    held = await held_marks(server, name, there)
    if model is None:
        mark = next(iter(held.values()), None)
    else:
        for title, other in held.items():
            if (other_model := marked_model(other)) == model:
                continue
            if not re_embed:
                raise mismatch(other_model, model)
            await server.ask(server.client.collections.delete(title))
        own = vectors_name(name, model)
        if own not in there:
            await _create(server, own, _vectors(), mark=mark_of(model, new_generation()))
        mark = (await server.ask(server.client.collections.use(own).config.get())).description
    documents = await server.ask(server.client.collections.use(f"{name}Documents").config.get())
    return Shelf(server, name, mark, replicas=documents.replication_config.factor)


async def held_marks(server: Server, name: str, there: Mapping[str, CollectionConfigSimple]) -> dict[str, str]:
    """The marks of the vectors that are in, by the collection that holds them."""
    held = {}
    for title, config in there.items():
        if title.startswith(f"{name}Vectors_") and config.description:
            count = await server.ask(server.client.collections.use(title).aggregate.over_all(total_count=True))
            if count.total_count:
                held[title] = config.description
    return held


def vectors_name(name: str, model: Model) -> str:
    """The collection of one model's vectors."""
    digest = hashlib.sha256(f"{model.name} {model.dimensions}".encode()).hexdigest()
    return f"{name}Vectors_{digest[:8]}"


async def _complete(server: Server, made: CollectionConfigSimple, properties: list[Property]) -> None:
    """Add the properties that a collection made by an earlier version lacks."""
    known = {one.name for one in made.properties}
    config = server.client.collections.use(made.name).config
    for one in properties:
        if one.name not in known:
            await server.ask(config.add_property(one))


async def _create(
    server: Server, name: str, properties: list[Property], *, mark: str | None = None, shards: int | None = None
) -> None:
    """Without a vectoriser: whatever is put in comes from us. Replication is as the server's minimum says.

    Unless told, a server makes as many shards as it has nodes, and deals the objects out to them by their random ids.
    BM25 takes how rare a word is, and how long a text is beside others, from a shard alone: that of the passages must
    be one, or the order of what is found would be another after each ingest.
    """
    vector = Configure.Vectors.self_provided(
        name=VECTOR,
        quantizer=Configure.VectorIndex.Quantizer.none(),
        vector_index_config=Configure.VectorIndex.hnsw(distance_metric=VectorDistances.COSINE),
    )
    creating = server.client.collections.create(
        name,
        description=mark or "Citewell",
        properties=properties,
        inverted_index_config=Configure.inverted_index(bm25_b=0.75, bm25_k1=1.2, stopwords_preset=StopwordsPreset.NONE),
        vector_config=vector if mark else Configure.Vectors.self_provided(),
        sharding_config=Configure.sharding(desired_count=shards) if shards else None,
    )
    try:
        await server.ask(creating)
    except IndexUnavailable:
        if not await server.ask(server.client.collections.exists(name)):  # else another process was faster
            raise


def _documents() -> list[Property]:
    return [
        _key("document_id"),
        _key("collection"),
        *(_kept(name) for name in TEXTS),
        _kept("version"),
        Property(name="pending", data_type=DataType.TEXT_ARRAY, index_filterable=False, index_searchable=False),
        Property(name="retired", data_type=DataType.TEXT_ARRAY, index_filterable=False, index_searchable=False),
        Property(name="live", data_type=DataType.BOOL, index_filterable=True),
        Property(name="busy", data_type=DataType.BOOL, index_filterable=True),
        Property(name="dated", data_type=DataType.BOOL, index_filterable=True),
        Property(name="changed", data_type=DataType.DATE, index_filterable=True),
    ]


def _passages() -> list[Property]:
    return [
        *(_key(name) for name in ("passage_id", "document_id", "version", "collection", "model")),
        *(_kept(name) for name in (*TEXTS, "text", "context", "place")),
        Property(name="headings", data_type=DataType.TEXT_ARRAY, index_filterable=False, index_searchable=False),
        *(_number(name) for name in ("ordinal", "span_start", "span_end", "page")),
        Property(name="bucket", data_type=DataType.INT, index_filterable=True),
        _tokens("title_tokens"),
        _tokens("tokens"),
        _tokens("text_tokens"),
    ]


def _vectors() -> list[Property]:
    return [_key(name) for name in ("passage_id", "document_id", "version", "collection")]


def _key(name: str) -> Property:
    """A text that is matched whole and never searched."""
    return Property(
        name=name,
        data_type=DataType.TEXT,
        tokenization=Tokenization.FIELD,
        index_filterable=True,
        index_searchable=False,
    )


def _kept(name: str) -> Property:
    return Property(name=name, data_type=DataType.TEXT, index_filterable=False, index_searchable=False)


def _number(name: str) -> Property:
    return Property(name=name, data_type=DataType.INT, index_filterable=False)


def _tokens(name: str) -> Property:
    """Our own token form: split at white space, nothing folded, no stop words."""
    return Property(
        name=name,
        data_type=DataType.TEXT,
        tokenization=Tokenization.WHITESPACE,
        index_filterable=True,
        index_searchable=True,
    )
