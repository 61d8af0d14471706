"""Values of the double, from and to the wire format."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

import numpy as np
from weaviate.proto.v1.v6300.v1 import base_pb2, properties_pb2, search_get_pb2

from tests.doubles.weaviate.store import Refused

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from weaviate.proto.v1.v6300.v1 import batch_pb2

    from tests.doubles.weaviate.search import Ranked
    from tests.doubles.weaviate.store import Collection

_READ = {"non_ref_properties", "text_array_properties", "empty_list_props"}


def read_properties(given: batch_pb2.BatchObject.Properties) -> dict[str, Any]:
    """An object's values by name. What the double does not read of them is refused."""
    if unknown := {field.name for field, _ in given.ListFields()} - _READ:
        msg = f"the double does not know {sorted(unknown)} of an object"
        raise Refused(msg)
    values = dict(given.non_ref_properties.items())
    values |= {one.prop_name: list(one.values) for one in given.text_array_properties}
    return values | {name: [] for name in given.empty_list_props}


def read_vectors(given: batch_pb2.BatchObject) -> dict[str, NDArray[np.float32]]:
    """An object's named vectors."""
    if given.vector_bytes or given.vector:
        raise Refused("the double knows named vectors alone")
    return {one.name: np.frombuffer(one.vector_bytes, "<f4") for one in given.vectors}


def result(
    ranked: Ranked, collection: Collection, request: search_get_pb2.SearchRequest
) -> search_get_pb2.SearchResult:
    """One hit, with the properties and metadata that were asked for."""
    stored = ranked.stored
    asked = request.properties
    names = (
        stored.properties
        if not request.HasField("properties") or asked.return_all_nonref_properties
        else asked.non_ref_properties
    )
    fields = {
        name: _value(collection.property(name).type, stored.properties[name])
        for name in names
        if stored.properties.get(name) is not None
    }
    metadata = search_get_pb2.MetadataResult(
        id=stored.uuid,
        id_as_bytes=uuid.UUID(stored.uuid).bytes,
        vectors=[
            base_pb2.Vectors(
                name=name, vector_bytes=stored.vectors[name].tobytes(), type=base_pb2.Vectors.VECTOR_TYPE_SINGLE_FP32
            )
            for name in request.metadata.vectors
            if name in stored.vectors
        ],
    )
    if request.metadata.score and ranked.score is not None:
        metadata.score, metadata.score_present = ranked.score, True
    if request.metadata.distance and ranked.distance is not None:
        metadata.distance, metadata.distance_present = ranked.distance, True
    properties = search_get_pb2.PropertiesResult(
        target_collection=collection.name, non_ref_props=properties_pb2.Properties(fields=fields)
    )
    return search_get_pb2.SearchResult(metadata=metadata, properties=properties)


def _value(type_: str, value: Any) -> properties_pb2.Value:
    match type_:
        case "int":
            return properties_pb2.Value(int_value=value)
        case "boolean":
            return properties_pb2.Value(bool_value=value)
        case "date":
            return properties_pb2.Value(date_value=value)
        case "text[]":
            texts = properties_pb2.TextValues(values=value)
            return properties_pb2.Value(list_value=properties_pb2.ListValue(text_values=texts))
    return properties_pb2.Value(text_value=value)
