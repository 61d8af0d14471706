"""The double's answers to searches: BM25, exact cosine, or plain lists."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tests.doubles.weaviate.filters import matcher
from tests.doubles.weaviate.store import Refused

if TYPE_CHECKING:
    from weaviate.proto.v1.v6300.v1 import base_search_pb2, search_get_pb2

    from tests.doubles.weaviate.store import Collection, Stored

_KNOWN = {
    *("collection", "limit", "after", "filters", "properties", "metadata", "bm25_search", "near_vector"),
    *("uses_123_api", "uses_125_api", "uses_127_api", "consistency_level"),
}
MOST = 10_000


@dataclass(frozen=True, slots=True)
class Ranked:
    """An object with what its search says of it."""

    stored: Stored
    score: float | None = None
    distance: float | None = None


def search(request: search_get_pb2.SearchRequest, collection: Collection) -> list[Ranked]:
    """The objects asked for, in their order."""
    if unknown := {field.name for field, _ in request.ListFields()} - _KNOWN:
        msg = f"the double does not know {sorted(unknown)} of a search"
        raise Refused(msg)
    if request.limit > MOST:
        msg = f"query maximum results exceeded: {request.limit} > {MOST}"
        raise Refused(msg)
    objects = list(collection.objects.values())
    if request.HasField("filters"):
        passes = matcher(request.filters, collection)
        objects = [one for one in objects if passes(one)]
    if request.HasField("bm25_search"):
        ranked = _bm25(request.bm25_search, collection, objects)
    elif request.HasField("near_vector"):
        ranked = _nearest(request.near_vector, collection, objects)
    else:
        if request.after and request.HasField("filters"):
            raise Refused("where cannot be set with after and limit parameters")
        if not request.HasField("filters"):
            objects.sort(key=lambda one: one.uuid)
        ranked = [Ranked(one) for one in objects if one.uuid > request.after]
    return ranked[: request.limit or 10]


def _bm25(query: base_search_pb2.BM25, collection: Collection, objects: list[Stored]) -> list[Ranked]:
    """Each property scored for itself, weighted and summed; frequencies and lengths are those of all of a shard."""
    config = collection.config["invertedIndexConfig"]["bm25"]
    k1, b = config["k1"], config["b"]
    scores: Counter[str] = Counter()
    for written in query.properties:
        name, _, weight = written.partition("^")
        prop = collection.property(name)
        if not prop.searchable:
            msg = f"Searching by property '{name}' requires inverted index. Is `indexSearchable` option enabled?"
            raise Refused(msg)
        for shard in collection.shards():
            held = {one.uuid: Counter(prop.tokens(one.properties.get(name, ""))) for one in shard}
            mean = sum(counts.total() for counts in held.values()) / max(len(held), 1) or 1.0
            for term in dict.fromkeys(prop.tokens(query.query)):
                frequency = sum(term in counts for counts in held.values())
                rarity = math.log(1 + (len(held) - frequency + 0.5) / (frequency + 0.5))
                for one in objects:
                    if one.uuid in held and (count := held[one.uuid][term]):
                        longness = 1 - b + b * held[one.uuid].total() / mean
                        scores[one.uuid] += float(weight or 1) * rarity * count * (k1 + 1) / (count + k1 * longness)
    found = [Ranked(one, score=scores[one.uuid]) for one in objects if scores[one.uuid] > 0]
    return sorted(found, key=lambda one: -(one.score or 0.0))


def _nearest(query: base_search_pb2.NearVector, collection: Collection, objects: list[Stored]) -> list[Ranked]:
    [name] = query.targets.target_vectors
    [given] = query.vectors
    vector = np.frombuffer(given.vector_bytes, "<f4")
    collection.check_size(name, vector)
    if name not in collection.vector_names:
        msg = f"collection {collection.name} does not have named vector {name} configured"
        raise Refused(msg)
    found = [Ranked(one, distance=1 - _cosine(one.vectors[name], vector)) for one in objects if name in one.vectors]
    return sorted(found, key=lambda one: one.distance or 0.0)


def _cosine(
    one: np.ndarray[tuple[int], np.dtype[np.float32]], other: np.ndarray[tuple[int], np.dtype[np.float32]]
) -> float:
    length = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(one @ other) / length if length else 0.0
