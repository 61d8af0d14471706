"""The double's gRPC service."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NoReturn

import grpc
from weaviate.proto.v1.v6300.v1 import (
    aggregate_pb2,
    batch_delete_pb2,
    batch_pb2,
    health_weaviate_pb2,
    search_get_pb2,
    weaviate_pb2_grpc,
)

from tests.doubles.weaviate.filters import matcher
from tests.doubles.weaviate.search import MOST, search
from tests.doubles.weaviate.store import Refused
from tests.doubles.weaviate.values import read_properties, read_vectors, result

if TYPE_CHECKING:
    from tests.doubles.weaviate.server import Server
    from tests.doubles.weaviate.store import Collection, Stored

_DELETE = {"collection", "filters", "consistency_level"}
_AGGREGATE = {"collection", "objects_count", "filters", "group_by", "aggregations", "limit"}


class Service(weaviate_pb2_grpc.WeaviateServicer):
    """Answers one call at a time. Calls it does not know are unimplemented, as the stub has them."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def Search(self, request: search_get_pb2.SearchRequest, context: grpc.ServicerContext) -> Any:  # noqa: N802 - the stub's
        with self._server.call("Search", context) as store:
            try:
                collection = store.get(request.collection)
                found = [result(one, collection, request) for one in search(request, collection)]
            except Refused as error:
                self._refuse(context, error)
            return search_get_pb2.SearchReply(results=found)

    def BatchObjects(self, request: batch_pb2.BatchObjectsRequest, context: grpc.ServicerContext) -> Any:  # noqa: N802
        errors = []
        with self._server.call("BatchObjects", context):
            pass
        for index, one in enumerate(request.objects):
            with self._server.call("Object", context) as store:
                try:
                    properties = read_properties(one.properties)
                    self._server.check_object(properties)
                    store.get(one.collection).put(one.uuid, properties, read_vectors(one))
                except Refused as error:
                    self._server.refused.append(str(error))
                    errors.append(batch_pb2.BatchObjectsReply.BatchError(index=index, error=str(error)))
        return batch_pb2.BatchObjectsReply(errors=errors)

    def BatchDelete(self, request: batch_delete_pb2.BatchDeleteRequest, context: grpc.ServicerContext) -> Any:  # noqa: N802
        with self._server.call("BatchDelete", context) as store:
            try:
                _check_known(request, _DELETE)
                collection = store.get(request.collection)
                passes = matcher(request.filters, collection)
            except Refused as error:
                self._refuse(context, error)
            doomed = [uuid for uuid, one in collection.objects.items() if passes(one)][:MOST]
            for uuid in doomed:
                del collection.objects[uuid]
        return batch_delete_pb2.BatchDeleteReply(matches=len(doomed), successful=len(doomed))

    def Aggregate(self, request: aggregate_pb2.AggregateRequest, context: grpc.ServicerContext) -> Any:  # noqa: N802
        with self._server.call("Aggregate", context) as store:
            try:
                _check_known(request, _AGGREGATE)
                return _aggregate(request, store.get(request.collection))
            except Refused as error:
                self._refuse(context, error)

    def _refuse(self, context: grpc.ServicerContext, error: Refused) -> NoReturn:
        self._server.refused.append(str(error))
        context.abort(grpc.StatusCode.UNKNOWN, str(error))
        raise AssertionError  # abort has raised


def health(request: bytes, context: grpc.ServicerContext) -> bytes:
    """`/grpc.health.v1.Health/Check`."""
    serving = health_weaviate_pb2.WeaviateHealthCheckResponse.SERVING
    reply: bytes = health_weaviate_pb2.WeaviateHealthCheckResponse(status=serving).SerializeToString()
    return reply


def _check_known(request: Any, known: set[str]) -> None:
    if unknown := {field.name for field, _ in request.ListFields()} - known:
        msg = f"the double does not know {sorted(unknown)} of {type(request).__name__}"
        raise Refused(msg)


def _aggregate(request: aggregate_pb2.AggregateRequest, collection: Collection) -> aggregate_pb2.AggregateReply:
    objects = list(collection.objects.values())
    if request.HasField("filters"):
        passes = matcher(request.filters, collection)
        objects = [one for one in objects if passes(one)]
    reply = aggregate_pb2.AggregateReply()
    if not request.HasField("group_by"):
        reply.single_result.objects_count = len(objects)
        reply.single_result.aggregations.CopyFrom(_aggregations(request, objects))
        return reply
    name = collection.property(request.group_by.property).name
    groups: dict[str, list[Stored]] = defaultdict(list)
    for one in objects:
        groups[one.properties[name]].append(one)
    for value, members in list(groups.items())[: request.limit or None]:
        group = reply.grouped_results.groups.add(objects_count=len(members))
        group.grouped_by.path.append(name)
        group.grouped_by.text = value
        group.aggregations.CopyFrom(_aggregations(request, members))
    reply.grouped_results.SetInParent()
    return reply


def _aggregations(
    request: aggregate_pb2.AggregateRequest, objects: list[Stored]
) -> aggregate_pb2.AggregateReply.Aggregations:
    found = aggregate_pb2.AggregateReply.Aggregations()
    for asked in request.aggregations:
        if asked.WhichOneof("aggregation") != "date" or not asked.date.maximum:
            raise Refused("of properties the double knows the latest date alone")
        one = found.aggregations.add(property=asked.property)
        if dates := [one.properties[asked.property] for one in objects if asked.property in one.properties]:
            one.date.maximum = max(dates)
    return found
