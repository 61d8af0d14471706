"""Collections of the double: their schema, and the objects that fit it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

_CLASS_NAME = re.compile(r"[A-Z][_0-9A-Za-z]{0,254}")
_PROPERTY_NAME = re.compile(r"[_A-Za-z][_0-9A-Za-z]{0,230}")
_TYPES = {"text", "text[]", "int", "boolean", "date"}
_TOKENIZATIONS = {"word", "whitespace", "field"}
_CLASS_KEYS = {"class", "description", "properties", "invertedIndexConfig", "vectorConfig", "shardingConfig"}
_PROPERTY_KEYS = {"name", "dataType", "tokenization", "indexFilterable", "indexSearchable", "indexRangeFilters"}
_PASSED_OVER = {"skip_vectorization", "vectorize_property_name"}
"""What the client sends of a property without a vectoriser, and the server passes over."""


class Refused(Exception):
    """What the server would not do. The text is what it says of it."""


@dataclass(frozen=True, slots=True)
class Property:
    """One property of a collection's schema."""

    name: str
    type: str
    tokenization: str
    filterable: bool
    searchable: bool

    def tokens(self, value: Any) -> list[str]:
        """What its inverted index holds of a value."""
        values = value if isinstance(value, list) else [value]
        if self.tokenization == "field":
            return [str(one).strip() for one in values]
        if self.tokenization == "whitespace":
            return [token for one in values for token in str(one).split()]
        return [token for one in values for token in re.findall(r"[^\W_]+", str(one).lower())]

    def check(self, value: Any, collection: str) -> Any:
        """The value as it is stored."""
        place = f"property '{self.name}' on class '{collection}'"
        match self.type, value:
            case ("text", str()) | ("boolean", bool()):
                return value
            case ("text[]", list()) if all(isinstance(one, str) for one in value):
                return value
            case ("int", float()) if value == int(value):
                return int(value)
            case ("date", str()):
                datetime.fromisoformat(value)
                return value
        msg = f"invalid {self.type} {place}: not of that type, but {type(value).__name__}"
        raise Refused(msg)


@dataclass(slots=True)
class Stored:
    """One object, with the named vectors it came with."""

    uuid: str
    properties: dict[str, Any]
    vectors: dict[str, NDArray[np.float32]]


@dataclass(slots=True)
class Collection:
    """One collection, as it was asked for and as it stands."""

    name: str
    config: dict[str, Any]
    properties: dict[str, Property]
    vector_names: frozenset[str]
    objects: dict[str, Stored] = field(default_factory=dict)

    def property(self, name: str) -> Property:
        if name not in self.properties:
            msg = f"no such prop with name '{name}' found in class '{self.name}' in the schema."
            raise Refused(msg)
        return self.properties[name]

    def shards(self) -> list[list[Stored]]:
        """The objects as they are dealt out, by their ids."""
        count = self.config["shardingConfig"]["actualCount"]
        dealt: list[list[Stored]] = [[] for _ in range(count)]
        for one in self.objects.values():
            dealt[UUID(one.uuid).int % count].append(one)
        return dealt

    def put(self, uuid: str, values: Mapping[str, Any], vectors: Mapping[str, NDArray[np.float32]]) -> None:
        """Store an object in place of any with its id."""
        checked = {name: self.property(name).check(value, self.name) for name, value in values.items()}
        for name, vector in vectors.items():
            if name not in self.vector_names:
                msg = f"collection {self.name} does not have configuration for vector {name}"
                raise Refused(msg)
            self.check_size(name, vector)
        self.objects.pop(uuid, None)
        self.objects[uuid] = Stored(uuid, checked, dict(vectors))

    def forget_property(self, name: str) -> None:
        """As if it had never had it."""
        del self.properties[name]
        self.config["properties"] = [one for one in self.config["properties"] if one["name"] != name]
        for stored in self.objects.values():
            stored.properties.pop(name, None)

    def check_size(self, name: str, vector: NDArray[np.float32]) -> None:
        held = next((len(one.vectors[name]) for one in self.objects.values() if name in one.vectors), None)
        if held is not None and held != len(vector):
            msg = f"vector lengths don't match: {held} vs {len(vector)}"
            raise Refused(msg)


class Store:
    """All collections."""

    def __init__(self) -> None:
        self.collections: dict[str, Collection] = {}

    def get(self, name: str) -> Collection:
        if name not in self.collections:
            msg = f"could not find class {name} in schema"
            raise Refused(msg)
        return self.collections[name]

    def create(self, config: dict[str, Any], replicas: int, nodes: int) -> dict[str, Any]:
        """Make a collection. What is given beside the known is refused, and so is a module that makes vectors."""
        name = config["class"]
        if unknown := set(config) - _CLASS_KEYS:
            msg = f"the double does not know {sorted(unknown)} of a class"
            raise Refused(msg)
        if not _CLASS_NAME.fullmatch(name):
            msg = f"'{name}' is not a valid class name"
            raise Refused(msg)
        if name in self.collections:
            msg = f"class name {name} already exists"
            raise Refused(msg)
        vectors = config["vectorConfig"]
        if any(one["vectorizer"] != {"none": {}} for one in vectors.values()):
            raise Refused("no module is enabled")
        properties = [_property(one) for one in config.get("properties", [])]
        full = _with_defaults(config, properties, replicas, nodes)
        self.collections[name] = Collection(name, full, {one.name: one for one in properties}, frozenset(vectors))
        return full

    def add_property(self, name: str, given: dict[str, Any]) -> dict[str, Any]:
        """Give a collection one more property; the objects that are in do without."""
        if list(given.get("moduleConfig") or {}) == ["none"]:  # what the client sends where no module makes vectors
            given = given | {"moduleConfig": None}
        collection, added = self.get(name), _property(given)
        collection.properties[added.name] = added
        collection.config["properties"].append(_shown(added))
        return given


def _property(given: dict[str, Any]) -> Property:
    [type_] = given["dataType"]
    if unknown := {key for key, value in given.items() if value is not None} - _PROPERTY_KEYS - _PASSED_OVER:
        msg = f"the double does not know {sorted(unknown)} of a property"
        raise Refused(msg)
    is_text = type_.startswith("text")
    tokenization = given.get("tokenization") or ("word" if is_text else "")
    searchable = given.get("indexSearchable")
    if type_ not in _TYPES or not _PROPERTY_NAME.fullmatch(given["name"]):
        msg = f"property '{given['name']}': invalid dataType: ['{type_}'] or name"
        raise Refused(msg)
    if is_text != (tokenization in _TOKENIZATIONS):
        msg = f"Tokenization '{tokenization}' is not allowed for data type '{type_}'"
        raise Refused(msg)
    if searchable and not is_text:
        raise Refused("`indexSearchable` is allowed only for text/text[] data types.")
    searchable = is_text if searchable is None else searchable
    return Property(given["name"], type_, tokenization, given.get("indexFilterable") is not False, searchable)


def _shown(one: Property) -> dict[str, Any]:
    """As the server shows it."""
    return {
        "name": one.name,
        "dataType": [one.type],
        "indexFilterable": one.filterable,
        "indexSearchable": one.searchable,
        "indexRangeFilters": False,
        **({"tokenization": one.tokenization} if one.tokenization else {}),
    }


def _with_defaults(config: dict[str, Any], properties: list[Property], replicas: int, nodes: int) -> dict[str, Any]:
    """As the server shows a class that was made so."""
    inverted = config.get("invertedIndexConfig", {})
    shards = config.get("shardingConfig", {}).get("desiredCount", nodes)
    return config | {
        "properties": [_shown(one) for one in properties],
        "invertedIndexConfig": {
            "bm25": inverted.get("bm25", {"b": 0.75, "k1": 1.2}),
            "cleanupIntervalSeconds": 60,
            "stopwords": {"additions": None, "removals": None, "preset": "en"} | inverted.get("stopwords", {}),
        },
        "multiTenancyConfig": {"enabled": False},
        "replicationConfig": {"factor": replicas, "asyncEnabled": False},
        "shardingConfig": _SHARDING
        | {"actualCount": shards, "desiredCount": shards}
        | {"actualVirtualCount": 128 * shards, "desiredVirtualCount": 128 * shards},
        "vectorConfig": dict.fromkeys(config["vectorConfig"], _SHOWN_VECTOR),
    }


_SHARDING = {"virtualPerPhysical": 128, "function": "murmur3", "key": "_id", "strategy": "hash"}
_HNSW = {
    "cleanupIntervalSeconds": 300,
    "distance": "cosine",
    "dynamicEfFactor": 8,
    "dynamicEfMax": 500,
    "dynamicEfMin": 100,
    "ef": -1,
    "efConstruction": 128,
    "filterStrategy": "acorn",
    "flatSearchCutoff": 40000,
    "maxConnections": 32,
    "skip": False,
    "vectorCacheMaxObjects": 1000000000000,
}
_SHOWN_VECTOR = {"vectorizer": {"none": {}}, "vectorIndexType": "hnsw", "vectorIndexConfig": _HNSW}
